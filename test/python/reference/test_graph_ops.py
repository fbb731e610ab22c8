"""Reductions, contractions, shapes and indexing against PyTorch."""

import pytest
import torch
from torch.nn import functional

from reference_program import random, tensor_type

FLOATS = [torch.float64, torch.float32, torch.bfloat16]


def loose(dtype):
    """PyTorch rounds partial sums of bf16 tensors, the interpreter does not."""
    return 3e-2 if dtype == torch.bfloat16 else None


def test_reductions(program):
    for dtype in [*FLOATS, torch.int32]:
        x = (random(3, 4, 5) * 10).to(dtype)
        for dims in ([0], [1, 2], [0, 1, 2]):
            for kind, expected in (("sum", x.sum(dims).to(dtype)), ("max", x.amax(dims)), ("min", x.amin(dims))):
                program.check(f"tc.reduce {kind} {{0}} dims {dims} : {tensor_type(x)} -> {tensor_type(expected)}",
                              [x], expected, loose(dtype))
    program.run()


def test_reductions_along_one_dimension(program):
    for dtype in FLOATS:
        x = random(3, 4, 5, dtype=dtype)
        for dim in range(3):
            for kind in ("argmax", "argmin"):
                expected = getattr(x, kind)(dim)
                program.check(f"tc.arg_reduce {kind} {{0}} dim {dim} : {tensor_type(x)} -> {tensor_type(expected)}",
                              [x], expected)
            for kind, expected in (("sum", x.cumsum(dim)), ("prod", x.cumprod(dim)), ("max", x.cummax(dim).values)):
                program.check(f"tc.scan {kind} {{0}} dim {dim} : {tensor_type(x)}", [x], expected, loose(dtype))
        expected = x.var([1, 2], correction=1)
        program.check(f"tc.variance {{0}} dims [1, 2] correction 1.0 : {tensor_type(x)} -> {tensor_type(expected)}",
                      [x], expected, loose(dtype))
    program.run()


def test_sorting(program):
    for dtype in FLOATS:
        x = (random(3, 4, 5, dtype=dtype) * 2).round()
        for dim in range(3):
            for descending in (False, True):
                values, indices = x.sort(dim=dim, stable=True, descending=descending)
                program.check(f"tc.sort {{0}} dim {dim} {'{{descending}}' if descending else ''} : {tensor_type(x)} "
                              f"-> {tensor_type(values)}, {tensor_type(indices)}", [x], [values, indices])
        distinct = torch.randperm(60).reshape(3, 4, 5).to(dtype)
        values, indices = distinct.topk(2, 1)
        program.check(f"tc.topk {{0}} dim 1 k 2 : {tensor_type(x)} -> {tensor_type(values)}, {tensor_type(indices)}",
                      [distinct], [values, indices])
    program.run()


CONTRACTIONS = [
    ("mk,kn->mn", (7, 9), (9, 5)), ("bmk,bnk->bmn", (2, 3, 4), (2, 5, 4)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)), ("abc,cbd->ad", (2, 3, 4), (4, 3, 5)),
    ("i,j->ij", (3,), (4,)), ("i,i->", (5,), (5,)),
]


def test_contractions(program):
    for dtype in [*FLOATS, torch.float16]:
        for spec, left, right in CONTRACTIONS:
            x, y = random(*left, dtype=dtype), random(*right, dtype=dtype)
            expected = torch.einsum(spec, x.double(), y.double()).to(dtype)
            program.check(f'tc.contract "{spec}" {{0}}, {{1}} : {tensor_type(x)}, {tensor_type(y)} -> '
                          f"{tensor_type(expected)}", [x, y], expected)
    program.run()


# (groups, stride, padding, dilation)
CONVOLUTIONS = [(1, 1, 0, 1), (1, 2, 1, 1), (2, 2, 2, 2), (1, 3, 1, 2), (4, 1, 1, 1)]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_convolutions(program, spatial, transposed):
    kernel = [3, 2, 3][:spatial]
    for groups, stride, padding, dilation in CONVOLUTIONS:
        x = random(2, 4, *[9, 8, 7][:spatial], dtype=torch.float64)
        weight = random(*([4, 8 // groups] if transposed else [8, 4 // groups]), *kernel, dtype=torch.float64)
        lists = [[value] * spatial for value in (stride, padding, dilation)]
        extra = [min(stride, dilation + 1) - 1 if transposed else 0] * spatial
        expected = torch.ops.aten.convolution(x, weight, None, *lists, transposed, extra, groups)
        attributes = f"groups = {groups} : i64"
        if transposed:
            attributes += f", transposed, output_padding = array<i64: {', '.join(map(str, extra))}>"
        program.check("tc.convolution {0}, {1} " + f"stride {lists[0]} padding {lists[1]} dilation {lists[2]} "
                      f"{{{{{attributes}}}}} : {tensor_type(x)}, {tensor_type(weight)} -> {tensor_type(expected)}",
                      [x, weight], expected)
    program.run()


def test_indexing(program):
    x = random(5, 6, 4)
    first, second = torch.randint(0, 5, (3, 2)), torch.randint(-4, 4, (3, 2))
    picked = x[first]
    program.check(f"tc.index_tensors {{0}}[{{1}}] dims [0] : {tensor_type(x)}, {tensor_type(first)} -> "
                  f"{tensor_type(picked)}", [x, first], picked)
    picked = x[:, first, second]
    program.check(f"tc.index_tensors {{0}}[{{1}}, {{2}}] dims [1, 2] : {tensor_type(x)}, {tensor_type(first)}, "
                  f"{tensor_type(second)} -> {tensor_type(picked)}", [x, first, second], picked)
    put = torch.ops.aten.index_put(x, [None, first, second], picked, True)
    program.check(f"tc.index_put sum {{0}}[{{1}}, {{2}}] = {{3}} dims [1, 2] : {tensor_type(x)}, "
                  f"{tensor_type(picked)}, {tensor_type(first)}, {tensor_type(second)}", [x, first, second, picked], put)
    for dim in range(3):
        index, updates = torch.randint(0, x.shape[dim], (4, 3, 2)), random(4, 3, 2)
        gathered = x.gather(dim, index)
        program.check(f"tc.gather {{0}}[{{1}}] dim {dim} : {tensor_type(x)}, {tensor_type(index)} -> "
                      f"{tensor_type(gathered)}", [x, index], gathered)
        for kind, reduce in (("sum", "sum"), ("prod", "prod"), ("max", "amax"), ("min", "amin")):
            program.check(f"tc.scatter {kind} {{0}}[{{1}}] = {{2}} dim {dim} : {tensor_type(x)}, {tensor_type(index)}, "
                          f"{tensor_type(updates)}", [x, index, updates], x.scatter_reduce(dim, index, updates, reduce))
    program.run()


def test_pads(program):
    x = random(5, 6, 4)
    for mode in ("constant", "reflect", "replicate", "circular"):
        expected = functional.pad(x, (2, 1, 3, 2), mode=mode)
        value = "value 0.0 : f32" if mode == "constant" else ""
        program.check(f"tc.pad {mode} {{0}} low [0, 3, 2] high [0, 2, 1] {value} : {tensor_type(x)} -> "
                      f"{tensor_type(expected)}", [x], expected)
    program.run()
