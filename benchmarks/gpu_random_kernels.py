"""Random kernels as plain PyTorch functions: those that are bound by memory, and
products of matrices, which have the seeds from FIRST_PRODUCT on. From FIRST_LINEAR on
they are not random: the linear layers of known models, LINEAR_COUNT of them. From
FIRST_ATTENTION on they are attention, masked or not, written out or as one call; from
FIRST_CONVOLUTION on convolutions of one to three dimensions.

`sample(seed)` draws a function, the shapes, element types and layouts of its inputs
and whether its sizes are symbolic; equal seeds give equal kernels. The text of the
function is its description, and is what is run: with the element types of its
inputs, and with f64 in their place. tc-fuzz has the random modules for correctness;
these are of the forms and sizes whose speed matters, and a rival can run them.
"""

import random
from dataclasses import dataclass, field

import torch
from torch.nn import functional

KINDS = ("pointwise", "row", "column", "full", "transpose", "layout")
PRODUCT, LINEAR, ATTENTION, CONVOLUTION = PRODUCTS = "product", "linear", "attention", "convolution"
FIRST_PRODUCT, FIRST_LINEAR, FIRST_ATTENTION, FIRST_CONVOLUTION = 10_000, 20_000, 30_000, 40_000
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
ROW_LENGTHS = (33, 127, 196, 512, 768, 1000, 1024, 2048, 3072, 4096, 5000, 8192, 14336, 16384, 32768, 50257, 131072)
SMALL_ELEMENTS = 1 << 15  # of the largest input, where the interpreter is the reference and rows are not longer
SECTOR = 32  # bytes that memory is read in

PRODUCT_ROWS = (1, 7, 16, 64, 100, 128, 333, 512, 1000, 2048, 4096, 5000, 8192, 16384)
PRODUCT_SIZES = (64, 72, 100, 128, 320, 512, 768, 1000, 1024, 2048, 2560, 3072, 4096, 5000, 11008, 14336)
MOST_MULTIPLICATIONS = 1 << 37
HEAD_SIZES = (64, 64, 128, 128, 32, 80, 96, 160, 256)
TOKENS = (1, 17, 64, 100, 128, 197, 256, 333, 512, 1000, 1024, 2048, 4096, 8192)
MOST_SCORES = 1 << 28
CHANNELS = (64, 64, 128, 128, 256, 512, 1024, 3, 8, 24, 40, 96, 144)
PIXELS = {1: (64, 197, 1000, 4096), 2: (7, 14, 28, 33, 56, 112), 3: (4, 8, 14)}  # along each dimension

# Outputs and inputs of linear layers, bf16: BERT and GPT-2 base, their large forms, a
# language model of 1, of 8 and of 70 billion parameters, one of experts, and layers of
# diffusion models; vocabularies are odd.
LINEAR_LAYERS = (
    (2304, 768), (768, 768), (3072, 768), (768, 3072), (50257, 768), (3072, 1024), (1024, 4096), (2048, 2048),
    (16384, 2048), (2048, 8192), (6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336), (10240, 8192), (8192, 8192),
    (1408, 2048), (2560, 320), (1280, 1280), (32001, 4096))
# Rows: tokens of a decode step, of a batch of them, images' patches, prompts.
LINEAR_ROWS = (1, 16, 64, 512, 2048, 4, 33, 128, 1000, 4096, 8, 100, 256, 1024, 8192, 2, 197, 384, 1576, 16384)
ROWS_OF_LAYER = 5
LINEAR_COUNT = len(LINEAR_LAYERS) * ROWS_OF_LAYER

UNARY = ("torch.relu({0})", "functional.gelu({0})", "functional.gelu({0}, approximate='tanh')", "functional.silu({0})",
         "torch.sigmoid({0})", "torch.tanh({0})", "{0}.abs()", "-{0}", "torch.exp(-{0}.abs())", "torch.sqrt({0}.abs() + 1)",
         "torch.rsqrt({0} * {0} + 1)", "({0} * 1.25)", "({0} + 0.5)", "{0}.clamp(-1.5, 1.5)", "torch.log1p({0}.abs())")
BINARY = ("({0} + {1})", "({0} - {1})", "({0} * {1})", "torch.maximum({0}, {1})", "({0} / ({1}.abs() + 1))")
ROWS_TO_ROWS = (
    "torch.softmax({0}, -1)", "torch.log_softmax({0}, -1)", "functional.layer_norm({0}, ({0}.shape[-1],))",
    "({0} * torch.rsqrt(({0} * {0}).mean(-1, keepdim=True) + 1e-6))", "({0} - {0}.mean(-1, keepdim=True))",
    "({0} / ({0}.abs().amax(-1, keepdim=True) + 1e-3))")
ROWS_TO_VALUES = ("{0}.sum(-1)", "{0}.mean(-1)", "{0}.amax(-1)", "{0}.var(-1, correction=0)", "torch.logsumexp({0}, -1)",
                  "-(torch.softmax({0}, -1) * torch.log_softmax({0}, -1)).sum(-1)", "torch.linalg.vector_norm({0}, dim=-1)")
COLUMNS = ("{0}.sum(0)", "{0}.mean(0)", "{0}.amax(0)", "({0} * {0}).sum(0)")
FULL = ("{0}.sum()", "{0}.mean()", "{0}.amax()", "({0} * {0}).sum()")


@dataclass(frozen=True)
class Input:
    shape: tuple
    dtype: str
    layout: str = "dense"  # or misaligned, pitched (rows are apart), strided (columns are), transposed
    is_index: bool = False
    bound: int = 0  # of indices

    def make(self):
        """Random values in this layout on torch's current device."""
        if self.is_index:
            return torch.randint(0, self.bound, self.shape)
        dtype, shape = TYPES[self.dtype], self.shape
        new = lambda *sizes: torch.randn(sizes).to(dtype)
        if self.layout == "misaligned":
            count = 1
            for size in shape:
                count *= size
            return new(count + 1)[1:].view(shape)
        if self.layout == "pitched":
            return new(*shape[:-1], shape[-1] + 24)[..., :shape[-1]]
        if self.layout == "strided":
            return new(*shape[:-1], 2 * shape[-1])[..., ::2]
        if self.layout == "transposed":
            return new(*shape[:-2], shape[-1], shape[-2]).transpose(-1, -2)
        return new(*shape)


def bytes_read(value):
    """Bytes that memory has to give for a tensor to be read once: sectors, where its
    innermost elements are apart."""
    count = 1
    for size, stride in zip(value.shape, value.stride()):
        count *= size if stride else 1
    innermost = min((stride for stride in value.stride() if stride), default=1)
    return count * min(SECTOR, innermost * value.element_size())


@dataclass(frozen=True)
class Kernel:
    seed: int
    kind: str
    inputs: tuple
    source: str  # of function(x0, x1, ...)
    is_symbolic: bool
    known_dims: tuple  # of each input, whose sizes are known where others are symbolic
    small: tuple = field(repr=False)  # inputs of the same form that the interpreter is quick with

    def function(self, exact=False):
        names = {name: torch.float64 if exact else dtype for name, dtype in TYPES.items()}
        scope = {"torch": torch, "functional": functional, **names}
        exec(compile(self.source, f"<kernel {self.seed}>", "exec"), scope)
        return scope["function"]

    def describe(self):
        inputs = ", ".join(f"{'x'.join(map(str, one.shape))}x{one.dtype}"
                           + (f" {one.layout}" if one.layout != "dense" else "") for one in self.inputs)
        body = "; ".join(line.strip() for line in self.source.splitlines()[1:])
        return f"{self.kind}{' symbolic' if self.is_symbolic else ''} ({inputs}): {body}"


class _Drawing:
    """A kernel that is being drawn."""

    def __init__(self, seed, is_small=False):
        self.random, self.is_small = random.Random(seed), is_small
        self.seed, self.lines, self.inputs, self.known_dims = seed, [], [], ()
        self.dtype = self.random.choices(("f32", "bf16", "f16"), (4, 5, 1))[0]
        self.bytes = 2 ** self.random.uniform(24, 30.5)  # of the largest input

    def add(self, expression, *operands):
        self.lines.append(expression.format(*operands))
        return f"t{len(self.lines) - 1}"

    def new_input(self, shape, layouts=("dense",), dtype=None):
        self.inputs.append(Input(tuple(shape), dtype or self.dtype, self.random.choice(layouts)))
        return f"x{len(self.inputs) - 1}"

    def matrix(self, columns=None):
        """Rows and columns of an input of about self.bytes."""
        columns = columns or self.random.choice(ROW_LENGTHS)
        rows = max(1, round(self.bytes / TYPES[self.dtype].itemsize / columns))
        return [rows - self.random.randrange(min(rows, 8)), columns]

    def layouts(self):
        return ("dense",) * 6 + ("misaligned", "pitched", "strided")

    def pointwise(self, value, shape, steps):
        """`steps` operations on `value`, some with new inputs that are broadcast."""
        for _ in range(steps):
            if self.random.random() < 0.6 or len(self.inputs) > 3:
                value = self.add(self.random.choice(UNARY), value)
                continue
            form = self.random.choice(("same", "same", "row", "column"))
            other = shape if form == "same" else [1] * (len(shape) - 1) + shape[-1:] if form == "row" else shape[:-1] + [1]
            layouts = self.layouts() if form == "same" else ("dense",)
            value = self.add(self.random.choice(BINARY), value, self.new_input(other, layouts))
        return value

    def cast(self, value):
        return self.add("{0}.to(" + self.random.choice(tuple(TYPES)) + ")", value) if self.random.random() < 0.2 else value

    # One for each kind: the result, or results.

    def draw_pointwise(self):
        shape = self.matrix()
        if self.random.random() < 0.3 and shape[0] >= 16:
            shape = [shape[0] // 16, 16, shape[1]]
        value = self.new_input(shape, self.layouts())
        value = self.pointwise(value, shape, self.random.randint(1, 5))
        if self.random.random() < 0.15:
            return [value, self.add(self.random.choice(UNARY), value)]
        return [self.cast(value)]

    def draw_row(self):
        shape = self.matrix()
        value = self.pointwise(self.new_input(shape, self.layouts()), shape, self.random.choice((0, 0, 1, 2)))
        if self.random.random() < 0.65:
            value = self.add(self.random.choice(ROWS_TO_ROWS), value)
            value = self.pointwise(value, shape, self.random.choice((0, 1, 2, 3)))
        else:
            value = self.add(self.random.choice(ROWS_TO_VALUES), value)
        return [self.cast(value)]

    def draw_column(self):
        shape = self.matrix(self.random.choice((64, 100, 768, 1024, 4096, 5000, 16384)))
        value = self.pointwise(self.new_input(shape, self.layouts()), shape, self.random.choice((0, 0, 1, 2)))
        return [self.add(self.random.choice(COLUMNS), value)]

    def draw_full(self):
        shape = self.matrix()
        value = self.pointwise(self.new_input(shape, self.layouts()), shape, self.random.choice((0, 0, 1)))
        return [self.add(self.random.choice(FULL), value)]

    def draw_transpose(self):
        side = max(16, round((self.bytes / TYPES[self.dtype].itemsize) ** 0.5))
        rows = side - self.random.randrange(9)
        columns = side - self.random.choice((0, 0, side % 64, 1, 5))
        if self.random.random() < 0.4:
            shape = [self.random.choice((3, 8)), max(1, rows // 4), max(1, columns // 2)]
            order = self.random.choice(((0, 2, 1), (1, 0, 2), (2, 1, 0)))
        else:
            shape, order = [rows, columns], (1, 0)
        value = self.pointwise(self.new_input(shape), shape, self.random.choice((0, 1)))
        value = self.add("{0}.permute(" + ", ".join(map(str, order)) + ").contiguous()", value)
        return [self.pointwise(value, [shape[axis] for axis in order], self.random.choice((0, 1, 2)))]

    def draw_layout(self):
        """Slices, concatenations, paddings and gathers."""
        shape = self.matrix()
        value = self.new_input(shape)
        form = self.random.choice(("slice", "concatenate", "pad", "gather", "roll"))
        if form == "slice":
            value = self.add("{0}[:, 1:].clone()", value)  # no view
        elif form == "concatenate":
            value = self.add("torch.cat([{0}, {1}], " + self.random.choice("01") + ")", value, self.new_input(shape))
        elif form == "pad":
            value = self.add("functional.pad({0}, (3, 5))", value)
        elif form == "gather":
            self.inputs.append(Input((shape[0],), "i64", is_index=True, bound=shape[0]))
            value = self.add("{0}[{1}]", value, "x1")
        else:
            value = self.add("torch.cat([{0}[:, 1:], {0}[:, :1]], 1)", value)
        for _ in range(self.random.choice((0, 1, 2))):
            value = self.add(self.random.choice(UNARY), value)
        return [value]

    def draw_product(self):
        self.dtype = self.random.choice(("bf16", "bf16", "bf16", "f16"))
        layouts = ("dense",) * 6 + ("misaligned", "pitched")
        batch = self.random.choice(([], [], [], [3], [16]))
        while True:
            rows, columns, depth = (self.random.choice(sizes) for sizes in (PRODUCT_ROWS, PRODUCT_SIZES, PRODUCT_SIZES))
            if torch.Size(batch).numel() * rows * columns * depth <= MOST_MULTIPLICATIONS:
                break
        left = self.new_input(batch + [rows, depth], layouts)
        if self.random.random() < 0.7:
            value = self.add("({0} @ {1}.transpose(-1, -2))", left, self.new_input(batch + [columns, depth], layouts))
        else:
            value = self.add("({0} @ {1})", left, self.new_input(batch + [depth, columns], layouts))
        value = self.add("({0} * {1})", value, depth ** -0.5)  # results of a size that functions make a difference to
        return [self.cast(self.pointwise(value, batch + [rows, columns], self.random.choice((0, 0, 1, 2))))]

    def draw_linear(self):
        """Layer by layer, each with five numbers of rows: all numbers are drawn as often."""
        self.dtype = "bf16"
        layer, number = divmod(self.seed - FIRST_LINEAR, ROWS_OF_LAYER)
        columns, depth = LINEAR_LAYERS[layer]
        rows = LINEAR_ROWS[(layer % (len(LINEAR_ROWS) // ROWS_OF_LAYER)) * ROWS_OF_LAYER + number]
        return [self.add("functional.linear({0}, {1})", self.new_input((rows, depth)), self.new_input((columns, depth)))]

    def draw_attention(self):
        """One in four is written out; heads share keys in one of three."""
        choose = self.random.choice
        self.dtype = choose(("bf16", "bf16", "bf16", "f16"))
        size, layouts = choose(HEAD_SIZES), ("dense",) * 6 + ("misaligned", "pitched")
        while True:
            batch, groups, sharers = choose((1, 2, 4, 8)), choose((1, 2, 4, 8, 12, 16)), choose((1, 1, 4))
            queries, keys = choose(TOKENS), choose(TOKENS)
            keys = queries if self.random.random() < 0.7 else keys
            if batch * groups * sharers * queries * keys <= MOST_SCORES:
                break
        if queries == 1:  # PyTorch 2.11 ends with a misaligned address where values of a single key are
            layouts = tuple("dense" if layout == "misaligned" else layout for layout in layouts)
        heads = groups * sharers
        shapes = ((heads, queries), (groups, keys), (groups, keys))
        self.known_dims = (1, 3)  # how many heads there are, and their size
        if self.random.random() < 0.4:  # heads next to each other, as projections leave them
            self.known_dims = (2, 3)
            q, k, v = (self.add("{0}.transpose(1, 2)", self.new_input((batch, tokens, count, size), layouts))
                       for count, tokens in shapes)
        else:
            q, k, v = (self.new_input((batch, count, tokens, size), layouts) for count, tokens in shapes)
        form = choose(("full", "causal", "causal", "mask", "bias", "written"))
        if form == "written" and sharers == 1:
            scores = self.add("({0} @ {1}.transpose(-1, -2) * {2})", q, k, size ** -0.5)
            return [self.add("(torch.softmax({0}, -1) @ {1})", scores, v)]
        options = {"causal": ", is_causal=True", "bias": ", attn_mask={3}", "mask": ", attn_mask={3} > -1"}.get(form, "")
        options += ", enable_gqa=True" if sharers > 1 else ""
        mask = self.new_input((choose((1, batch)), choose((1, heads)), queries, keys)) if "{3}" in options else ""
        return [self.add("functional.scaled_dot_product_attention({0}, {1}, {2}" + options + ")", q, k, v, mask)]

    def draw_convolution(self):
        """Images with their channels last in two of three; one in eight has a filter a channel."""
        choose = self.random.choice
        self.dtype = choose(("bf16", "bf16", "bf16", "f16"))
        dims = choose((2, 2, 2, 2, 2, 1, 3))
        is_last = self.random.random() < 0.67
        while True:
            batch, channels, filters = choose((1, 2, 8, 32)), choose(CHANNELS), choose(CHANNELS)
            pixels = [choose(PIXELS[dims])] * dims
            side, stride, dilation = choose((1, 1, 3, 3, 3, 5, 7)), choose((1, 1, 2)), choose((1, 1, 1, 2))
            padding = choose((0, dilation * (side // 2)))
            places = [(size + 2 * padding - dilation * (side - 1) - 1) // stride + 1 for size in pixels]
            groups = choose((1, 1, 1, 1, 1, 1, 2, channels))
            if groups == channels:
                filters = channels
            multiplications = batch * filters * channels // groups * side ** dims * torch.Size(places).numel()
            if min(places) > 0 and channels % groups == filters % groups == 0 and multiplications <= MOST_MULTIPLICATIONS // 2:
                break
        scale = (channels // groups * side ** dims) ** -0.5
        if self.is_small:  # the same draws, of sizes that an interpreter is quick with
            fewer = lambda count: count if count <= 24 else 8 + count // 8 % 3 * 8
            batch, channels, filters = min(batch, 2), fewer(channels), fewer(filters)
            pixels = [max(min(size, 12 + size % 8), dilation * (side - 1) + 1) for size in pixels]
            places = [(size + 2 * padding - dilation * (side - 1) - 1) // stride + 1 for size in pixels]
            groups = groups if groups <= 2 else channels
        # Of filters in groups the number is known.
        self.known_dims = (1, 2, 3, 4) if groups == 1 else (0, 1, 2, 3, 4)
        images = self.new_input([batch, *pixels, channels] if is_last else [batch, channels, *pixels],
                                ("dense",) * 6 + ("misaligned",))
        to_first = ".permute(" + ", ".join(map(str, (0, dims + 1, *range(1, dims + 1)))) + ")"
        to_last = ".permute(" + ", ".join(map(str, (0, *range(2, dims + 2), 1))) + ")"
        if is_last:
            images = self.add("{0}" + to_first, images)
        weights = self.new_input([filters, channels // groups, *[side] * dims])
        count = str(groups) if groups <= 2 else "{0}.shape[1]"
        value = self.add(f"functional.conv{dims}d({{0}}, {{1}}, {choose(('None', '{2}'))}, {stride}, {padding}, {dilation}, "
                         + count + ")", images, weights, f"x{len(self.inputs)}")
        if f"x{len(self.inputs)}" in self.lines[-1]:
            self.new_input([filters])
        shape = [batch, filters, *places]
        value = self.add("({0} * {1})", value, scale)
        if is_last:
            value, shape = self.add("{0}" + to_last, value), [batch, *places, filters]
        return [self.cast(self.pointwise(value, shape, choose((0, 1, 1, 2))))]


def _smaller(kind, inputs):
    """The same inputs with sizes that an interpreter is quick with. Rows stay as
    long as they are; sizes that are equal stay equal."""
    largest = max((one.shape for one in inputs), key=lambda shape: torch.Size(shape).numel())
    if kind == ATTENTION:
        cut = lambda size: size if size in HEAD_SIZES or size <= 64 else 20 + size % 64
    elif kind in PRODUCTS:
        cut = lambda size: min(size, 72 + size // 64 % 12 * 8 + size % 8)  # strides stay multiples of what they are
    elif kind == "transpose":
        cut = lambda size: min(size, 120 + size % 64)
    else:
        rows = max(2, int((SMALL_ELEMENTS / largest[-1]) ** (1 / (len(largest) - 1))))
        cut = lambda size: min(size, rows) if size in largest[:-1] and size != largest[-1] else size
    return tuple(Input(tuple(map(cut, one.shape)), one.dtype, one.layout, one.is_index, cut(one.bound)) for one in inputs)


def sample(seed):
    drawing = _Drawing(seed)
    if FIRST_LINEAR + LINEAR_COUNT <= seed < FIRST_ATTENTION:
        raise ValueError(f"there is no kernel with seed {seed}; expected one below {FIRST_LINEAR + LINEAR_COUNT}, or from "
                         f"{FIRST_ATTENTION} on")
    firsts = ((FIRST_CONVOLUTION, CONVOLUTION), (FIRST_ATTENTION, ATTENTION), (FIRST_LINEAR, LINEAR), (FIRST_PRODUCT, PRODUCT))
    kind = next((kind for first, kind in firsts if seed >= first), KINDS[seed % len(KINDS)])
    results = getattr(drawing, f"draw_{kind}")()
    arguments = ", ".join(f"x{index}" for index in range(len(drawing.inputs)))
    lines = [f"def function({arguments}):"]
    lines += [f"    t{index} = {line}" for index, line in enumerate(drawing.lines)]
    lines.append(f"    return {', '.join(results)}")
    is_symbolic = kind != LINEAR and drawing.random.random() < 0.35
    if kind == CONVOLUTION:
        small = _Drawing(seed, is_small=True)
        small.draw_convolution()
        smaller = tuple(small.inputs)
    else:
        smaller = _smaller(kind, drawing.inputs)
    return Kernel(seed, kind, tuple(drawing.inputs), "\n".join(lines) + "\n", is_symbolic, drawing.known_dims, smaller)
