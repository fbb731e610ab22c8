"""The lint driver, and that no lint is without a test of its own."""

from pathlib import Path

import clang_tidy
import generated_docs
import run
from tree import Finding, Tree, TableGenError

import pytest

HERE = Path(__file__).resolve().parent


def test_every_lint_has_a_doc_string_and_a_test():
    tests = "\n".join(path.read_text() for path in HERE.glob("test_*.py"))
    for name, lint in run.load_lints().items():
        assert lint.__doc__, name
        assert f"import {name}\n" in tests, f"{name} has no test"


def test_a_broken_lint_is_a_finding(make_tree):
    class Broken:
        __file__ = "broken.py"

        @staticmethod
        def check(tree):
            raise ValueError("oops")

    assert run.run_lint(Broken, make_tree({})) == ["broken.py failed: ValueError: oops"]


def test_findings_print_as_locations():
    assert str(Finding("a.cpp", 3, "text")) == "a.cpp:3: text"


def test_bad_ods_is_an_error(make_tree):
    with pytest.raises(TableGenError, match="refuses a.td"):
        make_tree({"a.td": "def A : Nothing;\n"}).records


def test_generated_docs(make_tree):
    script = "print('out of date: docs/generated/passes.md'); raise SystemExit(1)\n"
    found = list(generated_docs.check(make_tree({"utils/docs/generate.py": script})))
    assert [finding.path for finding in found] == ["docs/generated/passes.md"]
    with pytest.raises(RuntimeError):
        list(generated_docs.check(make_tree({})))


def test_clang_tidy(make_tree):
    tree = make_tree({
        ".clang-tidy": "Checks: '-*,readability-identifier-naming'\nCheckOptions:\n"
                       "  - {key: readability-identifier-naming.ClassCase, value: CamelCase}\n",
        "lib/a.cpp": "class lower_case {};\n"})
    with pytest.raises(FileNotFoundError):
        clang_tidy.check(tree)
    tree.build.mkdir()
    (tree.build / "compile_commands.json").write_text(
        f'[{{"directory": "{tree.root}", "command": "clang++ -c lib/a.cpp", "file": "lib/a.cpp"}}]')
    found = clang_tidy.check(Tree(tree.root))
    assert [(finding.path, finding.line) for finding in found] == [("lib/a.cpp", 1)]
