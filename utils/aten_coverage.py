#!/usr/bin/env python3
"""Writes docs/coverage.md: which ATen overloads convert-aten-to-tc converts.

The conversions are read from lib/Conversion/AtenToTC/*.cpp (the overloads that
each theme adds to the table) and from the `aten` fields of the elementwise
table; utils/core_aten.txt lists the core opset. With --check the page is
compared instead, and a difference is an error.

    utils/aten_coverage.py [--check]
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"


def themes():
    """Theme -> overloads, from the calls of AtenTable::add."""
    found = {}
    for path in sorted((ROOT / "lib/Conversion/AtenToTC").glob("*.cpp")):
        overloads = set()
        for lists in re.findall(r"table\.add\(\s*\{(.*?)\}", path.read_text(), re.S):
            overloads |= set(re.findall(r'"([\w.]+)"', lists))
        if overloads:
            found[path.stem] = overloads
    return found


def rows():
    """Overloads that are one op of the elementwise table."""
    text = (ROOT / "include/TC/Dialect/TC/IR/ElementwiseOps.td").read_text()
    overloads = set(re.findall(r'"aten\.([\w.]+)"', text))
    # Two classes derive the overloads from a name.
    for name in re.findall(r"TC_(?:Emitted|Direct|Float)Function<\"(\w+)\"", text):
        overloads.add(f"{name}.default")
    for name in re.findall(r"TC_FloatPredicate<\"(\w+)\"", text):
        overloads.add(f"{name}.default")
    for name in re.findall(r"TC_Compare<(?:\"[^\"]*\", ){6}\"(\w+)\"", text):
        overloads |= {f"{name}.Tensor", f"{name}.Scalar"}
    # The table has functions that are no overload of their own.
    schemas = (ROOT / "lib/Frontend/PT2/AtenSchemas.inc").read_text()
    return overloads & set(re.findall(r'SCHEMA\("([\w.]+)\(', schemas))


# Calls about sizes become expressions on the way in.
IMPORTED = {"sym_size.int", "sym_numel.default", "sym_stride.int", "sym_storage_offset.default"}


def page():
    found = themes()
    found["Sizes, in the importer"] = IMPORTED
    found["Elementwise table"] = rows() - set().union(*found.values())
    converted = set().union(*found.values())
    lines = (ROOT / "utils/core_aten.txt").read_text().splitlines()
    core = [line for line in lines if line and not line.startswith("#")]
    missing = [overload for overload in core if overload not in converted]
    yield "# Which ATen overloads are converted"
    yield ""
    yield "Written by `utils/aten_coverage.py`; do not edit."
    yield ""
    yield f"`convert-aten-to-tc` converts {len(converted)} overloads, among them {len(core) - len(missing)} of the {len(core)} of PyTorch's core opset."
    yield "An overload that is not here is refused by name, with the line of the model that calls it."
    yield ""
    yield "## Of the core opset, not converted"
    yield ""
    yield ", ".join(f"`{overload}`" for overload in missing)
    for theme, overloads in sorted(found.items()):
        yield ""
        yield f"## {theme}"
        yield ""
        yield ", ".join(f"`{overload}`" for overload in sorted(overloads))


def main():
    text = "\n".join(page()) + "\n"
    if "--check" not in sys.argv:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print("docs/coverage.md is out of date; run utils/aten_coverage.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
