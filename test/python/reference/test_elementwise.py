"""Every row of the elementwise table against PyTorch, special values included."""

import itertools
import json

import pytest
import torch
from torch.nn import functional

from reference_program import BUILD, tensor_type

TABLE = BUILD / "include/TC/Dialect/TC/IR/elementwise_ops.json"
ROWS = json.loads(TABLE.read_text()) if TABLE.exists() else []

DTYPES = {
    "float": [torch.float64, torch.float32, torch.float16, torch.bfloat16],
    "signed": [torch.int64, torch.int32, torch.int16, torch.int8],
    "unsigned": [torch.uint8],
    "bool": [torch.bool],
}
SPECIAL = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.0, -1.0, 0.5, -0.5, 1e-30, 3e38]

# Ops that are no single overload without further arguments.
FUNCTIONS = {
    "tc.add": torch.add,
    "tc.sub": torch.sub,
    "tc.div": torch.div,
    "tc.floor_div": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "tc.trunc_div": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "tc.gelu": functional.gelu,
    "tc.gelu_grad": torch.ops.aten.gelu_backward,
    "tc.gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
}
# Functions that PyTorch or the C library evaluate with larger errors.
LOOSE = {"tc.lgamma": 2e-5, "tc.erfinv": 2e-5, "tc.tan": 2e-5, "tc.pow": 1e-5}


def find_function(row):
    if row["name"] in FUNCTIONS:
        return FUNCTIONS[row["name"]]
    for overload in row["aten"]:
        _, name, variant = overload.split(".")
        if variant in ("default", "Tensor", "Tensor_Tensor"):
            return getattr(getattr(torch.ops.aten, name), variant)
    return None


def sample_floats(row, dtype):
    low, high = row["sample"]
    special = list(itertools.product(SPECIAL, repeat=row["operands"]))
    operands = []
    for position in range(row["operands"]):
        inside = torch.rand(200, dtype=torch.float64) * (high - low) + low
        outside = torch.tensor([values[position] for values in special], dtype=torch.float64)
        operands.append(torch.cat([inside, outside]).to(dtype))
    return operands


def sample_integers(row, dtype):
    bounds = torch.iinfo(dtype)
    operands = [torch.randint(max(bounds.min, -1000), min(bounds.max, 1000), (300,)).to(dtype)
                for _ in range(row["operands"])]
    operands[0][:4] = torch.tensor([bounds.min, bounds.max, 0, 1]).to(dtype)
    if row["name"] in ("tc.floor_div", "tc.trunc_div", "tc.remainder", "tc.fmod"):
        operands[1][operands[1] == 0] = 1  # PyTorch raises
        operands[1][0] = 3  # and overflows for the smallest number over -1
    if row["name"].startswith("tc.shift"):
        operands[1] = torch.randint(0, bounds.bits - 1, (300,)).to(dtype)
    if row["name"] == "tc.pow":
        operands[1] = torch.randint(0, 7, (300,)).to(dtype)
    return operands


def check_row(program, row, kind, dtype):
    function = find_function(row)
    if kind == "float":
        operands = sample_floats(row, dtype)
        # In f64, then rounded: PyTorch's f32 loops are wrong for some infinities.
        expected = function(*[operand.double() for operand in operands])
        expected = expected if row["predicate"] else expected.to(dtype)
    else:
        operands = [torch.randint(0, 2, (64,), dtype=dtype) for _ in range(row["operands"])] \
            if kind == "bool" else sample_integers(row, dtype)
        expected = function(*operands)
    names = ", ".join(f"{{{position}}}" for position in range(row["operands"]))
    loose = LOOSE.get(row["name"]) if dtype == torch.float32 else None
    program.check(f"{row['name']} {names} : {tensor_type(operands[0])}", operands, expected, loose)


@pytest.mark.parametrize("kind", DTYPES)
def test_rows_agree_with_pytorch(program, kind):
    for row in ROWS:
        if kind in row["kinds"] and find_function(row):
            for dtype in DTYPES[kind]:
                check_row(program, row, kind, dtype)
    program.run()


def test_select(program):
    condition = torch.tensor([True, False, True])
    x, y = torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([float("nan"), 5.0, 6.0])
    program.check("tc.select {0}, {1}, {2} : tensor<3xi1>, tensor<3xf32>", [condition, x, y],
                  torch.where(condition, x, y))
    program.run()


def test_casts(program):
    dtypes = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8,
              torch.uint8, torch.bool]
    for source, target in itertools.product(dtypes, repeat=2):
        x = (torch.randn(50) * 40).to(source)
        expected = x.to(target)
        program.check(f"tc.cast {{0}} : {tensor_type(x)} to {tensor_type(expected)}", [x], expected, 0)
    program.run()
