#!/usr/bin/env python3
"""Runs the examples in README.md and docs/*.md.

usage: check_examples.py BIN [FILE.md...]

A ```console block has commands after `$ `, each followed by what it prints;
those of tc-opt and tc-run are run in the repository's root with BIN on PATH.
A line `...` stands for any lines, `...` in a line for any text. A ```mlir block must parse.
"""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^([ \t]*)```(\w+)[^\n]*\n(.*?)^[ \t]*```", re.M | re.S)


def blocks(text):
    """(language, first line, content) of each fenced block with a language."""
    for match in FENCE.finditer(text):
        content = re.sub(rf"^{match[1]}", "", match[3], flags=re.M)
        yield match[2], text.count("\n", 0, match.start()) + 2, content


def commands(content):
    """(line offset, command, expected output) of each `$ ` in a console block."""
    lines = content.splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        command, first = lines[start][2:], start + 1
        while command.endswith("\\") and first < end:
            command, first = command[:-1] + lines[first], first + 1
        yield start, command, lines[first:end]


def matches(expected, actual):
    """Whether the lines agree, `...` standing for any lines, or any text of one."""
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else
                      ".*".join(map(re.escape, line.rstrip().split("..."))) + r"\n"
                      for line in expected)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


def check_command(command, expected, environment):
    if not re.match(r"(?:tc-opt|tc-run)\b", command):
        return None
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    actual = result.stdout.strip("\n").splitlines()
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    if matches(expected, actual):
        return None
    return f"`{command}` prints something else:\n" + "\n".join(
        difflib.unified_diff(expected, actual, "the page", "now", lineterm=""))


def check_ir(ir, environment):
    result = subprocess.run(["tc-opt", "-", "-o", os.devnull], input=ir, env=environment,
                            capture_output=True, text=True)
    return None if result.returncode == 0 else f"the IR does not parse:\n{result.stderr}"


def check_page(text, environment):
    """Yields (line, complaint)."""
    for language, line, content in blocks(text):
        if language == "mlir":
            yield line, check_ir(content, environment)
        elif language == "console":
            for offset, command, expected in commands(content):
                yield line + offset, check_command(command, expected, environment)


def main(arguments):
    binaries, pages = arguments[0], [Path(page) for page in arguments[1:]]
    if not pages:
        pages = [path for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
                 if "generated" not in path.parts]
    environment = {**os.environ, "PATH": binaries + os.pathsep + os.environ["PATH"]}
    results = [(page, line, complaint) for page in pages
               for line, complaint in check_page(page.read_text(), environment)]
    failed = [result for result in results if result[2]]
    for page, line, complaint in failed:
        print(f"{os.path.relpath(page.resolve(), ROOT)}:{line}: {complaint}\n")
    print(f"{len(results)} examples in {len(pages)} pages, {len(failed)} not true")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
