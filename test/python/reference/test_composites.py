"""Softmax, norms, attention, pools and resampling against PyTorch."""

import math

import pytest
import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from reference_program import random, tensor_type

FLOATS = [torch.float64, torch.float32, torch.bfloat16]


def loose(dtype):
    """PyTorch rounds more often in bf16 than the interpreter."""
    return 3e-2 if dtype == torch.bfloat16 else None


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax(program, dtype):
    x = random(3, 4, 5, dtype=dtype)
    for dim in range(3):
        program.check(f"tc.softmax {{0}} dim {dim} : {tensor_type(x)}", [x], x.softmax(dim), loose(dtype))
        program.check(f"tc.log_softmax {{0}} dim {dim} : {tensor_type(x)}", [x], x.log_softmax(dim), loose(dtype))
    program.run()


@pytest.mark.parametrize("dtype", FLOATS)
def test_norms(program, dtype):
    x, weight, bias = random(2, 6, 4, dtype=dtype), random(6, 4, dtype=dtype), random(6, 4, dtype=dtype)
    program.check(f"tc.layer_norm {{0}} weight {{1}} : {tensor_type(weight)} bias {{2}} : {tensor_type(bias)} rank 2 "
                  f"eps 1.0e-5 : {tensor_type(x)}", [x, weight, bias],
                  functional.layer_norm(x, [6, 4], weight, bias, 1e-5), loose(dtype))
    program.check(f"tc.rms_norm {{0}} weight {{1}} : {tensor_type(weight)} rank 2 eps 1.0e-5 : {tensor_type(x)}",
                  [x, weight], functional.rms_norm(x, [6, 4], weight, 1e-5), loose(dtype))
    weight, bias, mean = random(6, dtype=dtype), random(6, dtype=dtype), random(6, dtype=dtype)
    variance = random(6, dtype=dtype).abs() + 0.5
    channels = f"weight {{1}} : {tensor_type(weight)} bias {{2}} : {tensor_type(bias)}"
    program.check(f"tc.group_norm {{0}} {channels} groups 3 eps 1.0e-5 : {tensor_type(x)}", [x, weight, bias],
                  functional.group_norm(x, 3, weight, bias, 1e-5), loose(dtype))
    program.check(f"tc.batch_norm {{0}} mean {{3}} variance {{4}} {channels} eps 1.0e-5 : {tensor_type(x)}, "
                  f"{tensor_type(mean)}, {tensor_type(variance)}", [x, weight, bias, mean, variance],
                  functional.batch_norm(x, mean, variance, weight, bias, False, 0, 1e-5), loose(dtype))
    program.run()


@pytest.mark.parametrize("dtype", FLOATS)
def test_attention(program, dtype):
    q, k, v = random(2, 4, 5, 8, dtype=dtype), random(2, 4, 7, 8, dtype=dtype), random(2, 4, 7, 6, dtype=dtype)
    tolerance = loose(dtype) or 5e-6
    kept = torch.rand(5, 7) > 0.4
    kept[2] = False
    added = random(2, 1, 5, 7, dtype=dtype)
    added[0, 0, 1] = -math.inf
    scale = 8 ** -0.5

    def check(options, mask, keys, values, **arguments):
        with sdpa_kernel(SDPBackend.MATH):
            expected = functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask, **arguments)
        operands = [q, keys, values] + ([] if mask is None else [mask])
        with_mask = "" if mask is None else f"mask {{3}} : {tensor_type(mask)} "
        program.check(f"tc.attention {{0}}, {{1}}, {{2}} {with_mask}scale {scale!r} {options} : {tensor_type(q)}, "
                      f"{tensor_type(keys)}, {tensor_type(values)} -> {tensor_type(expected)}", operands, expected,
                      tolerance)

    check("", None, k, v)
    check("{{causal}}", None, k, v, is_causal=True)
    check("", kept, k, v)
    check("", added, k, v)
    check("", None, k[:, :2].contiguous(), v[:, :2].contiguous(), enable_gqa=True)
    program.run()


# (kernel, stride, padding, dilation, ceil mode)
WINDOWS = [(2, 2, 0, 1, False), (3, 2, 1, 1, False), (3, 2, 1, 1, True), (2, 1, 1, 2, False), (3, 3, 1, 2, True)]


def check_max_pool(program, x, kernel, stride, padding, dilation, ceil):
    spatial = x.dim() - 2
    pool = getattr(functional, f"max_pool{spatial}d")
    values, indices = pool(x, kernel, stride, padding, dilation, ceil, return_indices=True)
    program.check(f"tc.max_pool {{0}} kernel {[kernel] * spatial} stride {[stride] * spatial} padding "
                  f"{[padding] * spatial} dilation {[dilation] * spatial} {'{{ceil_mode}}' if ceil else ''} : "
                  f"{tensor_type(x)} -> {tensor_type(values)}, {tensor_type(indices)}", [x], [values, indices])


def check_avg_pool(program, x, kernel, stride, padding, ceil, count_padding):
    spatial = x.dim() - 2
    expected = getattr(functional, f"avg_pool{spatial}d")(x, kernel, stride, padding, ceil, count_padding)
    attributes = ["ceil_mode"] * ceil + ["exclude_padding"] * (not count_padding)
    program.check(f"tc.avg_pool {{0}} kernel {[kernel] * spatial} stride {[stride] * spatial} padding "
                  f"{[padding] * spatial} {{{{{', '.join(attributes)}}}}} : {tensor_type(x)} -> {tensor_type(expected)}",
                  [x], expected)


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_pools(program, spatial):
    x = random(2, 3, *[9, 8, 7][:spatial])
    for kernel, stride, padding, dilation, ceil in WINDOWS:
        check_max_pool(program, x, kernel, stride, padding, dilation, ceil)
        if dilation == 1:
            for count_padding in (False, True):
                check_avg_pool(program, x, kernel, stride, padding, ceil, count_padding)
    expected = getattr(functional, f"adaptive_avg_pool{spatial}d")(x, [4, 3, 5][:spatial])
    program.check(f"tc.adaptive_avg_pool {{0}} : {tensor_type(x)} -> {tensor_type(expected)}", [x], expected)
    program.run()


def with_extremes(*sizes):
    """A third NaN, a third -inf, so that windows hold several of each."""
    x = random(*sizes)
    kind = torch.randint(3, x.shape)
    return x.masked_fill(kind == 1, float("nan")).masked_fill(kind == 2, float("-inf"))


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_pools_of_nan(program, spatial):
    """The index of the last NaN of a window, and of the first -inf."""
    x = with_extremes(2, 3, *[9, 8, 7][:spatial])
    for kernel, stride, padding, dilation, ceil in WINDOWS:
        check_max_pool(program, x, kernel, stride, padding, dilation, ceil)
        check_max_pool(program, torch.full_like(x, float("nan")), kernel, stride, padding, dilation, ceil)
    program.run()


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_resampling(program, spatial):
    x = random(2, 3, *[9, 8, 7][:spatial])
    for sizes in ([13, 5, 9], [9, 16, 3]):
        expected = functional.interpolate(x, size=sizes[:spatial], mode="nearest")
        program.check(f"tc.resample nearest {{0}} : {tensor_type(x)} -> {tensor_type(expected)}", [x], expected)
        for align in (False, True):
            expected = functional.interpolate(x, size=sizes[:spatial], mode=["linear", "bilinear", "trilinear"][spatial - 1],
                                              align_corners=align)
            program.check(f"tc.resample linear {{0}} {'{{align_corners}}' if align else ''} : {tensor_type(x)} -> "
                          f"{tensor_type(expected)}", [x], expected)
    program.run()
