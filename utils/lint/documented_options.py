"""Options, passes and tools that Markdown pages name exist.

In `code`, `tc-opt --x` has to be an option of tc-opt, a bare `--x` one of
tc-opt, tc-run, tc-compile, tc-cache, tc-fuzz or ./dev, and `tc-x` a tool, pass or pipeline. Without a build
nothing is checked."""

import re
import subprocess
import sys

from tree import Finding

CODE = re.compile(r"`([^`\s][^`\n]*)`")


def check(tree):
    known = {"tc-opt": options(tree, [tree.build / "bin/tc-opt", "--help-hidden"])}
    if not known["tc-opt"]:
        return
    known["tc-run"] = options(tree, [tree.build / "bin/tc-run", "--help-hidden"])
    known["tc-compile"] = options(tree, [tree.build / "bin/tc-compile", "--help-hidden"])
    known["tc-cache"] = options(tree, [tree.build / "bin/tc-cache", "--help-hidden"])
    known["tc-fuzz"] = options(tree, [tree.build / "bin/tc-fuzz", "--help-hidden"])
    known["./dev"] = dev_options(tree)
    for path in tree.files(".md"):
        if path.startswith("docs/generated/"):
            continue
        for number, line in tree.lines(path):
            for code in CODE.findall(line):
                for message in complaints(code, known):
                    yield Finding(path, number, message)


def complaints(code, known):
    words = code.split()
    tool = words[0] if words[0] in known else None
    allowed = known[tool] if tool else set().union(*known.values())
    if tool or code.startswith("--"):
        for option in re.findall(r"(?<![\w-])--([a-z][\w-]*)", code):
            if option not in allowed:
                yield f"{tool} has no option --{option}" if tool else f"no tool has an option --{option}"
    elif re.fullmatch(r"tc-[a-z-]+", code):
        flag = code.removeprefix("tc-")
        tools = ("opt", "run", "compile", "cache", "lsp-server", "fuzz")
        if code not in allowed and flag not in tools:
            yield f"there is no tool, pass or pipeline {code}"


def options(tree, command):
    """The options that a tool's help lists; none when it is not built."""
    if not command[0].exists():
        return set()
    result = subprocess.run(command, capture_output=True, text=True)
    return set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", result.stdout))


def dev_options(tree):
    """The options of ./dev's commands."""
    found = set()
    for command in ("setup", "build", "test", "lint", "docs"):
        if tree.exists("dev"):
            text = subprocess.run([sys.executable, tree.root / "dev", command, "--help"],
                                  capture_output=True, text=True).stdout
            found |= set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", text))
    # `./dev bench` hands its options to scripts that run only where torch is.
    for script in sorted((tree.root / "benchmarks").glob("*.py")):
        found |= set(re.findall(r'add_argument\("--([a-z][\w-]*)"', script.read_text()))
    return found
