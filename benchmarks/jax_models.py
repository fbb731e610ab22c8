"""The rows of workloads.py as JAX functions: `FUNCTIONS[row](parameters, *inputs)`,
with the parameters of the row's PyTorch module by name."""

import jax
import jax.numpy as jnp
from jax import nn


def to_jax(tensor):
    return jax.dlpack.from_dlpack(tensor.detach().contiguous())


def parameters(module):
    return {name: to_jax(value) for name, value in module.state_dict().items()}


def linear(p, name, x):
    y = x @ p[f"{name}.weight"].T
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def layer_norm(p, name, x):
    wide = x.astype(jnp.float32)
    mean = wide.mean(-1, keepdims=True)
    variance = jnp.square(wide - mean).mean(-1, keepdims=True)
    scaled = (wide - mean) * jax.lax.rsqrt(variance + 1e-5)
    return (scaled * p[f"{name}.weight"] + p[f"{name}.bias"]).astype(x.dtype)


def gelu(x):
    return nn.gelu(x, approximate=False)


def causal_attention(_, q, k, v):
    """Inputs are batch, heads, tokens, size of a head."""
    swap = lambda x: x.transpose(0, 2, 1, 3)
    return swap(nn.dot_product_attention(swap(q), swap(k), swap(v), is_causal=True))


def block(p, x, heads=8, prefix=""):
    batch, tokens, dim = x.shape
    qkv = linear(p, f"{prefix}qkv", layer_norm(p, f"{prefix}norm1", x))
    q, k, v = jnp.moveaxis(qkv.reshape(batch, tokens, 3, heads, dim // heads), 2, 0)
    attended = nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, tokens, dim)
    x = x + linear(p, f"{prefix}out", attended)
    return x + linear(p, f"{prefix}down", gelu(linear(p, f"{prefix}up", layer_norm(p, f"{prefix}norm2", x))))


def gpt(p, ids):
    x = p["tokens.weight"][ids] + p["positions.weight"][jnp.arange(ids.shape[1])]
    for i in range(4):
        x = block(p, x, heads=12, prefix=f"blocks.{i}.")
    return linear(p, "head", layer_norm(p, "norm", x))


def entropy(_, x):
    probability = nn.softmax(x, -1)
    return -(probability * jnp.log(probability + 1e-9)).sum(-1)


def query_content(_, query, content):
    normalize = lambda x: x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-12)
    return nn.softmax(jnp.einsum("bd,btd->bt", normalize(query), normalize(content)) / 0.07, -1)


def many_small_layers(p, x):
    for i in range(20):
        x = nn.relu(linear(p, f"layers.{i}", x))
    return x


def perceptron(p, x):
    return linear(p, "4", nn.relu(linear(p, "2", nn.relu(linear(p, "0", x)))))


def relu_add(_, x, y):
    return nn.relu(x + y) * 2


def norm_gelu_scale(p, x):
    return gelu(layer_norm(p, "norm", x)) * 1.2 + 0.1


def rms_norm(_, x, weight):
    scale = jax.lax.rsqrt(jnp.square(x.astype(jnp.float32)).mean(-1, keepdims=True) + 1e-6)
    return (x * scale).astype(x.dtype) * weight


def attention_scores(_, query, content):
    scores = query @ content.swapaxes(-2, -1) / content.shape[-1] ** 0.5
    return nn.softmax(scores, -1)


def softmax(_, x):
    return nn.softmax(x, -1)


def linear_gelu(p, x):
    return gelu(linear(p, "0", x))


FUNCTIONS = {
    "relu(x+y)*2 4096^2 f32": relu_add,
    "relu(x+y)*2 512^2 f32": relu_add,
    "LN+gelu+scale 8192x512 f32": norm_gelu_scale,
    "LN+gelu+scale 8192x4096 bf16": norm_gelu_scale,
    "entropy 32x196x768 f32": entropy,
    "softmax 4096^2 f32": softmax,
    "column sum 4096^2 f32": lambda _, x: x.sum(0),
    "transpose+1 4096^2 f32": lambda _, x: x.T + 1,
    "query-content 32x196x512 f32": query_content,
    "20 x linear 256 b8 f32": many_small_layers,
    "MLP 784-512-256-10 b64 f32": perceptron,
    "block d512 h8 b1 t128 f32": block,
    "attention causal 8x8x512x64 f32": causal_attention,
    "GPT 4 layers x 768 t128 f32": gpt,
}
for _dtype in ("f32", "bf16"):
    FUNCTIONS |= {
        f"matmul 1024^3 {_dtype}": lambda _, x, y: x @ y,
        f"linear+gelu 512x1024x4096 {_dtype}": linear_gelu,
        f"linear 1x4096x14336 {_dtype}": lambda p, x: x @ p["weight"].T + p["bias"],
        f"block d512 h8 b8 t128 {_dtype}": block,
    }

# The rows of gpu_workloads.py.
CUDA_FUNCTIONS = {
    "relu(x+y)*2 4096^2 f32": relu_add,
    "relu(x+y)*2 16384^2 f32": relu_add,
    "swiglu 16384x14336 bf16": lambda _, a, b: nn.silu(a) * b,
    "LN+gelu+scale 8192x512 f32": norm_gelu_scale,
    "LN+gelu+scale 65536x4096 bf16": norm_gelu_scale,
    "entropy 32x196x768 f32": entropy,
    "entropy 262144x1024 f32": entropy,
    "softmax 8192^2 bf16": softmax,
    "softmax 4096x131072 bf16": softmax,
    "rms_norm 32768x4096 bf16": rms_norm,
    "column sum 16384^2 f32": lambda _, x: x.sum(0),
    "transpose+1 8192^2 f32": lambda _, x: x.T + 1,
    "linear+gelu 1x4096x14336 bf16": linear_gelu,
    "linear+gelu 8192x4096x16384 bf16": linear_gelu,
    "attention scores 32x1x768, 32x196x768 f32": attention_scores,
    "20 x linear 256 b8 f32": many_small_layers,
    "attention causal 4x16x4096x128 bf16": causal_attention,
    "attention causal 2x16x512x128 bf16": causal_attention,
}
for _size in (2048, 4096, 5000, 8192):
    CUDA_FUNCTIONS[f"matmul {_size}^3 bf16"] = lambda _, x, y: x @ y
for _batch in (1, 32):
    CUDA_FUNCTIONS[f"block d768 h12 b{_batch} t128 bf16"] = lambda p, x: block(p, x, heads=12)
