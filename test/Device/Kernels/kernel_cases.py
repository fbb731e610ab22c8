"""The hand-written kernels at the sizes of their figures: inputs, what PyTorch computes
for the same, the exact result in parts, and the traffic or operations it needs."""

from dataclasses import dataclass
from typing import Callable

import attention
import columns
import gemm
import rows


DEVICE = "cuda"  # of inputs


@dataclass
class Case:
    name: str
    module: Callable  # gives the module's text
    inputs: Callable  # gives tensors
    torch: Callable  # PyTorch's result
    exact_parts: Callable  # of the inputs: (index of a part of the result, its values in f64), one after the other
    figure: str  # what the prototype of the kernel was measured at
    bytes: int = 0
    flops: int = 0
    # How much larger than PyTorch's errors may be, and what is allowed where PyTorch has none.
    largest: float = 2.0
    rms: float = 1.25
    least: float = 0.0


def random(*sizes, dtype="bfloat16"):
    import torch
    return torch.randn(*sizes, device=DEVICE, dtype=getattr(torch, dtype))


def uniform(*sizes):
    """In [-1, 1], as the figures of matmul are of: values decide what power a GPU takes."""
    import torch
    return (torch.rand(*sizes, device=DEVICE) * 2 - 1).bfloat16()


def in_rows(function, step=4096):
    """Parts of `step` rows of a function of the first input's rows."""
    def parts(x, *others):
        for begin in range(0, x.shape[0], step):
            part = slice(begin, begin + step)
            yield part, function(x[part].double(), *(other.double() for other in others))
    return parts


def make_layer_norm():
    def compute(x, w, b):
        from torch.nn import functional
        return functional.gelu(functional.layer_norm(x, (x.shape[1],), w, b)) * 1.2 + 0.1
    return Case("layer_norm + gelu * 1.2 + 0.1, 65536x4096 bf16", rows.layer_norm,
                lambda: [random(65536, 4096), random(4096), random(4096)], compute, in_rows(compute),
                "3.89 TB/s, 0.935 of copy", bytes=2 * 65536 * 4096 * 2)


def make_softmax():
    compute = lambda x: x.softmax(-1)
    return Case("softmax 4096x131072 bf16", rows.softmax, lambda: [random(4096, 131072)], compute,
                in_rows(compute, 512), "3.945 TB/s, 0.929 of copy", bytes=2 * 4096 * 131072 * 2)


def make_transpose():
    def parts(x):
        for begin in range(0, x.shape[1], 1024):
            part = slice(begin, begin + 1024)
            yield part, (x[:, part].t() + 1).double()  # one addition in f32 is what is wanted, so all bits agree
    return Case("transpose + 1, 8192^2 f32", columns.transpose, lambda: [random(8192, 8192, dtype="float32")],
                lambda x: (x.t() + 1).contiguous(), parts, "3.94 TB/s, 0.945 of copy", bytes=2 * 8192 * 8192 * 4)


def make_column_sum():
    def parts(x):
        for begin in range(0, x.shape[1], 2048):
            part = slice(begin, begin + 2048)
            yield part, x[:, part].double().sum(0)
    return Case("column sum 16384^2 f32", columns.column_sum, lambda: [random(16384, 16384, dtype="float32")],
                lambda x: x.sum(0), parts, "4.22 TB/s, 0.988 of copy", bytes=16384 * 16384 * 4 + 16384 * 4)


def make_gemm(size, figure):
    compute = lambda a, b: a @ b.t()
    return Case(f"matmul {size}^3 bf16, weights [n, k]", lambda: gemm.gemm(size, size, size),
                lambda: [uniform(size, size), uniform(size, size)], compute, in_rows(compute, 2048), figure,
                flops=2 * size**3)


def make_gemm_of_rows():
    compute = lambda a, b: a @ b
    return Case("matmul 4096^3 bf16, weights [k, n]", lambda: gemm.gemm(is_nk=0),
                lambda: [uniform(4096, 4096), uniform(4096, 4096)], compute, in_rows(compute, 2048),
                "(826 TFLOP/s, 1.02 of cuBLAS)", flops=2 * 4096**3)


def make_linear():
    def compute(a, b, bias):
        from torch.nn import functional
        return functional.gelu(functional.linear(a, b, bias), approximate="tanh")
    m, n, k = 8192, 16384, 4096
    return Case("linear + bias + gelu(tanh) 8192x16384x4096 bf16", lambda: gemm.gemm(m, n, k, bias=1, gelu=1),
                lambda: [uniform(m, k), uniform(n, k), uniform(n)], compute, in_rows(compute, 1024),
                "816 TFLOP/s, 1.14 of PyTorch", flops=2 * m * n * k)


def make_attention(is_causal, figure):
    def compute(q, k, v):
        from torch.nn import functional
        return functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    def parts(q, k, v):
        import torch
        hidden = torch.full((q.shape[2], k.shape[2]), -torch.inf, device=q.device, dtype=torch.float64).triu_(1)
        for index in ((batch, head) for batch in range(q.shape[0]) for head in range(q.shape[1])):
            scores = q[index].double() @ k[index].double().t() / q.shape[3]**0.5
            yield index, (scores + hidden if is_causal else scores).softmax(-1) @ v[index].double()

    sizes = (4, 16, 4096, 128)
    flops = 4 * sizes[0] * sizes[1] * sizes[2]**2 * sizes[3] // (2 if is_causal else 1)
    return Case(f"attention 4x16x4096x128 bf16, {'causal' if is_causal else 'full'}",
                lambda: attention.attention(causal=int(is_causal)), lambda: [random(*sizes) for _ in range(3)], compute,
                parts, figure, flops=flops)


CASES = {case.name: case for case in (
    make_layer_norm(), make_softmax(), make_transpose(), make_column_sum(),
    make_gemm(4096, "826 TFLOP/s, 1.02 of cuBLAS; sustained 703, 1.03"),
    make_gemm(8192, "836 TFLOP/s, 1.04 of cuBLAS; sustained 707, 1.04"),
    make_gemm_of_rows(), make_linear(),
    make_attention(True, "sustained 600 TFLOP/s, 1.26 of PyTorch"),
    make_attention(False, "sustained 608 TFLOP/s, 1.10 of PyTorch"))}
