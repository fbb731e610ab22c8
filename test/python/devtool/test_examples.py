"""Every bundled example says how it is run, and is run that way."""

from pathlib import Path

from devtool import examples

ROOT = Path(__file__).resolve().parents[3]


def test_each_example_has_a_command_of_its_own():
    for path in (ROOT / "examples").glob("*.mlir"):
        commands = examples.commands(path)
        assert commands, path
        assert all(f"examples/{path.name}" in command for command in commands), path


def test_commands_split_as_in_a_shell(tmp_path):
    file = tmp_path / "a.mlir"
    file.write_text("// Text.\n// $ tc-run a.mlir '--input=1 2' --check\nfunc.func @f()\n")
    assert examples.commands(file) == [["tc-run", "a.mlir", "--input=1 2", "--check"]]
