"""How many kernels the gradients of common layers are on a CPU."""

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402

import tc  # noqa: E402

pytestmark = pytest.mark.host
ROWS, COLUMNS = 32, 64


def leaf(*sizes):
    return torch.randn(sizes, requires_grad=True)


def classes():
    return torch.randint(0, COLUMNS, (ROWS,))


# A kernel folds either rows or columns: the gradient of x is a fold of each row, those of weight and bias are of columns, both in one.
# The zeros that an embedding's gradient adds to are a kernel. That of a cross entropy counts the rows, as what is divided by
# is no longer there, has the positions of a row to look classes up in, and then is one pass over the scores.
EXPECTED = [
    ("layer_norm", lambda x, w, b: F.layer_norm(x, (COLUMNS,), w, b), lambda: (leaf(ROWS, COLUMNS), leaf(COLUMNS), leaf(COLUMNS)),
     ["column_reduction", "row_reduction"]),
    ("rms_norm", lambda x, w: F.rms_norm(x, (COLUMNS,), w, 1e-6), lambda: (leaf(ROWS, COLUMNS), leaf(COLUMNS)),
     ["column_reduction", "row_reduction"]),
    ("softmax", lambda x: torch.softmax(x, -1), lambda: (leaf(ROWS, COLUMNS),), ["row_reduction"]),
    ("embedding", lambda w, i: F.embedding(i, w), lambda: (leaf(COLUMNS, 48), classes()), ["pointwise", "scatter"]),
    ("cross_entropy", lambda x, i: F.cross_entropy(x, i), lambda: (leaf(ROWS, COLUMNS), classes()),
     ["pointwise", "pointwise", "row_reduction"]),
]


@pytest.mark.parametrize("function,make,expected", [case[1:] for case in EXPECTED], ids=[case[0] for case in EXPECTED])
def test_kernels_of_gradients(function, make, expected):
    forward, backward = tc.explain(function, *make(), measured_rounds=0).graphs
    assert (forward.kind, backward.kind) == ("forward", "backward")
    program, = backward.programs
    assert sorted(kernel.kernel_class for kernel in program.kernels) == expected
    assert not forward.fallbacks and not backward.fallbacks
