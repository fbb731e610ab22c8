#!/usr/bin/env python3
"""Errors of functions of f32 against f64, of TC next to eager PyTorch and Inductor.

usage: accuracy.py [--device=cpu|cuda] [--rows=REGEX] [--out=FILE.md]

Each row has the root mean square error of a function's results in units in their last place, and the ratio of TC's and of
Inductor's root mean square error to eager's, then the same ratios for the gradient. Inputs are a million numbers; f64 has
the same numbers. Products of f32 are those of IEEE arithmetic, not of TF32.
"""

import argparse
import datetime
import re
from pathlib import Path

import torch_rows  # first, as it finds the package

import torch
import torch.nn.functional as F

import report

SEED, COUNT = 0, 1 << 20


def inputs(device):
    """Numbers of some distributions by name."""
    generator = torch.Generator().manual_seed(SEED)
    normal, uniform = torch.randn(COUNT, generator=generator), torch.rand(COUNT, generator=generator)
    wide = 4 * torch.randn(COUNT, generator=generator)
    given = {"normal": normal, "wide": wide, "positive": uniform + 1e-3, "below one": uniform * 1.98 - 0.99, "magnitudes": (2 * wide).exp()}
    return {name: numbers.to(device) for name, numbers in given.items()}


POINTWISE = {
    "gelu": (F.gelu, "normal"), "gelu, tanh": (lambda x: F.gelu(x, approximate="tanh"), "normal"), "erf": (torch.erf, "normal"),
    "erfc": (torch.erfc, "normal"), "erfinv": (torch.erfinv, "below one"), "exp": (torch.exp, "wide"), "exp2": (torch.exp2, "wide"),
    "expm1": (torch.expm1, "normal"), "log": (torch.log, "magnitudes"), "log around 1": (torch.log, "positive"),
    "log2": (torch.log2, "magnitudes"), "log10": (torch.log10, "magnitudes"), "log1p": (torch.log1p, "positive"),
    "softplus": (F.softplus, "wide"), "logsigmoid": (F.logsigmoid, "wide"), "sigmoid": (torch.sigmoid, "wide"), "silu": (F.silu, "wide"),
    "mish": (F.mish, "wide"), "tanh": (torch.tanh, "normal"), "sin": (torch.sin, "wide"), "cos": (torch.cos, "wide"),
    "tan": (torch.tan, "normal"), "asin": (torch.asin, "below one"), "acos": (torch.acos, "below one"), "atan": (torch.atan, "wide"),
    "sinh": (torch.sinh, "wide"), "cosh": (torch.cosh, "wide"), "asinh": (torch.asinh, "wide"), "atanh": (torch.atanh, "below one"),
    "sqrt": (torch.sqrt, "positive"), "rsqrt": (torch.rsqrt, "positive"), "reciprocal": (torch.reciprocal, "wide"),
    "x / (x^2 + 1)": (lambda x: x / (x * x + 1), "wide"), "x^2.3": (lambda x: x ** 2.3, "positive"), "x^x": (lambda x: x ** x, "positive"),
    "elu": (F.elu, "wide"), "lgamma": (torch.lgamma, "positive"), "digamma": (torch.digamma, "positive"),
}


def rows_of(x, length=256):
    return x.view(-1, length)


# Of wide numbers.
ROWS = {
    "softmax": lambda x: rows_of(x).softmax(-1), "log_softmax": lambda x: rows_of(x).log_softmax(-1),
    "logsumexp": lambda x: rows_of(x).logsumexp(-1), "layer_norm": lambda x: F.layer_norm(rows_of(x), (256,)),
    "rms_norm": lambda x: F.rms_norm(rows_of(x), (256,)), "batch_norm": lambda x: F.batch_norm(x.view(64, 64, 16, 16), None, None, training=True),
    "group_norm": lambda x: F.group_norm(x.view(64, 64, 16, 16), 8), "normalize": lambda x: F.normalize(rows_of(x)),
    "norm": lambda x: rows_of(x).norm(dim=-1), "sum of rows": lambda x: rows_of(x, 1024).sum(-1),
    "sum of 32 rows": lambda x: x.view(32, -1).sum(0), "sum of 4096 rows": lambda x: x.view(4096, -1).sum(0), "var": lambda x: rows_of(x).var(-1),
    "cumsum": lambda x: rows_of(x).cumsum(-1), "attention": lambda x: F.scaled_dot_product_attention(*x.view(4, 4, 4, -1, 64)[:3]),
    "linear 128x512x512": lambda x: F.linear(x[:1 << 16].view(128, 512), x[1 << 18:1 << 19].view(512, 512), x[:512]),
    "depthwise 3x3": lambda x: F.conv2d(x[:1 << 18].view(4, 64, 32, 32), x[1 << 19:(1 << 19) + 64 * 9].view(64, 1, 3, 3), groups=64),
}

# Of normal numbers.
PRODUCTS = {
    "prod of 16": lambda x: rows_of(x, 16).prod(-1),
    "product 512^3": lambda x: x[:1 << 18].view(512, 512) @ x[1 << 18:1 << 19].view(512, 512),
    "product 16x16384x16": lambda x: x[:1 << 18].view(16, -1) @ x[1 << 18:1 << 19].view(-1, 16),
    "convolution 3x3": lambda x: F.conv2d(x[:1 << 18].view(4, 64, 32, 32), x[1 << 19:(1 << 19) + 64 * 64 * 9].view(64, 64, 3, 3), padding=1),
    "convolution of patches": lambda x: F.conv2d(x[:3 << 16].view(1, 3, 256, 256), x[1 << 19:(1 << 19) + 64 * 768].view(64, 3, 16, 16),
                                                 stride=16),
}


def results(function, x):
    """In f64, what a function gives, and the gradient of its sum weighted by random numbers."""
    x = x.clone().requires_grad_()
    result = function(x)
    weights = torch.randn(result.shape, generator=torch.Generator().manual_seed(SEED + 1)).to(result)
    return [one.detach().double() for one in (result, *torch.autograd.grad(result, x, weights))]


def unit_in_last_place(exact):
    return torch.ldexp(torch.ones_like(exact), torch.frexp(exact.abs().clamp(min=torch.finfo(torch.float32).tiny))[1] - 24)


def root_mean_square(errors):
    return errors.square().mean().sqrt().item()


def measure(function, x):
    """For the result and the gradient: errors in units in the last place by rival, and root mean square errors next to eager's."""
    from tc.torch_backend import backend

    rivals = {"eager": function, "TC": torch.compile(function, backend=backend), "Inductor": torch.compile(function)}
    exact = results(function, x.double())
    units, sizes = {}, {}
    for name, run in rivals.items():
        torch._dynamo.reset()
        for part, (result, double) in enumerate(zip(results(run, x), exact)):
            error = result - double
            finite = torch.isfinite(error)
            units[name, part] = root_mean_square((error / unit_in_last_place(double))[finite])
            sizes[name, part] = root_mean_square(error[finite])
    ratios = {(name, part): size / sizes["eager", part] if sizes["eager", part] else float("nan") for (name, part), size in sizes.items()}
    return units, ratios


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/accuracy.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--rows", metavar="REGEX", default="", help="rows whose name it is found in; default all")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="default the standard output")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    given = inputs(options.device)
    rows = POINTWISE | {name: (function, kind) for part, kind in ((ROWS, "wide"), (PRODUCTS, "normal")) for name, function in part.items()}
    text = ["| function of | | eager | TC | Inductor | TC / eager | Inductor / eager | gradient: TC / eager | Inductor / eager |",
            "|---|---|---|---|---|---|---|---|---|"]
    for name, (function, kind) in rows.items():
        if not re.search(options.rows, name):
            continue
        units, ratios = measure(function, given[kind])
        cells = [f"{units[rival, 0]:.3g}" for rival in ("eager", "TC", "Inductor")]
        cells += [f"{ratios[rival, part]:.2f}" for part in (0, 1) for rival in ("TC", "Inductor")]
        text.append(f"| {name} | {kind} | " + " | ".join(cells) + " |")
        print(text[-1], flush=True)
    device = torch.cuda.get_device_name() if options.device == "cuda" else report.processor()
    head = (f"# Errors of functions of f32\n\n<!-- Written by benchmarks/accuracy.py; run it again instead of editing. -->\n\n"
            f"{datetime.date.today()}, {device}, PyTorch {torch.__version__}. Root mean square errors against f64, in units in the last place and "
            f"next to eager PyTorch's, of a million numbers. Command: `benchmarks/accuracy.py --device={options.device}`\n")
    if options.out:
        options.out.write_text("\n".join([head, *text]) + "\n")


if __name__ == "__main__":
    main()
