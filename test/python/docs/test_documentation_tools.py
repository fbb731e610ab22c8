"""The checks of documented examples fail on examples that are not true."""

import os
from types import SimpleNamespace

import check_examples
import check_op_descriptions
import check_pass_descriptions
import pages


def described(before, after):
    description = f"#### Before\n```mlir\n{before}\n```\n#### After\n```mlir\n{after}\n```\n"
    return SimpleNamespace(fields={"description": description, "argument": "tc-drop-dead"})


def test_true_pass_description(fake_tools):
    record = described("live\ndead", "live")
    assert check_pass_descriptions.difference(fake_tools / "tc-opt", record) is None


def test_untrue_pass_description(fake_tools):
    found = check_pass_descriptions.difference(fake_tools / "tc-opt", described("live\ndead", "dead"))
    assert "-dead" in found and "+live" in found


def test_pass_description_that_does_not_parse(fake_tools):
    assert "fails" in check_pass_descriptions.difference(fake_tools / "tc-opt", described("bad", "x"))


def page_complaints(fake_tools, text):
    environment = {**os.environ, "PATH": f"{fake_tools}:{os.environ['PATH']}"}
    return [(line, complaint) for line, complaint in check_examples.check_page(text, environment)
            if complaint]


def test_console_examples(fake_tools):
    page = "# A\n```console\n$ tc-opt <<<'x' | sed s/x/y/\n{}\n$ rm -rf nothing\n```\n"
    assert not page_complaints(fake_tools, page.format("y"))
    assert not page_complaints(fake_tools, page.format("..."))
    (line, complaint), = page_complaints(fake_tools, page.format("z"))
    assert line == 3 and "+y" in complaint


def test_mlir_examples(fake_tools):
    assert not page_complaints(fake_tools, "```mlir\ngood\n```\n")
    assert "does not parse" in page_complaints(fake_tools, "```mlir\nbad\n```\n")[0][1]


def test_op_example_learns_types():
    example = check_op_descriptions.Example(None, "%r = tc.add %x, %y : f32")
    assert example.undefined() == ["x", "y"]
    assert "%x = \"value\"() : () -> !unknown.type" in example.text()
    assert example.learn("error: use of value '%x' expects different type than prior uses: "
                         "'f32' vs '!unknown.type'\n")
    assert example.types["x"] == "f32"
    assert not example.learn("error: 'tc.add' op is wrong")


def test_op_examples_complain(fake_tools):
    examples = [check_op_descriptions.Example(None, "bad")]
    assert check_op_descriptions.complaints(fake_tools / "tc-opt", examples)


def test_pattern_lines():
    text = "// Folds.\n// Pattern: add(x, 0)\n//   -> x\ntemplate <typename T>\nstruct Fold : P {\n"
    assert pages.pattern_lines(text) == [("Fold", "`add(x, 0) -> x`")]


def test_a_wrong_after_is_rewritten():
    td = ("def TCOtherPass {\n  #### After\n  ```mlir\n  other\n  ```\n}\ndef TCDropPass {\n"
          "  #### Before\n  ```mlir\n  a\n  ```\n\n  #### After\n  ```mlir\n  old\n  older\n  ```\n}\n")
    found = check_pass_descriptions.rewritten(td, SimpleNamespace(name="TCDropPass"), "new\n  nested\n")
    assert found == td.replace("  old\n  older\n", "  new\n    nested\n")
