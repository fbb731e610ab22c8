#!/usr/bin/env python3
"""Runs the bundled examples by the commands in their comments.

usage: examples.py BIN

A line `// $ tc-run examples/relu.mlir ...` in examples/*.mlir is a command: it
runs in the repository's root with the tools of the folder BIN, and has to
succeed.
"""

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def commands(path):
    """The commands in a file's comments, as lists of words."""
    return [shlex.split(line.removeprefix("// $ ")) for line in path.read_text().splitlines()
            if line.startswith("// $ ")]


def run_all(binaries):
    """Runs every command of every example; returns (commands, those that failed)."""
    count, failed = 0, []
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        for command in commands(path):
            text = shlex.join(command)
            print(f"\n$ {text}", flush=True)
            tool = Path(binaries) / command[0]
            status = subprocess.run([tool, *command[1:]], cwd=ROOT, stdin=subprocess.DEVNULL).returncode
            count += 1
            if status != 0:
                print(f"exit status {status}", flush=True)
                failed.append(text)
    return count, failed


if __name__ == "__main__":
    total, wrong = run_all(sys.argv[1])
    print(f"\n{total} commands, {len(wrong)} failed")
    sys.exit(1 if wrong or not total else 0)
