"""The lints of ODS definitions, on passes and ops made for them."""

import re

import pytest

import documented_options
import guard_kinds
import negative_tests
import op_descriptions
import pass_descriptions
import pass_names
import registry
import tested_options
import tested_passes

DESCRIPTION = """
    Takes the dead code out, because nothing later wants to look at it twice.

    #### Input
    Any module.

    #### Output
    The same, smaller.

    #### Before
    ```mlir
    %0 = tc.dead
    ```

    #### After
    ```mlir
    func.return
    ```

    #### Limits
    None known.
"""


def passes_td(name="TCFoldZerosPass", flag="tc-fold-zeros", summary="Remove additions of zero",
              description=DESCRIPTION, options=""):
    return f"""include "mlir/Pass/PassBase.td"
def {name} : Pass<"{flag}"> {{
  let summary = "{summary}";
  let description = [{{{description}}}];
  let options = [{options}];
}}
"""


PASSES = "include/TC/Transforms/Simplify.td"
GOOD = {
    PASSES: passes_td(),
    "lib/Transforms/Simplify/FoldZeros.cpp": "op.emitError();",
    "test/Transforms/fold-zeros.mlir": "// RUN: tc-opt %s --tc-fold-zeros\n",
    "test/Transforms/fold-zeros-errors.mlir": "",
}


@pytest.mark.parametrize("lint", [pass_descriptions, pass_names, tested_options, tested_passes])
def test_good_pass(messages, lint):
    assert not messages(lint, GOOD)


@pytest.mark.parametrize("passes, missing, complaint", [
    (passes_td(name="TCZeros"), None, "a pass is called"),
    (passes_td(flag="tc-zero-fold"), None, "by its name it should be tc-fold-zeros"),
    (passes_td(name="TCLowerZerosPass", flag="tc-lower-zeros"), None, "verb of the table"),
    (passes_td(), "lib/Transforms/Simplify/FoldZeros.cpp", "there is no lib/Transforms/Simplify/FoldZeros.cpp"),
    (passes_td(), "test/Transforms/fold-zeros.mlir", "there is no test/Transforms/fold-zeros.mlir"),
    (passes_td(), "test/Transforms/fold-zeros-errors.mlir", "it emits errors"),
    (passes_td(name="ConvertTCToGPUPass", flag="convert-tc-to-gpu"), None,
     "there is no lib/Conversion/TCToGPU/TCToGPU.cpp"),
    (passes_td(name="ConvertTCToGPUPass", flag="convert-tc-to-gpu"), None,
     "no test in test/Conversion/TCToGPU"),
])
def test_pass_names(messages, passes, missing, complaint):
    files = {path: text for path, text in {**GOOD, PASSES: passes}.items() if path != missing}
    assert complaint in messages(pass_names, files)


@pytest.mark.parametrize("passes, complaint", [
    (passes_td(summary=""), "sentence of three words"),
    (passes_td(summary="TC fold zeros pass"), "only restates the name"),
    (passes_td(description=""), "has no '#### Input'"),
    (passes_td(description="#### Input" + DESCRIPTION), "starts with what the pass does"),
    (passes_td(description=DESCRIPTION.replace("Any module.", "")), "'#### Input' is empty"),
    (passes_td(description=DESCRIPTION.replace("```mlir", "```")), "'#### Before' has no ```mlir"),
])
def test_pass_descriptions(messages, passes, complaint):
    assert f"{PASSES}:2: " in (found := messages(pass_descriptions, {PASSES: passes}))
    assert complaint in found


def test_untested_pass(messages):
    other = {"test/a.mlir": "// RUN: tc-opt %s --tc-fold-zeros-first\n"}
    assert "no RUN line of a test uses --tc-fold-zeros" in messages(
        tested_passes, {PASSES: passes_td(), **other})


def test_untested_option(messages):
    option = 'Option<"depth", "max-depth", "int64_t", "3", "How deep">'
    files = {PASSES: passes_td(options=option),
             "test/a.mlir": "// RUN: tc-opt %s --tc-fold-zeros='other-max-depth=3'\n"}
    assert "no test sets the option max-depth" in messages(tested_options, files)
    files["test/b.mlir"] = "// RUN: tc-opt %s '--pass-pipeline=any(tc-fold-zeros{max-depth=3})'\n"
    assert not messages(tested_options, files)


HELP = """General options:

  Compiler passes to run
    Passes:
      --tc-fold-zeros               -   Remove
    Pass Pipelines:
      --tc-phase-fuse               -   Fuses
        --max-size=<long>           - Most
      --gpu-other                   -   Another
  --other-option                    - Not a pipeline
      --tc-no-pipeline              - Nor this
"""


def with_tool(make_tree, files):
    tree = make_tree(files)
    tool = tree.build / "bin/tc-opt"
    tool.parent.mkdir(parents=True)
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{HELP}END\n")
    tool.chmod(0o755)
    return tree


def test_pipelines_of_the_tool(make_tree):
    tree = with_tool(make_tree, {"lib/P.cpp": 'PassPipelineRegistration<>(\n  "tc-other", "x", f);'})
    found = {pipeline.name: pipeline.options for pipeline in registry.pipelines(tree)}
    assert found == {"tc-other": [], "tc-phase-fuse": ["max-size"]}


def test_untested_pipeline(make_tree):
    tree = with_tool(make_tree, {"test/a.mlir": "// RUN: tc-opt %s --tc-phase-fuse\n"})
    found = "\n".join(map(str, tested_passes.check(tree)))
    assert re.search("no test dumps the pipeline --tc-phase-fuse", found)
    assert "runs the pipeline" not in found
    assert "option max-size of --tc-phase-fuse" in "\n".join(map(str, tested_options.check(tree)))


OPS = """include "mlir/IR/OpBase.td"
def TC_Dialect : Dialect {{ let name = "tc"; let cppNamespace = "::tc"; }}
def TC_AddOp : Op<TC_Dialect, "add"> {{
  let summary = "{summary}";
  let description = [{{{description}}}];
}}
"""


def test_op_descriptions(messages):
    path = "include/TC/Dialect/TC/IR/TCOps.td"
    found = messages(op_descriptions, {path: OPS.format(summary="", description="Adds.")})
    assert f"{path}:3: add: no summary" in found and "no example" in found
    good = OPS.format(summary="Adds", description="Adds.\n```mlir\n%0 = tc.add\n```\n")
    assert not messages(op_descriptions, {path: good})


def test_documented_options(make_tree):
    page = ("`tc-opt x --tc-fold-zeros` `--max-size` `tc-phase-fuse` `tc-run`\n"
            "`tc-opt --tc-fold-ones x`\n`--nothing`\n`tc-melt`\n")
    tree = with_tool(make_tree, {"docs/a.md": page})
    found = [str(finding) for finding in documented_options.check(tree)]
    assert [text.split(":")[1] for text in found] == ["2", "3", "4"]
    assert not list(documented_options.check(make_tree({"docs/a.md": page})))


def test_negative_tests(messages):
    path = "include/TC/Dialect/TC/IR/TCOps.td"
    ops = OPS.format(summary="Adds", description="Adds.").replace(
        "let summary", "let hasVerifier = 1;\n  let summary")
    assert "no test expects an error of the verifier of add" in messages(negative_tests, {path: ops})
    test = "// Sizes agree.\n// expected-error @+1 {{'tc.add' op has sizes 4 and 8}}\n"
    files = {path: ops, "test/Dialect/TC/invalid-add.mlir": test}
    assert not messages(negative_tests, files)


def test_constraints_of_the_docs(make_tree):
    test = ("// RUN: x\n// Sizes agree.\n// expected-error @+1 {{'tc.add' op has sizes}}\n"
            "// -----\n// Types agree.\nfunc.func @f() {\n  // expected-error @+1 {{'tc.add' op has types}}\n")
    tree = make_tree({"test/Dialect/TC/invalid-add.mlir": test})
    assert negative_tests.constraints(tree) == {
        "add": [("Sizes agree", "has sizes"), ("Types agree", "has types")]}


def test_guard_kinds(messages):
    enum = ('include "mlir/IR/EnumAttr.td"\ndef TC_GuardKind : I32EnumAttr<"GuardKind", "g", '
            '[I32EnumAttrCase<"Rank", 0, "rank">, I32EnumAttrCase<"Size", 1, "size">]>;\n')
    found = messages(guard_kinds, {"include/TC/A.td": enum,
                                   "test/invalid-a.mlir": "func.func @guard_rank()\n"})
    assert "A.td:2: no negative test names guard_size" in found and "guard_rank" not in found
