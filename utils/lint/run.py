#!/usr/bin/env python3
"""Runs the lints and prints `file:line: message` for each finding.

usage: run.py [--tidy] [--json FILE] [NAME...]

Every module next to this one that has a function check(tree) is a lint; its doc
string says what it asks for. Without names all run, except those with
ON_DEMAND set. The status is 1 when anything was found. No lint has a list of
exceptions.
"""

import argparse
import importlib
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from tree import Tree  # noqa: E402


def load_lints():
    """The lint modules by name."""
    names = sorted(path.stem for path in HERE.glob("*.py"))
    modules = {name: importlib.import_module(name) for name in names if name != "run"}
    return {name: module for name, module in modules.items() if hasattr(module, "check")}


def run_lint(lint, tree):
    """A lint that breaks has found something: itself."""
    try:
        return sorted(lint.check(tree), key=lambda finding: (finding.path, finding.line))
    except Exception as error:
        return [f"{Path(lint.__file__).name} failed: {type(error).__name__}: {error}"]


def main():
    lints = load_lints()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(lints)}")
    parser.add_argument("--tidy", action="store_true", help="run clang_tidy as well (slow)")
    parser.add_argument("--json", type=Path, help="write the findings of each lint here")
    options = parser.parse_args()
    unknown = set(options.names) - set(lints)
    if unknown:
        parser.error(f"unknown lints: {', '.join(sorted(unknown))}")
    names = options.names or [name for name, lint in lints.items()
                              if not getattr(lint, "ON_DEMAND", False)]
    if options.tidy and "clang_tidy" not in names:
        names.append("clang_tidy")

    tree = Tree(HERE.parents[1])
    results = {}
    for name in names:
        start = time.monotonic()
        results[name] = [str(finding) for finding in run_lint(lints[name], tree)]
        for finding in results[name]:
            print(finding)
        print(f"lint {name}: {len(results[name])} findings, {time.monotonic() - start:.1f} s",
              flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
