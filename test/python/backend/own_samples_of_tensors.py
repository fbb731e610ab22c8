"""Calls of functions of sizes and views, of indices, of reductions and scans."""

import torch
from own_samples import OWN, C, Entry, T
from torch.nn import functional

I64, I32, BOOL, F32, F64, BF16 = torch.int64, torch.int32, torch.bool, torch.float32, torch.float64, torch.bfloat16


def index(*sizes, of, **how):
    return T(*sizes, low=0, high=of - 1, dtype=I64, **how)


SHAPES = [T(), T(0), T(1), T(5), T(2, 0, 3), T(3, 4), T(3, 4, view="transposed"), T(2, 3, 4, view="strided"),
          T(3, 4, view="expanded"),
          T(2, 6, view="offset"), T(1, 2, 1, 3)]


def of_shapes(*more, errors=(), function=None, shapes=SHAPES):
    return Entry([*(C(one) for one in shapes), *more], errors, function)


def reduced(*more, errors=(), dims=True, function=None):
    """Over all, one and some dimensions, of sizes 0 and 1 as well."""
    calls = [C(T()), C(T(5)), C(T(2, 3, 4)), C(T(300, low=-1, high=9)), C(T(16, 2, special=True), 1),
             C(T(3, 0, 2), 2)]
    calls += [C(T(3, 4), dim) for dim in (0, 1, -1)] + [C(T(3, 4), 1, keepdim=True), C(T(), 0), C(T(), -1)]
    calls += [C(T(3, 4, view="transposed"), 0), C(T(2, 3, 4, view="strided"), -1), C(T(4, 5, view="expanded"), 0)]
    calls += [C(T(2, 3, 4, 5), dim, keepdim=keep) for dim in ((0, 2), (-1, 1), (0, 1, 2, 3)) for keep in (False,
                        True)] if dims else []
    return Entry([*calls, *more],
                 [C(T(3, 4), 2), C(T(3, 4), -3), *([C(T(3, 4), (0, 0))] if dims else []), *errors], function)


def scattered(reduce=None, more=()):
    """Of scatter_add() and scatter_reduce(): indices with repeats, smaller than the source, of sizes 0."""
    kinds = [dict(include_self=True), dict(include_self=False)] if reduce else [{}]
    name = (reduce,) if reduce else ()
    calls = [C(*args, *name, **how) for how in kinds for args in [
        (T(5), 0, index(9, of=5), T(9)), (T(3, 4), 0, index(2, 4, of=3), T(2, 4)),
        (T(3, 4), -1, index(3, 6, of=4), T(3, 6)),
        (T(3, 4), 1, index(2, 2, of=4), T(3, 4)), (T(3, 4), 0, index(0, 4, of=3), T(0, 4)),
        (T(), 0, index(of=1), T()),
        (T(3, 4, view="transposed"), 0, index(5, 4, of=3, view="transposed"), T(5, 4, view="strided")),
        (T(3, 4, view="expanded"), 1, index(3, 4, of=4, view="expanded"), T(3, 4, view="expanded")),
        (T(2, 3, 2), 1, index(2, 5, 2, of=3), T(2, 5, 2)), (T(4), 0, T(20, fill=[1, 3], dtype=I64),
                        T(20, special=True)),
        (T(4, fill=[2.0]), 0, index(8, of=4), T(8, fill=[0.0, 2.0, 1.0]))]]
    wrong = [C(T(3), 0, T(2, fill=[0, 3], dtype=I64), T(2), *name), C(T(3), 1, index(2, of=3), T(2), *name),
             C(T(3, 4), 0, index(2, 5, of=3), T(2, 5), *name), C(T(3), 0, T(2), T(2), *name),
             C(T(3), 0, index(2, of=3), T(2, dtype=F64), *name)]
    return Entry([*calls, *more], wrong)


ENTRIES = {
    # Sizes and views
    "item": of_shapes(shapes=[T(), T(1), T(1, 1)], function=lambda x: torch.full((2,), x.item()) * 2),
    "equal": Entry([C(T(3), T(3)), C(T(3, fill=[1.0]), T(3, fill=[1.0])), C(T(3), T(4)), C(T(0), T(0)),
        C(T(4, special=True), T(4, special=True))], function=lambda x, y: x * torch.equal(x, y)),
    "broadcast_to": Entry([C(T(), (2, 3)), C(T(3), (3,)), C(T(3), (2, 3)), C(T(2, 1), (4, 2, 5)), C(T(2, 1), (-1, 3)),
        C(T(1), (0,)), C(T(3, 4, view="transposed"), (2, 3, 4)), C(T(3, 1, view="offset"), (3, 5)), C(T(), ())],
        [C(T(3), (4,)), C(T(2, 3), (3,)), C(T(3), (-1, 3))]),
    "broadcast_tensors": Entry([C(T(), T(2, 3)), C(T(3, 1), T(4), T(1, 1, 1)), C(T(3)), C(T(0), T(1)),
        C(T(2, 3), T(3, dtype=I64)), C(T(3, 4, view="transposed"), T(4))], [C(T(3), T(4))]),
    "unsafe_chunk": Entry([C(T(7), 3), C(T(7, 4), 2, 1), C(T(7, 4), 3, dim=-1), C(T(2, 3), 5), C(T(0, 3), 2),
        C(T(6, 4, view="transposed"), 4), C(T(6, 4, view="strided"), 4, -2), C(T(5), 1)], [C(T(), 1), C(T(3), 0),
        C(T(3), 2, 1)]),
    "contiguous": of_shapes(C(T(2, 3, 4, 5), memory_format=torch.channels_last),
        C(T(2, 3, 4, 5, view="transposed"), memory_format=torch.contiguous_format),
        C(T(2, 3, 4, 5, view="channels last")), errors=[C(T(2, 3), memory_format=torch.channels_last)],
        function=lambda x, **how: x.contiguous(**how)),
    "split_with_sizes_copy": Entry([C(T(7), [3, 4]), C(T(7, 4), [1, 3], 1), C(T(7, 4), [1, 0, 3], dim=-1), C(T(0, 4),
        [0]), C(T(3, 4, view="transposed"), [1, 2]), C(T(3, 4, view="expanded"), [3])], [C(T(5), [2, 2]), C(T(5),
        [7, -2]), C(T(), [1])]),
    "slice": Entry([C(T(9)), C(T(9), 0, 2), C(T(9), 0, 2, 7), C(T(9), 0, -3), C(T(9), 0, 1, -1, 3),
        C(T(3, 8), 1, 0, 100, 2), C(T(3, 8), -1, -100, 3), C(T(9), 0, 5, 2), C(T(9), 0, 20), C(T(0), 0, 1),
        C(T(3, 8, view="transposed"), 1, 1, 8, 3), C(T(4, 8, view="strided"), 0, 1, None, 2)], [C(T(), 0, 0, 1),
        C(T(4), 0, 0, 4, 0), C(T(4), 1, 0, 1), C(T(4), 0, 0, 4, -1)]),
    "view": Entry([C(T(2, 6), (3, 4)), C(T(2, 6), (-1,)), C(T(2, 6), (2, -1, 3)), C(T(), (1, 1)), C(T(1), ()),
        C(T(0, 3), (3, 0)), C(T(2, 6, view="offset"), (12,)), C(T(2, 6, view="strided"), (2, 2, 3)),
        C(T(4, 3, view="transposed"), (4, 3, 1)), C(T(4, 3, view="expanded"), (2, 2, 3))], [C(T(2, 6), (5,)),
        C(T(4, 3, view="transposed"), (12,)), C(T(2, 6), (-1, -1)), C(T(2, 6), (-2, 6))],
        lambda x, sizes: x.view(sizes)),
    "view_copy": Entry([C(T(2, 6), (3, 4)), C(T(2, 6), (-1,)), C(T(), (1, 1)), C(T(1), ()), C(T(0, 3), (3, 0)),
        C(T(2, 6, view="offset"), (12,)), C(T(2, 6, view="strided"), (2, 2, 3)), C(T(3, 4, dtype=F32), dtype=I32),
        C(T(3, 4, dtype=F32), dtype=torch.uint8), C(T(3, 8, dtype=torch.int16), dtype=I64)], [C(T(2, 6), (5,)),
        C(T(3, 3), dtype=F64)]),
    "atleast_1d": of_shapes(C(T(), T(2, 2), T()), C([T(), T(3)])),
    "flatten": of_shapes(C(T(2, 3, 4), 1), C(T(2, 3, 4), 0, 1), C(T(2, 3, 4), start_dim=-2, end_dim=-1),
        C(T(2, 3, 4, view="transposed"), 1), C(T(2, 3, 4), 1, 1), errors=[C(T(2, 3, 4), 2, 1), C(T(2), 1)]),
    "column_stack": Entry([C([T(3), T(3)]), C([T(), T()]), C([T(3), T(3, 4)]),
        C([T(3, 4, view="transposed"), T(3, 2, view="strided")]), C([T(2, 3, 4), T(2, 1, 4)]), C([T(0), T(0, 2)]),
        C([T(3), T(3, dtype=F64)]), C([T(3)])], [C([T(3), T(4)]), C([])]),
    "unbind_copy": of_shapes(C(T(3, 4), 1), C(T(3, 4), -1), C(T(3, 4, view="transposed"), 0), shapes=SHAPES[1:],
        errors=[C(T()), C(T(3), 1)]),
    "unfold_copy": Entry([C(T(9), 0, 3, 2), C(T(9), -1, 9, 1), C(T(3, 8), 1, 2, 3),
        C(T(3, 8, view="transposed"), 0, 2, 1), C(T(), 0, 1, 1), C(T(4, 4), 0, 0, 1),
        C(T(5, 6, view="strided"), -1, 4, 2), C(T(4, 5, view="expanded"), 0, 2, 1)], [C(T(3), 0, 4, 1),
        C(T(3), 0, 2, 0), C(T(3), 0, -1, 1)]),
    "unsqueeze": of_shapes(*(C(T(2, 3), dim) for dim in (0, 1, 2, -1, -3)), C(T(), 0), C(T(), -1),
        C(T(2, 3, view="transposed"), 1), shapes=[], errors=[C(T(2, 3), 3), C(T(2, 3), -4)]),
    "zero_": of_shapes(function=lambda x: torch.zero_(x.clone())),
    "transpose_copy": Entry([C(T(3, 4), 0, 1), C(T(3, 4), -1, 0), C(T(3, 4), 1, 1), C(T(2, 3, 4), 0, -1),
        C(T(), 0, 0), C(T(0, 3), 0, 1), C(T(3, 4, view="transposed"), 0, 1), C(T(2, 3, 4, view="strided"), 1, 2)],
        [C(T(3, 4), 0, 2)]),
    "H": Entry([C(T(3, 4)), C(T(0, 2)), C(T(3, 4, view="transposed")), C(T(3, 4, view="strided")), C(T())], [C(T(3)),
        C(T(2, 3, 4))], lambda x: x.H),
    "tril": of_shapes(*(C(T(4, 5), diagonal) for diagonal in (0, 1, -1, 9, -9)), C(T(2, 3, 3), diagonal=1),
        C(T(4, 5, view="transposed"), 1), C(T(16, 4, special=True)), C(T(2, 4, 4, view="strided")), shapes=[],
        errors=[C(T(3))]),
    "triu_indices": Entry([*(C(row, column, offset) for row, column in [(3, 3), (2, 5), (5, 2), (0, 3), (1, 1)]
        for offset in (0, 1, -2)), C(3, 4, dtype=I32), C(3, 4, dtype=OWN)], [C(-1, 2)]),
    "zeros_like": of_shapes(C(T(3), dtype=F64), C(T(2, 3, 4, 5, view="channels last")),
        C(T(2, 3, 4, 5, view="transposed"), memory_format=torch.contiguous_format),
        C(T(2, 3, 4, 5), memory_format=torch.channels_last), C(T(3), dtype=BOOL, requires_grad=False)),
    "empty": Entry([C((3, 4), dtype=OWN), C((), dtype=OWN), C((0, 2), dtype=OWN),
        C((2, 3, 4, 5), dtype=OWN, memory_format=torch.channels_last)]),
    "randint": Entry([C(5, (3, 4), dtype=OWN), C(-3, 5, (7,), dtype=OWN), C(2, (0,), dtype=OWN), C(1, (), dtype=OWN)],
        [C(0, (3,)), C(3, 2, (3,))], torch.randint),
    "multinomial": Entry([C(T(6, low=0.1, high=1), 3), C(T(3, 6, low=0.1, high=1), 9, replacement=True),
        C(T(3, 6, low=0.1, high=1), 2, False)], [C(T(3, fill=[-1.0]), 1), C(T(3, low=0), 0)], torch.multinomial),
    "nn.functional.dropout2d": Entry([C(T(2, 3, 4, 5)), C(T(2, 3, 4, 5), p=0.25, training=True),
        C(T(2, 3, 4, 5), 0.9, False), C(T(2, 3, 4, 5), 0.0), C(T(2, 3, 4, 5), 1.0), C(T(3, 4, 5))],
        [C(T(2, 3, 4, 5), 1.5)], functional.dropout2d),
    # Indices
    "diagonal_scatter": Entry([C(T(4, 4), T(4)), C(T(4, 5), T(4), 1), C(T(4, 5), T(3), offset=-1),
        C(T(2, 3, 4), T(2, 3), 0, 1, 2), C(T(2, 3, 4), T(3, 2), 0, dim1=-1, dim2=0), C(T(3, 3), T(0), 3),
        C(T(4, 5, view="transposed"), T(4, view="strided")), C(T(4, 4, view="expanded"), T(4, view="offset"))],
        [C(T(4, 4), T(3)), C(T(4), T(4)), C(T(4, 4), T(4), 0, 0, 0)]),
    "masked_scatter": Entry([C(T(3, 4), T(3, 4, dtype=BOOL), T(12)), C(T(3, 4), T(4, dtype=BOOL), T(3, 9)),
        C(T(4), T(3, 4, dtype=BOOL), T(12)), C(T(), T(dtype=BOOL), T(1)), C(T(0), T(0, dtype=BOOL), T(3)),
        C(T(3, 4, view="transposed"), T(3, 4, dtype=BOOL, view="strided"), T(4, 6, view="transposed")),
        C(T(16, special=True), T(16, dtype=BOOL), T(16))], [C(T(3), T(3, dtype=BOOL), T(3, dtype=F64)),
        C(T(3), T(3), T(3))]),
    "gather": Entry([C(T(5), 0, index(9, of=5)), C(T(3, 4), 0, index(2, 4, of=3)), C(T(3, 4), -1, index(2, 6, of=4)),
        C(T(), 0, index(of=1)), C(T(3, 4), 0, index(0, 4, of=3)),
        C(T(3, 4, view="transposed"), 1, index(3, 2, of=4, view="transposed")),
        C(T(4, 3, view="strided"), 0, index(4, 3, of=4, view="expanded")),
        C(T(4, 3, view="expanded"), 0, index(2, 3, of=4)), C(T(5), 0, index(2, of=5), sparse_grad=False),
        C(T(3), 0, T(2, dtype=I32, low=0, high=2))], [C(T(3), 0, T(2, fill=[0, 3], dtype=I64)),
        C(T(3, 4), 0, index(2, of=3)), C(T(3), 0, T(2)), C(T(3, 4), 2, index(1, 1, of=1)),
        C(T(3, 4), 0, index(1, 5, of=1))]),
    "index_select": Entry([C(T(5), 0, index(9, of=5)), C(T(3, 4), 0, index(2, of=3)), C(T(3, 4), -1, index(0, of=4)),
        C(T(), 0, index(1, of=1)), C(T(3, 4), 1, T(5, dtype=I32, low=0, high=3)),
        C(T(3, 4, view="transposed"), 1, index(6, of=4, view="strided")),
        C(T(4, 3, view="expanded"), 0, index(2, of=4)), C(T(3, 4), 1, index(of=4)), C(T(0, 3), 1, index(2, of=3))],
        [C(T(3), 0, T(1, fill=[3], dtype=I64)), C(T(3), 0, T(1, fill=[-1], dtype=I64)), C(T(3), 0, T(2)),
        C(T(3), 1, index(2, of=3)), C(T(3), 0, index(2, 2, of=3))]),
    "scatter_add": scattered(),
    **{f"scatter_reduce/{name}": scattered(name) for name in ("sum", "prod", "mean", "amin", "amax")},
    "nonzero": of_shapes(C(T(3, 4), as_tuple=True), C(T(8, special=True))),
    "argwhere": of_shapes(C(T(8, special=True))),
    "nonzero_static": Entry([C(T(3, 4), size=5), C(T(3, 4), size=20), C(T(3, 4), size=20, fill_value=7),
        C(T(3), size=0), C(T(), size=2), C(T(0), size=2), C(T(3, 4, view="transposed"), size=12),
        C(T(3, 4, view="strided"), size=3)], [C(T(3), size=-1)]),
    "nn.functional.one_hot": Entry([C(index(5, of=4), 4), C(index(2, 3, of=4), 7), C(index(of=3), 3),
        C(index(0, of=3), 3), C(index(3, 2, of=3, view="transposed"), num_classes=3), C(index(5, of=4))],
        [C(index(5, of=4), 1), C(T(2, fill=[-1], dtype=I64), 3), C(T(2), 3)]),
    # Reductions and scans
    "cumsum": Entry([C(T(5), 0), C(T(3, 4), -1), C(T(3, 4), 0, dtype=F64), C(T(), 0), C(T(0, 3), 0), C(T(3, 0), 0),
        C(T(2, 3, 4, view="strided"), 1), C(T(3, 4, view="transposed"), 1), C(T(16, special=True), 0),
        C(T(3, 4, view="expanded"), 0), C(T(700), 0), C(T(3, 4), 1, dtype=I32)], [C(T(3), 1)]),
    "cummin": Entry([C(T(5), 0), C(T(3, 4), -1), C(T(), 0), C(T(0, 3), 1), C(T(3, 0), 0),
        C(T(2, 3, 4, view="strided"), 1), C(T(3, 4, view="transposed"), 1), C(T(16, special=True), 0),
        C(T(9, fill=[2.0, 1.0]), 0), C(T(3, 4, view="expanded"), 0), C(T(700), 0)], [C(T(3), 1)]),
    "logcumsumexp": Entry([C(T(5), 0), C(T(3, 4), -1), C(T(), 0), C(T(0, 3), 1), C(T(2, 3, 4, view="strided"), 1),
        C(T(3, 4, view="transposed"), 1), C(T(16, 1, special=True), 1), C(T(6, fill=[-float("inf"), 1.0]), 0),
        C(T(9, low=-1e3, high=1e3), 0), C(T(700), 0), C(T(3, fill=[float("inf")]), 0)], [C(T(3), 1)]),
    "any": reduced(C(T(3, 4, fill=[0.0, 0.0, 1.0]), 0), C(T(3, 4, fill=[0.0])), C(T(0)), C(T(0, 3), 0),
        C(T(16, special=True))),
    "amax": reduced(C(T(4, fill=[2.0, 2.0, 1.0])), C(T(0, 3), 1), C(T(3, 4), ()), errors=[C(T(0)), C(T(0, 3), 0)]),
    "mean": reduced(C(T(3, 4), dtype=F64), C(T(3, 4), 1, dtype=F32), C(T(0)), C(T(0, 3), 0), C(T(3, 4), ()),
        C(T(3, 4), None), C(T(5000, low=0, high=9))),
    "nanmean": reduced(C(T(3, 4), dtype=F64), C(T(16, special=True)), C(T(0)), C(T(0, 3), 0),
        C(T(3, 2, fill=[float("nan"), 1.0]), 0), C(T(8, fill=[float("nan"), 1.0, 2.0]))),
    "sum": reduced(C(T(3, 4), dtype=F64), C(T(3, 4), 1, dtype=F32), C(T(3, 4), dtype=I64), C(T(0)), C(T(0, 3), 0),
        C(T(3, 4), ()), C(T(3, 4), None), C(T(5000, low=0, high=9))),
    "std": reduced(*(C(T(3, 4), dim, correction=correction) for dim in (None, 1, (0, 1)) for correction in (0, 1, 2)),
        C(T(1)), C(T(0)), C(T(3, 4), 1, correction=9), C(T(5, fill=[2.0])), C(T(9, low=1e3, high=1001))),
    "std/unbiased": Entry([C(T(5), False), C(T(5), True), C(T(3, 4), 1, False), C(T(3, 4), (0, 1), True, True),
        C(T(3, 4, view="transposed"), 0, False), C(T(1), True), C(T(0, 3), 0, False), C(T(), False)],
        [C(T(3, 4), 2, False)]),
    "masked.std": reduced(C(T(3, 4), 1, mask=T(3, 4, dtype=BOOL)), C(T(3, 4), mask=T(4, dtype=BOOL)),
        C(T(3, 4), 1, True), C(T(3, 4), 1, unbiased=False, mask=T(3, 4, dtype=BOOL)), C(T(3, 4), 0, correction=2),
        C(T(3, 4), 1, dtype=F64), C(T(3, 4), 1, mask=T(3, 4, fill=[False], dtype=BOOL))),
    "mode": reduced(C(T(30, low=0, high=3)), C(T(9, fill=[2, 1, 1, 2])), C(T(4, 6, fill=[1, 0, 0, 1]), 1), dims=False,
        errors=[C(T(0)), C(T(0, 3), 0)]),
    "nanquantile": Entry([C(T(7), 0.5), C(T(3, 4), 0.25, 1), C(T(3, 4), T(3, fill=[0.0, 0.4, 1.0]), -1),
        C(T(3, 4), 0.3, 0, True), *(C(T(7), 0.37, interpolation=one)
        for one in ("linear", "lower", "higher", "midpoint", "nearest")), C(T(6, fill=[float("nan"), 1.0, 3.0]), 0.5),
        C(T(3, 3, fill=[float("nan"), 1.0, 3.0]), 0.5, 0), C(T(3, 4, view="transposed"), 0.5, 1), C(T(), 0.5),
        C(T(16, special=True), 0.5)], [C(T(3), 1.5), C(T(3), 0.5, interpolation="cubic"), C(T(3), 0.5, 1),
        C(T(0), 0.5), C(T(3), T(1, fill=[2.0]))]),
    "trapz": Entry([C(T(5)), C(T(3, 4)), C(T(3, 4), dim=0), C(T(3, 4), dx=0.5), C(T(3, 4), T(4)),
        C(T(3, 4), T(3, 4), dim=-1), C(T(3, 4), T(3), dim=0), C(T(1)), C(T(0)), C(T(2, 0)),
        C(T(3, 4, view="transposed"), T(4, view="strided"))], [C(T()), C(T(3, 4), T(5))]),
    "histogram": Entry([C(T(30), 5), C(T(30), 5, range=(-1.0, 2.0)), C(T(30), T(4, fill=[-2.0, 0.0, 0.5, 3.0])),
        C(T(30), 4, weight=T(30, low=0)), C(T(30), 4, density=True), C(T(5, 6, view="transposed"), 3)], [C(T(3), 0)]),
    "masked.softmax": Entry([C(T(5), 0), C(T(3, 4), -1), C(T(3, 4), 1, mask=T(3, 4, dtype=BOOL)),
        C(T(3, 4), 0, mask=T(4, dtype=BOOL)), C(T(3, 4), 1, dtype=F64),
        C(T(2, 3), 1, mask=T(2, 3, fill=[False], dtype=BOOL)), C(T(), 0), C(T(0, 3), 1),
        C(T(3, 4, view="transposed"), 1)], [C(T(3), 1)]),
    "nn.functional.softmin": Entry([C(T(5), 0), C(T(3, 4), -1), C(T(3, 4), dim=0), C(T(), 0), C(T(0, 3), 1),
        C(T(3, 0), 1), C(T(16, 1, special=True), 1), C(T(3, 4, view="transposed"), 1),
        C(T(2, 3, 4, view="strided"), 1), C(T(4, 4, view="expanded"), 0), C(T(3, 9, low=-1e4, high=1e4), 1)],
        [C(T(3), 1)]),
    "nn.functional.softmin/with_dtype": Entry([C(T(5), 0, dtype=F32), C(T(3, 4), -1, dtype=F64),
        C(T(3, 4), dim=0, dtype=BF16), C(T(3, 4, view="transposed"), 1, dtype=F32), C(T(0, 3), 1, dtype=F64)],
        [C(T(3), 1, dtype=F64), C(T(3), 0, dtype=I64)]),
}
