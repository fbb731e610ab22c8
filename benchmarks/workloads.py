"""The workloads of the benchmark tables, as plain PyTorch modules.

rows() gives {name: Row}. `Row.module()` and `Row.inputs()` build a row after the
caller has seeded torch; weights are random, modules in eval mode. `bytes` is the
traffic that no implementation can avoid (each input and output once), `flops` the
arithmetic; None where a row has no such floor. Shapes of matmuls are M x K x N.
"""

from dataclasses import dataclass
from typing import Callable, Optional

import torch
import torch.nn.functional as F
from torch import nn

F32, BF16 = torch.float32, torch.bfloat16


@dataclass(frozen=True)
class Row:
    module: Callable[[], nn.Module]
    inputs: Callable[[], tuple]
    bytes: Optional[float] = None
    flops: Optional[float] = None


class Function(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class LayerNormGeluScale(nn.Module):
    """layer_norm, gelu (erf), * 1.2, + 0.1: one kernel when fused."""

    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return F.gelu(self.norm(x)) * 1.2 + 0.1


class ManySmallLayers(nn.Module):
    """20 x (linear 256, relu): bound by launches, not by arithmetic."""

    def __init__(self, layers=20, dim=256):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return x


class Block(nn.Module):
    """Transformer block: norm first, causal attention, gelu (erf) MLP of 4 x dim."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):
        batch, tokens, dim = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, tokens, dim))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, layers, dim, heads, vocabulary, positions=1024):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(positions, dim)
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class BranchModel(nn.Module):
    """Two small branches, chosen by a bool of Python's: a captured graph for each value."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
        self.second = nn.Sequential(nn.Linear(10, 20), nn.Sigmoid(), nn.Linear(20, 5))

    def forward(self, x, is_first: bool):
        return self.first(x) if is_first else self.second(x)


class Logits(nn.Module):
    """An image classifier of transformers that returns its logits alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixels):
        return self.model(pixels).logits


def resnet18():
    from transformers import ResNetConfig, ResNetForImageClassification
    return Logits(ResNetForImageClassification(ResNetConfig(
        depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512], layer_type="basic",
        num_labels=1000)))


def mobilenet_v2():
    from transformers import MobileNetV2Config, MobileNetV2ForImageClassification
    return Logits(MobileNetV2ForImageClassification(MobileNetV2Config(
        image_size=224, num_labels=1001)))


def entropy(x):
    p = F.softmax(x, -1)
    return -(p * torch.log(p + 1e-9)).sum(-1)


def query_content(query, content):
    """Cosine similarity of content tokens to a query, softmax at temperature 0.07."""
    similarity = torch.einsum("bd,btd->bt", F.normalize(query, dim=-1), F.normalize(content, dim=-1))
    return F.softmax(similarity / 0.07, -1)


def causal_attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def perceptron():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                         nn.Linear(256, 10))


def _row(module, *shapes, dtype=F32, ids=None, bytes=None, flops=None):
    def inputs():
        if ids:
            return (torch.randint(0, ids, shapes[0]),)
        return tuple(torch.randn(shape).to(dtype) for shape in shapes)
    return Row(lambda: module().eval().to(dtype), inputs, bytes, flops)


def _function(function):
    return lambda: Function(function)


def _memory_bound():
    """Rows whose floor is the memory traffic."""
    square, small = 4096**2, 512**2
    return {
        "relu(x+y)*2 4096^2 f32": _row(_function(lambda x, y: F.relu(x + y) * 2),
                                       (4096, 4096), (4096, 4096), bytes=12 * square),
        "relu(x+y)*2 512^2 f32": _row(_function(lambda x, y: F.relu(x + y) * 2),
                                      (512, 512), (512, 512), bytes=12 * small),
        "LN+gelu+scale 8192x512 f32": _row(lambda: LayerNormGeluScale(512), (64, 128, 512),
                                           bytes=8 * 8192 * 512),
        "LN+gelu+scale 8192x4096 bf16": _row(lambda: LayerNormGeluScale(4096), (8192, 4096),
                                             dtype=BF16, bytes=4 * 8192 * 4096),
        "entropy 32x196x768 f32": _row(_function(entropy), (32, 196, 768),
                                       bytes=4 * 32 * 196 * 769),
        "softmax 4096^2 f32": _row(_function(lambda x: F.softmax(x, -1)), (4096, 4096),
                                   bytes=8 * square),
        "column sum 4096^2 f32": _row(_function(lambda x: x.sum(0)), (4096, 4096),
                                      bytes=4 * square),
        "transpose+1 4096^2 f32": _row(_function(lambda x: (x.t() + 1).contiguous()),
                                       (4096, 4096), bytes=8 * square),
        "query-content 32x196x512 f32": _row(_function(query_content), (32, 512), (32, 196, 512),
                                             bytes=4 * 32 * (512 + 197 * 512)),
        "20 x linear 256 b8 f32": _row(ManySmallLayers, (8, 256), bytes=20 * 256 * 257 * 4),
    }


def _contractions(dtype, name):
    def linear_gelu():
        return nn.Sequential(nn.Linear(1024, 4096), nn.GELU())

    return {
        f"matmul 1024^3 {name}": _row(_function(torch.matmul), (1024, 1024), (1024, 1024),
                                      dtype=dtype, flops=2 * 1024**3),
        f"linear+gelu 512x1024x4096 {name}": _row(linear_gelu, (512, 1024), dtype=dtype,
                                                  flops=2 * 512 * 1024 * 4096),
        f"linear 1x4096x14336 {name}": _row(lambda: nn.Linear(4096, 14336), (1, 4096), dtype=dtype,
                                            bytes=dtype.itemsize * 4096 * 14336),
        f"block d512 h8 b8 t128 {name}": _row(lambda: Block(512, 8), (8, 128, 512), dtype=dtype),
    }


def rows():
    table = _memory_bound()
    table["MLP 784-512-256-10 b64 f32"] = _row(
        perceptron, (64, 784), flops=2 * 64 * (784 * 512 + 512 * 256 + 2560))
    for dtype, name in ((F32, "f32"), (BF16, "bf16")):
        table |= _contractions(dtype, name)
    attention = (8, 8, 512, 64)
    table |= {
        "block d512 h8 b1 t128 f32": _row(lambda: Block(512, 8), (1, 128, 512)),
        "attention causal 8x8x512x64 f32": _row(
            _function(causal_attention), attention, attention, attention,
            flops=2 * 64 * 512 * 512 * 64),
        "GPT 4 layers x 768 t128 f32": _row(lambda: GPT(4, 768, 12, 8192), (1, 128), ids=8192),
        "ResNet-18 224 b1 f32": _row(resnet18, (1, 3, 224, 224)),
        "MobileNetV2 224 b1 f32": _row(mobilenet_v2, (1, 3, 224, 224)),
    }
    return table


def branch_rows():
    """Rows of torch.compile alone: Dynamo chooses the branch."""
    def row(is_first):
        return Row(lambda: BranchModel().eval(), lambda: (torch.randn(64, 10), is_first))

    return {"branch 10-20-5 b64 first f32": row(True), "branch 10-20-5 b64 second f32": row(False)}


def torch_compile_rows():
    """All rows, and those of torch.compile alone."""
    deep = {"GPT 12 layers x 768 t128 f32": _row(lambda: GPT(12, 768, 12, 8192), (1, 128), ids=8192)}
    return rows() | branch_rows() | deep
