"""The workloads of the CUDA tables; workloads.py says what a row is. Modules and
inputs are made on the device that torch.device(...) names when they are built."""

from dataclasses import dataclass
from typing import Callable, Optional

import torch
import torch.nn.functional as F
from torch import nn

from workloads import BF16, F32, GPT, Block, Function, LayerNormGeluScale, Logits, ManySmallLayers, Row, entropy


@dataclass(frozen=True)
class GPURow(Row):
    is_single_kernel: bool = False  # rivals may search for the best kernel
    # For FlexAttention, of a row whose inputs are queries, keys and values: what it adds to a
    # score, or None, and the mask of whole blocks, as functions of (score,) batch, head, query and key.
    flex: Optional[tuple[Optional[Callable], Callable]] = None


def rms_norm(x, weight):
    scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
    return (x * scale).to(x.dtype) * weight


def attention_scores(query, content):
    return torch.softmax(query @ content.transpose(-2, -1) / content.size(-1) ** 0.5, -1)


WINDOW = 1024  # keys that a query of sliding window attention sees


def _distances(queries, keys):
    return torch.arange(queries.shape[-2], device=queries.device)[:, None] - torch.arange(keys.shape[-2], device=keys.device)


def sliding_window_attention(q, k, v):
    distances = _distances(q, k)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=(distances >= 0) & (distances < WINDOW))


def alibi_slope(head, heads):
    """Press et al., Train Short, Test Long, 2022."""
    return 2.0 ** (-8.0 * (head + 1) / heads)


def alibi_attention(q, k, v):
    distances = _distances(q, k)
    slopes = alibi_slope(torch.arange(q.shape[1], device=q.device), q.shape[1])
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5 - slopes[:, None, None] * distances
    return torch.softmax(torch.where(distances >= 0, scores, float("-inf")), -1).to(v.dtype) @ v


def is_causal(batch, head, query, key):
    return query >= key


def is_near(batch, head, query, key):
    return (query >= key) & (query - key < WINDOW)


def alibi_bias(heads):
    return lambda score, batch, head, query, key: score - alibi_slope(head, heads) * (query - key)


def soft_cap(score, batch, head, query, key):
    return 20 * torch.tanh(score / 20)


def _scored_attention(batch, heads, tokens, size):
    """Rows next to FlexAttention: scores that are functions of positions."""
    shape = (batch, heads, tokens, size)

    def row(function, pairs, *flex):
        return _row(lambda: Function(function), shape, shape, shape, dtype=BF16, flops=4 * batch * heads * pairs * size,
                    flex=flex)

    pairs, name = tokens * (tokens + 1) // 2, f"{batch}x{heads}x{tokens}x{size} bf16"
    hidden = (tokens - WINDOW) * (tokens - WINDOW + 1) // 2
    return {f"attention window {WINDOW} {name}": row(sliding_window_attention, pairs - hidden, None, is_near),
            f"attention ALiBi {name}": row(alibi_attention, pairs, alibi_bias(heads), is_causal)}


class FlexAttention(nn.Module):
    """With what changes a score, or None, and a mask of whole blocks."""

    def __init__(self, change, mask, tokens):
        super().__init__()
        from torch.nn.attention.flex_attention import create_block_mask
        self.change = change
        self.blocks = create_block_mask(mask, None, None, tokens, tokens, device=str(torch.get_default_device()))

    def forward(self, q, k, v):
        from torch.nn.attention.flex_attention import flex_attention
        return flex_attention(q, k, v, score_mod=self.change, block_mask=self.blocks)


def _of_documents(tokens, length):
    documents = torch.arange(tokens) // length
    return lambda batch, head, query, key: (documents[query] == documents[key]) & (query >= key)


def flex_rows():
    """Calls of FlexAttention itself, which rivals compile."""
    batch, heads, tokens, size = 2, 16, 4096, 128

    def row(change, mask):
        return _row(lambda: FlexAttention(change, mask(), tokens), *[(batch, heads, tokens, size)] * 3, dtype=BF16)

    name = f"{batch}x{heads}x{tokens}x{size} bf16"
    return {f"FlexAttention causal {name}": row(None, lambda: is_causal),
            f"FlexAttention window {WINDOW} {name}": row(None, lambda: is_near),
            f"FlexAttention ALiBi {name}": row(alibi_bias(heads), lambda: is_causal),
            f"FlexAttention documents {name}": row(None, lambda: _of_documents(tokens, 700)),
            f"FlexAttention tanh {name}": row(soft_cap, lambda: is_causal)}


class ScaledProduct(nn.Module):
    """A product of floats of 8 bits with a factor for each operand; in f64, as the exact result, of any numbers."""

    def forward(self, x, weight, scale, weight_scale):
        if x.dtype.itemsize == 1:
            return torch._scaled_mm(x, weight.t(), scale, weight_scale, out_dtype=BF16)
        return (x @ weight.t()) * scale * weight_scale


def _products_of_8_bits(n):
    def floats():
        return (*(torch.randn(n, n).to(torch.float8_e4m3fn) for _ in range(2)), torch.tensor(0.5), torch.tensor(0.25))

    def integers():
        return tuple(torch.randint(-128, 128, (n, n), dtype=torch.int8) for _ in range(2))

    rows = {"f8": (ScaledProduct, floats), "i8": (lambda: Function(lambda x, weight: torch._int_mm(x, weight.t())), integers)}
    return {f"matmul {n}^3 {name}": GPURow(lambda module=module: module().eval(), inputs, flops=2 * n**3, is_single_kernel=True)
            for name, (module, inputs) in rows.items()}


class DecodeStep(nn.Module):
    """One token through a decoder of 16 layers with a cache of keys and values:
    RMS norm, fused projections, MLP gated by silu."""

    def __init__(self, layers=16, dim=2048, heads=32, cache=1024):
        super().__init__()
        self.heads = heads

        def linear(inputs, outputs):
            return nn.Linear(inputs, outputs, bias=False)

        self.layers = nn.ModuleList(
            nn.ModuleDict({"qkv": linear(dim, 3 * dim), "out": linear(dim, dim), "gate_up": linear(dim, 8 * dim),
                           "down": linear(4 * dim, dim)}) for _ in range(layers))
        self.norms = nn.ParameterList(nn.Parameter(torch.ones(dim)) for _ in range(2 * layers))
        self.cache = nn.ParameterList(
            nn.Parameter(torch.randn(1, heads, cache, dim // heads), requires_grad=False) for _ in range(2 * layers))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            qkv = layer["qkv"](rms_norm(x, self.norms[2 * i])).view(1, 1, 3, self.heads, -1)
            q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
            keys = torch.cat([self.cache[2 * i][:, :, 1:], k], 2)
            values = torch.cat([self.cache[2 * i + 1][:, :, 1:], v], 2)
            attended = F.scaled_dot_product_attention(q, keys, values)
            x = x + layer["out"](attended.transpose(1, 2).reshape(1, 1, -1))
            gate, up = layer["gate_up"](rms_norm(x, self.norms[2 * i + 1])).chunk(2, -1)
            x = x + layer["down"](F.silu(gate) * up)
        return x


class FirstOutput(nn.Module):
    """A model of transformers that returns its first result alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, value):
        return self.model(value, return_dict=False)[0]


class ChannelsLast(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model.to(memory_format=torch.channels_last)

    def forward(self, pixels):
        return self.model(pixels.contiguous(memory_format=torch.channels_last))


def resnet50():
    from transformers import ResNetConfig, ResNetForImageClassification
    return ChannelsLast(Logits(ResNetForImageClassification(ResNetConfig(num_labels=1000))))


def vit():
    from transformers import ViTConfig, ViTForImageClassification
    return Logits(ViTForImageClassification(ViTConfig(num_labels=1000)))


class GroupedProduct(nn.Module):
    """Rows that have been sorted by expert; group i ends at ends[i]."""

    def forward(self, x, weight, ends):
        if x.dtype == BF16:
            return torch._grouped_mm(x, weight.transpose(1, 2), offs=ends)
        begins = [0, *ends.tolist()[:-1]]
        return torch.cat([x[begin:end] @ weight[i].t() for i, (begin, end) in enumerate(zip(begins, ends.tolist()))])


def _grouped(rows, experts, depth, lanes):
    def inputs():
        ends = torch.sort(torch.randint(0, rows + 1, (experts,), dtype=torch.int32))[0]
        ends[-1] = rows
        return torch.randn(rows, depth).to(BF16), torch.randn(experts, lanes, depth).to(BF16), ends

    return {f"grouped {rows}x{depth}x{lanes} on {experts} bf16":
            GPURow(lambda: GroupedProduct().eval(), inputs, flops=2 * rows * depth * lanes, is_single_kernel=True)}


class QuantisedLinear(nn.Module):
    """A weight of i8 with a scale for each 128 elements of a row."""

    def __init__(self, depth, lanes, group=128):
        super().__init__()
        self.register_buffer("weight", self.make_weight(depth, lanes))
        self.register_buffer("scale", torch.rand(lanes, depth // group, 1) * 0.01)

    def make_weight(self, depth, lanes):
        return torch.randint(-127, 128, (lanes, depth), dtype=torch.int8)

    def integers(self):
        return self.weight

    def forward(self, x):
        lanes, groups, _ = self.scale.shape
        weight = self.integers().view(lanes, groups, -1).to(x.dtype) * self.scale
        return F.linear(x, weight.view(lanes, -1))


class PackedLinear(QuantisedLinear):
    """A weight of 4 bits, two of a byte, the first one low, with such scales."""

    def make_weight(self, depth, lanes):
        return torch.randint(0, 256, (lanes, depth // 2), dtype=torch.uint8)

    def integers(self):
        return torch.stack((self.weight & 15, self.weight >> 4), -1).to(torch.int8) - 8


def _quantised(rows, depth, lanes):
    return {f"linear of {bits} weights {rows}x{depth}x{lanes} bf16": _row(
        lambda module=module: module(depth, lanes), (rows, depth), dtype=BF16, flops=2 * rows * depth * lanes)
        for bits, module in (("i8", QuantisedLinear), ("4-bit", PackedLinear))}


def bert():
    from transformers import BertConfig, BertModel
    return FirstOutput(BertModel(BertConfig(), add_pooling_layer=False))


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    return FirstOutput(LlamaForCausalLM(LlamaConfig(
        num_hidden_layers=16, hidden_size=2048, num_attention_heads=32, num_key_value_heads=8, intermediate_size=8192,
        vocab_size=32000, use_cache=False)))


def _row(module, *shapes, dtype=F32, ids=None, **more):
    def inputs():
        if ids:
            return (torch.randint(0, ids, shapes[0]),)
        return tuple(torch.randn(shape).to(dtype) for shape in shapes)
    return GPURow(lambda: module().eval().to(dtype), inputs, **more)


def _kernel(function, *shapes, bytes, dtype=F32):
    return _row(lambda: Function(function), *shapes, dtype=dtype, bytes=bytes, is_single_kernel=True)


def _memory_bound():
    softmax = lambda x: torch.softmax(x, -1)
    relu_add = lambda x, y: torch.relu(x + y) * 2
    return {
        "relu(x+y)*2 4096^2 f32": _kernel(relu_add, (4096, 4096), (4096, 4096), bytes=12 * 4096**2),
        "relu(x+y)*2 16384^2 f32": _kernel(relu_add, (16384, 16384), (16384, 16384), bytes=12 * 16384**2),
        "swiglu 16384x14336 bf16": _kernel(lambda a, b: F.silu(a) * b, (16384, 14336), (16384, 14336), dtype=BF16,
                                           bytes=6 * 16384 * 14336),
        "LN+gelu+scale 8192x512 f32": _row(lambda: LayerNormGeluScale(512), (64, 128, 512), bytes=8 * 8192 * 512,
                                           is_single_kernel=True),
        "LN+gelu+scale 65536x4096 bf16": _row(lambda: LayerNormGeluScale(4096), (16, 4096, 4096), dtype=BF16,
                                              bytes=4 * 65536 * 4096, is_single_kernel=True),
        "entropy 32x196x768 f32": _kernel(entropy, (32, 196, 768), bytes=4 * 32 * 196 * 769),
        "entropy 262144x1024 f32": _kernel(entropy, (256, 1024, 1024), bytes=4 * 262144 * 1025),
        "softmax 8192^2 bf16": _kernel(softmax, (8192, 8192), dtype=BF16, bytes=4 * 8192**2),
        "softmax 4096x131072 bf16": _kernel(softmax, (4096, 131072), dtype=BF16, bytes=4 * 4096 * 131072),
        "rms_norm 32768x4096 bf16": _kernel(rms_norm, (32768, 4096), (4096,), dtype=BF16, bytes=4 * 32768 * 4096),
        "column sum 16384^2 f32": _kernel(lambda x: x.sum(0), (16384, 16384), bytes=4 * 16384**2),
        "transpose+1 8192^2 f32": _kernel(lambda x: x.t().contiguous() + 1, (8192, 8192), bytes=8 * 8192**2),
        "linear+gelu 1x4096x14336 bf16": _row(lambda: nn.Sequential(nn.Linear(4096, 14336), nn.GELU()), (1, 4096),
                                              dtype=BF16, bytes=2 * 4096 * 14336, is_single_kernel=True),
    }


def _attention(kind, batch, heads, key_heads, tokens, size):
    """Attention that is causal, full, or that of a step of decoding: of one query a head, which reads all keys and values."""
    shares = heads != key_heads

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=kind == "causal", enable_gqa=shares)

    queries, share = 1 if kind == "decode" else tokens, 2 if kind == "causal" else 4
    keys = (batch, key_heads, tokens, size)
    name = f"attention {kind} {batch}x{heads}x{tokens}x{size}{f' on {key_heads} heads' if shares else ''} bf16"
    work = ({"bytes": 4 * batch * size * (key_heads * tokens + heads)} if kind == "decode"
            else {"flops": share * batch * heads * tokens**2 * size})
    return {name: _row(lambda: Function(attend), (batch, heads, queries, size), keys, keys, dtype=BF16, is_single_kernel=True,
                       **work)}


def _linear_f32(rows, depth, lanes):
    """Without tf32, as PyTorch has it by default."""
    return {f"linear {rows}x{depth}x{lanes} f32": _row(lambda: nn.Linear(depth, lanes), (rows, depth), flops=2 * rows * depth * lanes,
                                                       is_single_kernel=True)}


def _contractions():
    table = {f"matmul {n}^3 bf16": _row(lambda: Function(torch.matmul), (n, n), (n, n), dtype=BF16, flops=2 * n**3,
                                        is_single_kernel=True) for n in (2048, 4096, 5000, 8192)}
    table |= _products_of_8_bits(8192)
    for shape in ((1024, 1024, 1024), (4096, 4096, 4096), (3000, 777, 1000), (512, 768, 3072), (16, 4096, 4096)):
        table |= _linear_f32(*shape)
    for one, other in (((96, 512, 64), (96, 64, 512)), ((96, 512, 512), (96, 512, 64))):
        table[f"bmm {'x'.join(map(str, one))} by {other[-1]} f32"] = _row(
            lambda: Function(torch.bmm), one, other, flops=2 * one[0] * one[1] * one[2] * other[-1], is_single_kernel=True)
    for rows, experts, depth, lanes in ((4096, 8, 4096, 14336), (4096, 64, 2048, 1408), (64, 8, 4096, 14336)):
        table |= _grouped(rows, experts, depth, lanes)
    for rows in (1, 16, 512):
        table |= _quantised(rows, 4096, 14336)
    table["linear+gelu 8192x4096x16384 bf16"] = _row(
        lambda: nn.Sequential(nn.Linear(4096, 16384), nn.GELU()), (8192, 4096), dtype=BF16, flops=2 * 8192 * 4096 * 16384,
        is_single_kernel=True)
    for kind, shape in (("causal", (4, 16, 16, 4096, 128)), ("full", (4, 16, 16, 4096, 128)), ("causal", (2, 16, 16, 512, 128)),
                        ("causal", (4, 16, 16, 4096, 64)), ("full", (4, 16, 16, 4096, 64)), ("causal", (4, 32, 8, 2048, 128)),
                        ("decode", (8, 16, 16, 4096, 128)), ("decode", (8, 32, 8, 4096, 128)), ("decode", (1, 32, 8, 4096, 128))):
        table |= _attention(kind, *shape)
    return table | _scored_attention(4, 16, 4096, 128)


def rows():
    table = _memory_bound() | {
        "attention scores 32x1x768, 32x196x768 f32": _row(lambda: Function(attention_scores), (32, 1, 768), (32, 196, 768)),
        "20 x linear 256 b8 f32": _row(ManySmallLayers, (8, 256)),
    } | _contractions()
    for batch in (1, 32):
        table[f"block d768 h12 b{batch} t128 bf16"] = _row(lambda: Block(768, 12), (batch, 128, 768), dtype=BF16)
        table[f"ResNet-50 b{batch} bf16"] = _row(resnet50, (batch, 3, 224, 224), dtype=BF16)
    return table | {
        "ViT-B/16 b32 bf16": _row(vit, (32, 3, 224, 224), dtype=BF16),
        "BERT-base b8 t128 bf16": _row(bert, (8, 128), dtype=BF16, ids=30522),
        "GPT-2 small b8 t1024 bf16": _row(lambda: GPT(12, 768, 12, 50304), (8, 1024), dtype=BF16, ids=50304),
        "Llama 16x2048 b1 t512 bf16": _row(llama, (1, 512), dtype=BF16, ids=32000),
        "decode step 16x2048 cache 1024 b1 bf16": _row(DecodeStep, (1, 1, 2048), dtype=BF16),
    }
