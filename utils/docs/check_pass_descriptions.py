#!/usr/bin/env python3
"""Checks that the IR in pass descriptions is true.

usage: check_pass_descriptions.py TC_OPT [--write] [FLAG...]

For each pass, the block under `#### Before` goes through the pass, the block
under `#### After` through tc-opt alone; both must print the same. Options of
the pass are after the fence's language: ```mlir max-depth=3
With --write a wrong After is replaced by what the pass prints; read it before
you commit it.
"""

import difflib
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent, indent

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "lint")]

from pass_descriptions import sections  # noqa: E402
from registry import passes  # noqa: E402
from tree import Tree  # noqa: E402


def block(text):
    """(options, IR) of the first ```mlir block."""
    match = re.search(r"```mlir[ \t]*([^\n]*)\n(.*?)```", text or "", re.S)
    return (match[1].strip(), match[2]) if match else None


def run(tool, arguments, ir):
    """What tc-opt prints, or its complaint as an exception."""
    result = subprocess.run([tool, *arguments, "-"], input=ir, capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(f"tc-opt {' '.join(arguments)} fails:\n{result.stderr}")
    return result.stdout


def difference(tool, record):
    """None when the description is true, else what is wrong with it."""
    found = sections(record.fields["description"])
    before, after = block(found.get("Before")), block(found.get("After"))
    if not before or not after:
        return "no Before and After blocks"
    flag = "--" + record.fields["argument"]
    try:
        actual = run(tool, [f"{flag}={before[0]}" if before[0] else flag], before[1])
        expected = run(tool, [], after[1])
    except ValueError as error:
        return str(error)
    if actual == expected:
        return None
    return "\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(),
                                          "the description's After", "what the pass makes of Before",
                                          lineterm=""))


def rewritten(text, record, output):
    """The .td text with the record's After block replaced by `output`."""
    pattern = (rf"(\bdef {record.name}\b.*?^([ \t]*)#### After[ \t]*\n\s*?```mlir[^\n]*\n)(.*?)(^[ \t]*```)")
    return re.sub(pattern, lambda match: match[1] + indent(output.strip() + "\n", match[2]) + match[4],
                  text, count=1, flags=re.S | re.M)


def write_after(tree, tool, record):
    """Writes what the pass makes of Before into the definition."""
    options, ir = block(sections(record.fields["description"]).get("Before"))
    flag = "--" + record.fields["argument"]
    output = run(tool, [f"{flag}={options}" if options else flag], ir)
    # A module around everything is the printer's, not the author's.
    whole = re.fullmatch(r"module \{\n(.*)\}\n*", output, re.S)
    if whole and not ir.lstrip().startswith("module"):
        output = dedent(whole[1])
    path = tree.root / record.path
    path.write_text(rewritten(path.read_text(), record, output))


def main(arguments):
    tool, flags = arguments[0], [flag for flag in arguments[1:] if flag != "--write"]
    tree = Tree(HERE.parents[1])
    failed = checked = 0
    for record in passes(tree):
        if flags and record.fields["argument"] not in flags:
            continue
        checked += 1
        wrong = difference(tool, record)
        if wrong:
            failed += 1
            print(f"{record.path}:{record.line}: {record.name}: {wrong}\n")
            if "--write" in arguments and "fails:" not in wrong:
                write_after(tree, tool, record)
    print(f"{checked} pass descriptions, {failed} not true")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
