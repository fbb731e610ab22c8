#!/usr/bin/env python3
"""Writes docs/generated: the pages that ODS, tc-opt and the sources know best.

usage: generate.py [--check]

With --check nothing is written; each page that would change is named, and the
status is 1 when there is one. A page that needs tc-opt is left alone while
there is no build.
"""

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "lint")]

import pages  # noqa: E402
from tree import Tree  # noqa: E402

FOLDER = "docs/generated"


def make_pages(tree):
    """The text of each page by its path below docs/generated; None where it
    cannot be made now."""
    made = {}
    made.update(pages.op_pages(tree))
    made["dialect.md"] = pages.dialect_page(tree)
    made["coverage.md"] = pages.coverage_page(tree)
    made["passes.md"] = pages.pass_page(tree)
    made["patterns.md"] = pages.pattern_page(tree)
    made["phases.md"] = pages.phase_page(tree)
    made["gpu.md"] = pages.gpu_page(tree)
    made["README.md"] = pages.index_page(made)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name stale pages")
    options = parser.parse_args()
    tree = Tree(HERE.parents[1])
    folder = tree.root / FOLDER
    made = make_pages(tree)
    stale = []
    for name, text in made.items():
        path = folder / name
        if text is None or (path.exists() and path.read_text() == text):
            continue
        stale.append(name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for path in sorted(folder.rglob("*.md")):
        name = str(path.relative_to(folder))
        if name not in made:
            stale.append(name)
            if not options.check:
                path.unlink()
    for name in stale:
        print(f"{'out of date' if options.check else 'wrote'}: {FOLDER}/{name}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
