"""Calls of layers and losses."""

import torch
from own_samples import C, Entry, T
from torch.nn import functional

F32, F64, I64, BOOL = torch.float32, torch.float64, torch.int64, torch.bool
REDUCTIONS = ("none", "mean", "sum")
POSITIVE = dict(low=0.2, high=2)


def classes(*sizes, of, **how):
    return T(*sizes, low=0, high=of - 1, dtype=I64, **how)


def inside(*sizes, **how):
    return T(*sizes, low=0.01, high=0.99, **how)


def linear_cross_entropy():
    calls = [C(T(6, 5), T(4, 5), classes(6, of=4), reduction=one) for one in REDUCTIONS]
    calls += [C(T(5), T(4, 5), classes(of=4)), C(T(6, 5), T(4, 5), classes(6, of=4), linear_bias=T(4)),
              C(T(6, 5), T(4, 5), inside(6, 4)),
              C(T(6, 5), T(4, 5), classes(6, of=4), weight=T(4, grad=False, **POSITIVE)),
              C(T(6, 5), T(4, 5), classes(6, of=4), label_smoothing=0.3),
              C(T(6, 5), T(4, 5), T(6, fill=[1, 2, 0], dtype=I64), ignore_index=2),
              C(T(6, 5), T(4, 3, 5), classes(6, 3, of=4)),
              C(T(5, 6, view="transposed"), T(4, 6, view="strided"), classes(5, of=4))]
    return Entry(calls, [C(T(6, 5), T(4, 4), classes(6, of=4)), C(T(6, 5), T(4, 5), classes(5, of=4)),
                         C(T(6, 5), T(4, 5), classes(6, of=4), reduction="other")])


def linear_cross_entropy_in_chunks(reductions):
    options = getattr(torch.nn, "LinearCrossEntropyOptions", None)
    if options is None:  # of PyTorch 2.12
        return Entry([])
    return Entry([C(T(6, 5), T(4, 5), classes(6, of=4), reduction=one, options=options()) for one in reductions]
                 + [C(T(6, 5), T(4, 5), classes(6, of=4), reduction=reductions[0], label_smoothing=0.2,
                      options=options())])


def batch_norms(*modes):
    """Of native_batch_norm() and _batch_norm_with_update(), which write running values."""
    calls = []
    for sizes in [(4, 3), (2, 3, 5), (2, 3, 4, 5), (1, 3, 2)]:
        running = T(3, grad=False), T(3, grad=False, **POSITIVE)
        calls += [C(T(*sizes), T(3), T(3), *running, *mode, 0.1, 1e-5) for mode in modes]
        calls += [C(T(*sizes), None, None, *running, *mode, 0.5, 1e-3) for mode in modes]
    calls += [C(T(2, 3, 4, 5, view="channels last"), T(3), T(3), T(3, grad=False), T(3, grad=False, **POSITIVE),
              *mode, 0.1, 1e-5) for mode in modes]
    return calls


ATTENTION = [C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8)), C(T(5, 8), T(7, 8), T(7, 6)),
             C(T(2, 5, 8), T(2, 5, 8), T(2, 5, 4), is_causal=True),
             C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8), is_causal=True),
             C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8), scale=0.3),
             C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8), attn_mask=T(5, 7, dtype=BOOL)),
             C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8), attn_mask=T(2, 1, 5, 7)),
             C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8), attn_mask=T(5, 7, fill=[False], dtype=BOOL)),
             C(T(2, 4, 5, 8), T(2, 2, 7, 8), T(2, 2, 7, 8), enable_gqa=True),
             C(T(0, 3, 5, 8), T(0, 3, 7, 8), T(0, 3, 7, 8)), C(T(2, 3, 5, 8), T(2, 3, 0, 8), T(2, 3, 0, 8)),
             C(T(2, 3, 5, 8, view="transposed"), T(2, 3, 7, 8, view="strided"), T(2, 3, 7, 8, view="expanded")),
             C(T(1, 1, 1, 1), T(1, 1, 1, 1), T(1, 1, 1, 1)),
             C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8), dropout_p=0.5)]

ENTRIES = {
    "nn.functional.linear_cross_entropy": linear_cross_entropy(),
    "nn.functional.linear_cross_entropy/chunked": linear_cross_entropy_in_chunks(("mean", "sum")),
    "nn.functional.linear_cross_entropy/chunked_none": linear_cross_entropy_in_chunks(("none",)),
    "nn.functional.scaled_dot_product_attention": Entry(ATTENTION, [C(T(2, 5, 8), T(2, 7, 6), T(2, 7, 8)),
        C(T(8), T(8), T(8)), C(T(2, 5, 8), T(2, 5, 8), T(2, 5, 8), attn_mask=T(5, 5, dtype=BOOL), is_causal=True),
        C(T(2, 3, 5, 8), T(2, 3, 7, 8), T(2, 3, 7, 8, dtype=F64))], functional.scaled_dot_product_attention),
    "native_layer_norm": Entry([C(T(3, 4), [4], T(4), T(4), 1e-5), C(T(3, 4), [3, 4], None, None, 1e-3), C(T(2, 3, 4),
        [4], T(4), None, 1e-5), C(T(2, 3, 4), [3, 4], None, T(3, 4), 0.5), C(T(0, 4), [4], T(4), T(4), 1e-5),
        C(T(3, 1), [1], T(1), T(1), 1e-5), C(T(4), [4], None, None, 1e-5), C(T(3, 300), [300], T(300), T(300), 1e-5),
        C(T(3, 4, view="transposed"), [4], T(4, view="strided"), T(4), 1e-5), C(T(4, 6, view="strided"),
        [6], None, None, 1e-5), C(T(4, 6, view="expanded"), [6], None, None, 1e-5), C(T(3, 4, fill=[2.0]),
        [4], None, None, 1e-5), C(T(4, 4, special=True), [4], None, None, 1e-5)], [C(T(3, 4), [3], None, None, 1e-5),
        C(T(3, 4), [4], T(3), None, 1e-5), C(T(3, 4), [], None, None, 1e-5)]),
    "native_batch_norm": Entry([*batch_norms((True,), (False,)), C(T(4, 3), T(3), T(3), None, None, True, 0.1, 1e-5)],
        [C(T(0, 3), T(3), T(3), None, None, True, 0.1, 1e-5)]),
    "_batch_norm_with_update": Entry(batch_norms(())),
    "nn.functional.adaptive_max_pool1d": Entry([*(C(T(2, 3, 8), size) for size in (1, 3, 5, 8, 12, (4,))),
        C(T(3, 8), 4), C(T(2, 3, 8), 3, return_indices=True), C(T(2, 3, 8, view="transposed"), 3),
        C(T(2, 3, 8, view="strided"), 3), C(T(0, 3, 8), 3), C(T(2, 3, 9, fill=[1.0]), 2, return_indices=True),
        C(T(1, 2, 16, special=True), 5)], [C(T(8), 3), C(T(2, 3, 0), 3), C(T(2, 3, 8), -1)]),
    "nn.functional.avg_pool1d": Entry([C(T(2, 3, 8), 2), C(T(3, 8), 3), C(T(2, 3, 8), 3, 1), C(T(2, 3, 8), 3, 2, 1),
        C(T(2, 3, 8), 3, stride=2, padding=1, count_include_pad=False), C(T(2, 3, 8), 3, 2, ceil_mode=True),
        C(T(2, 3, 8), (3,), (2,), (1,), True, False), C(T(2, 3, 8, view="transposed"), 2),
        C(T(2, 3, 8, view="strided"), 2), C(T(1, 1, 1), 1), C(T(2, 3, 8, view="expanded"), 8)], [C(T(8), 3),
        C(T(2, 3, 8), 9), C(T(2, 3, 8), 2, 1, 2), C(T(2, 3, 8), 0)]),
    "nn.functional.local_response_norm": Entry([C(T(2, 5, 4), 2), C(T(2, 5, 4), 3, 0.5, 0.25, 2.0),
        C(T(2, 5, 4, 3), size=5, alpha=1.0), C(T(2, 5, 2, 3, 2), 2, k=0.5), C(T(2, 5), 2),
        C(T(2, 5, 4, view="transposed"), 3), C(T(1, 1, 1), 1), C(T(2, 5, 4), 1), C(T(2, 5, 4, view="strided"), 9)],
        [C(T(5), 2)]),
    "_upsample_bilinear2d_aa": Entry([C(T(1, 2, 6, 8, low=0, high=9), list(size), align)
        for size in [(3, 4), (9, 11), (6, 8), (1, 1), (2, 13)] for align in (False, True)]
        + [C(T(1, 2, 6, 8, low=0, high=9), [3, 4], False, 0.5, 0.5), C(T(1, 2, 6, 8, low=0, high=9),
        [4, 12], False, 0.7, 1.5), C(T(2, 3, 5, 5, view="channels last", low=0, high=9), [3, 7], False),
        C(T(2, 2, 5, 5, view="strided", low=0, high=9), [3, 7], False),
        C(T(2, 2, 5, 5, view="transposed", low=0, high=9), [3, 7], False)], [C(T(2, 5, 5), [3, 3], False),
        C(T(1, 2, 5, 5), [0, 3], False), C(T(1, 2, 5, 5), [3], False)]),
    "nn.functional.max_unpool2d": Entry([C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0, 3, 9, 15], dtype=I64), 2),
        C(T(2, 2, 2), T(2, 2, 2, fill=[0, 3, 9, 15], dtype=I64), 2),
        C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0, 3, 9, 15], dtype=I64), 2, output_size=(5, 5)),
        C(T(2, 1, 2, 2, view="transposed"), T(2, 1, 2, 2, fill=[1, 2, 8, 10], dtype=I64), (2, 2), (2, 2)),
        C(T(2, 1, 2, 2, view="strided"), T(2, 1, 2, 2, fill=[1, 2, 8, 10], dtype=I64), 2, 2),
        C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0, 2, 4, 8], dtype=I64), 2, 1),
        C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0, 2, 6, 8], dtype=I64), 3, 2, 1),
        C(T(2, 3, 2, 2, view="channels last"), T(2, 3, 2, 2, fill=[0, 3, 9, 15], dtype=I64), 2)],
        [C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0, 3, 9, 16], dtype=I64), 2),
        C(T(1, 1, 2, 2), T(1, 1, 2, 3, fill=[0], dtype=I64), 2),
        C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0, 3, 9, 15]), 2),
        C(T(1, 1, 2, 2), T(1, 1, 2, 2, fill=[0], dtype=I64), 2, output_size=(9, 9))]),
    "nn.functional.max_unpool2d/grad": Entry([C(T(1, 2, 4, 6), 2), C(T(2, 4, 6), (2, 3))],
        function=lambda x, size: functional.max_unpool2d(*functional.max_pool2d(x, size, return_indices=True), size)),
    "nn.functional.grid_sample": Entry([C(T(2, 3, 4, 5), T(2, 6, 7, 2, low=-1.3, high=1.3), mode, padding, align)
        for mode in ("bilinear", "nearest", "bicubic") for padding in ("zeros", "border", "reflection")
        for align in (False, True)] + [C(T(2, 3, 4, 5, 3), T(2, 2, 3, 4, 3, low=-1.3, high=1.3), mode=mode,
        padding_mode=padding) for mode in ("bilinear", "nearest") for padding in ("zeros", "border", "reflection")]
        + [C(T(1, 2, 3, 3), T(1, 4, 4, 2, special=True), align_corners=False),
        C(T(2, 3, 4, 5, view="transposed"), T(2, 3, 3, 2, view="strided", low=-1, high=1), align_corners=True),
        C(T(2, 3, 4, 5, view="channels last"), T(2, 3, 3, 2, low=-1, high=1)), C(T(0, 3, 4, 5), T(0, 3, 3, 2)),
        C(T(2, 1, 1, 1), T(2, 1, 1, 2, low=-1, high=1))], [C(T(2, 3, 4, 5), T(1, 3, 3, 2)),
        C(T(2, 3, 4, 5), T(2, 3, 3, 3)), C(T(2, 3, 4, 5), T(2, 3, 3, 2), mode="other"),
        C(T(2, 3, 4, 5), T(2, 3, 3, 2), padding_mode="other"), C(T(2, 3, 4, 5), T(2, 3, 3, 2, dtype=F64))]),
    "nn.functional.binary_cross_entropy_with_logits": Entry([*(C(T(3, 4), inside(3, 4), reduction=one)
        for one in REDUCTIONS), C(T(3, 4), inside(3, 4), weight=T(4, grad=False, **POSITIVE)),
        C(T(3, 4), inside(3, 4), pos_weight=T(4, grad=False, **POSITIVE)),
        C(T(3, 4), inside(3, 4), weight=T(3, 4, grad=False, **POSITIVE), pos_weight=T(grad=False, **POSITIVE),
        reduction="sum"), C(T(), inside()), C(T(0), inside(0)), C(T(0), inside(0), reduction="sum"),
        C(T(3, 4, view="transposed"), inside(3, 4, view="strided"), reduction="none"),
        C(T(9, low=-200, high=200), inside(9), reduction="none"), C(T(16, special=True),
        T(16, fill=[0.0, 1.0, 0.5]), reduction="none")], [C(T(3), inside(4)), C(T(3), inside(3), reduction="other")]),
    "nn.functional.binary_cross_entropy": Entry([*(C(inside(3, 4), inside(3, 4), reduction=one)
        for one in REDUCTIONS), C(inside(3, 4), inside(3, 4), weight=T(4, grad=False, **POSITIVE)),
        C(inside(3, 4), inside(3, 4), T(3, 1, grad=False, **POSITIVE), reduction="none"), C(inside(), inside()),
        C(inside(0), inside(0)), C(inside(3, 4, view="transposed"), inside(3, 4, view="strided"), reduction="none"),
        C(T(9, fill=[0.0, 1.0, 0.5]), T(9, fill=[0.0, 0.0, 1.0, 1.0]), reduction="none")], [C(inside(3), inside(4)),
        C(T(3, fill=[2.0]), inside(3)), C(T(3, fill=[-0.5]), inside(3)), C(T(3, fill=[float("nan")]), inside(3))]),
    "nn.functional.kl_div": Entry([*(C(T(3, 4, low=-3, high=0), inside(3, 4), reduction=one, log_target=log)
        for one in (*REDUCTIONS, "batchmean") for log in (False, True)),
        C(T(low=-3, high=0), inside(), reduction="sum"), C(T(0, 3), inside(0, 3), reduction="sum"),
        C(T(3, 4), inside(4), reduction="none"), C(T(6), T(6, fill=[0.0, 1.0, -1.0]), reduction="none"),
        C(T(3, 4, view="transposed"), inside(3, 4, view="strided"), reduction="batchmean"), C(T(16, special=True),
        T(16, special=True), reduction="none")], [C(T(3), inside(4)), C(T(3), inside(3), reduction="other")]),
    "nn.functional.triplet_margin_loss": Entry([*(C(T(3, 4), T(3, 4), T(3, 4), reduction=one) for one in REDUCTIONS),
        C(T(4), T(4), T(4)), C(T(3, 4), T(3, 4), T(3, 4), margin=0.5, p=1), C(T(3, 4), T(3, 4),
        T(3, 4), p=3.5, eps=1e-3, reduction="none"), C(T(3, 4), T(3, 4), T(3, 4), swap=True, reduction="none"),
        C(T(3, 4), T(1, 4), T(3, 4)), C(T(0, 4), T(0, 4), T(0, 4), reduction="sum"), C(T(3, 4, view="transposed"),
        T(3, 4, view="strided"), T(3, 4, view="expanded"), reduction="none"), C(T(3, 4, fill=[1.0]),
        T(3, 4, fill=[1.0]), T(3, 4, fill=[1.0]), reduction="none")], [C(T(3, 4), T(3, 5), T(3, 4)), C(T(3, 4), T(4),
        T(3, 4)), C(T(3, 4), T(3, 4), T(3, 4), margin=-1.0), C(T(3, 4), T(3, 4), T(3, 4), reduction="other")]),
}
