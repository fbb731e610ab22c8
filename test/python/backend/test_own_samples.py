"""The entries of PyTorch's table of operators whose samples are left out agree with eager PyTorch on inputs of our own.

Without TC_TEST_FULL=1 a few samples of f32, and one of gradients or of another element type; `opinfo.py --own` runs all.
"""

import argparse
import logging
import os
import warnings

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import opinfo_worker  # noqa: E402
from opinfo_table import COMPILED  # noqa: E402

FULL = os.environ.get("TC_TEST_FULL") == "1"  # as ./dev test --full says
ENTRIES = opinfo_worker.entries(own=True)
AGREES = (*COMPILED, "refused by PyTorch")
# Calls of PyTorch's, all or some.
FALLS_BACK = {
    "histogram": "aten.histogram",
    "multinomial": "aten.multinomial",
    "linalg.svd": "all singular vectors of matrices that are not square",
    "nn.functional.linear_cross_entropy/chunked": "chunked",
    "nn.functional.linear_cross_entropy/chunked_none": "chunked",
    "special.laguerre_polynomial_l": "laguerre",
    "special.shifted_chebyshev_polynomial_w": "chebyshev",
    "view_copy": "aten.view.dtype",
}
# Their sizes or values are those of elements, which one graph alone does not have.
NOT_CAPTURED = ("argwhere", "equal", "item", "linalg.lstsq", "linalg.lstsq/grad_oriented", "nonzero")


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        yield
        logging.disable(logging.NOTSET)


def outcomes(name, row, samples, capture="aot"):
    options = argparse.Namespace(samples=samples, capture=capture, device="cpu")
    return opinfo_worker.outcomes(ENTRIES[name], row, 0, options)


def expected_of(name):
    return (*AGREES, *(["falls back"] if name in FALLS_BACK else []), *(["not captured"] if name in NOT_CAPTURED else []))


def check(name, row, samples, capture="aot"):
    found = list(outcomes(name, row, samples, capture))
    bad = [f"{row} sample {index}: {outcome}: {text}" for index, outcome, text in found if outcome not in expected_of(name)]
    assert not bad, "\n".join(bad)
    assert name in NOT_CAPTURED or any(outcome in (*COMPILED, "falls back") for _, outcome, _ in found)
    reasons = [text for _, outcome, text in found if outcome == "falls back"]
    assert all(FALLS_BACK[name] in text for text in reasons)


def rows_of(name):
    rows = [row for row in opinfo_worker.rows_of(ENTRIES[name], "cpu") if row != "errors"]
    if FULL:
        return [(row, 0) for row in rows]
    first = next(row for row in ("f32", "c64", "i64") if row in rows)
    return [(first, 2), ("grad-f32" if "grad-f32" in rows else "i64" if "i64" in rows else first, 1)]


def test_every_entry_that_is_left_out_has_samples():
    names = {opinfo_worker.name_of(op) for op in opinfo_worker.op_db if not opinfo_worker.is_used(op)}
    assert names == ENTRIES.keys() | {"jiterator_binary"}  # whose function is one for a GPU


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_entry_agrees_with_eager(name):
    for row, samples in rows_of(name):
        check(name, row, samples)


@pytest.mark.parametrize("name", ["add", "baddbmm", "gather", "linalg.norm", "logcumsumexp", "nn.functional.grid_sample",
                                  "scatter_reduce/mean", "sum"])
def test_entry_agrees_with_eager_through_dynamo(name):
    check(name, "f32", 3, "dynamo")


def test_calls_that_are_said_to_fall_back_do():
    for name, reason in FALLS_BACK.items():
        assert any(outcome == "falls back" and reason in text for _, outcome, text in outcomes(name, "f32", 0)), name
