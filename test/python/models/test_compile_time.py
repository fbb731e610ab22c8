"""Modules of 100,000 ops are compiled."""

import subprocess

import pytest

from exported_model import BUILD

pytestmark = pytest.mark.skipif(not (BUILD / "bin/tc-run").exists(), reason="tc-run is not built")

MATRIX, ROWS = "tensor<64x32xf32>", "tensor<64xf32>"


def elementwise(x):
    yield f"tc.add {x}, %b : {MATRIX}"
    yield f"tc.tanh %last : {MATRIX}"
    yield f"tc.mul %last, {x} : {MATRIX}"
    yield f"tc.neg %last : {MATRIX}"


def reductions(x):
    yield f"tc.tanh {x} : {MATRIX}"
    yield f"tc.reduce sum %last dims [1] : {MATRIX} -> {ROWS}"
    yield f"tc.broadcast %last dims [0] : {ROWS} -> {MATRIX}"
    yield f"tc.add %last, %b : {MATRIX}"
    yield f"tc.mul %last, {x} : {MATRIX}"


def module(ops, layer):
    lines, x, count = [], "%x", 0
    while count < ops:
        last = x
        for text in layer(x):
            count += 1
            lines.append(f"  %v{count} = {text.replace('%last', last)}")
            last = f"%v{count}"
        x = last
    body = "\n".join(lines)
    return f"func.func @main(%x: {MATRIX}, %b: {MATRIX}) -> {MATRIX} {{\n{body}\n  return {x} : {MATRIX}\n}}\n"


@pytest.mark.parametrize("layer", [elementwise, reductions], ids=lambda layer: layer.__name__)
def test_long_modules(full, tmp_path, layer):
    """A pass whose time grows with the square of the ops takes hours for these."""
    path = tmp_path / "long.mlir"
    path.write_text(module(100000, layer))
    subprocess.run([BUILD / "bin/tc-run", path, "--compile-to=generate", "--target=cpu:x86-64-v3"],
                   stdout=subprocess.DEVNULL, check=True, timeout=1200)
