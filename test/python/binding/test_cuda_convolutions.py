"""Convolutions on a CUDA device, as calls of cuDNN, against f64 and eager."""

import dataclasses

import pytest

torch = pytest.importorskip("torch")
import tc  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device")

NAMES = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16"}
EPILOGUES = ["", "bias", "bias_relu", "bias_addend", "bias_addend_relu", "scale", "scale_bias_relu"]


@dataclasses.dataclass(frozen=True)
class Shape:
    images: tuple  # N, C, spatial
    filters: int
    window: tuple
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1

    @property
    def weight(self):
        return (self.filters, self.images[1] // self.groups, *self.window)

    @property
    def result(self):
        places = [(size + 2 * self.padding - self.dilation * (points - 1) - 1) // self.stride + 1
                  for size, points in zip(self.images[2:], self.window)]
        return (self.images[0], self.filters, *places)


SHAPES = [Shape((2, 8, 20, 17), 24, (5, 5)), Shape((1, 3, 33, 30), 16, (7, 7), stride=2, padding=3),
          Shape((3, 64, 14, 14), 24, (1, 1), stride=2), Shape((2, 32, 12, 12), 40, (3, 3), padding=2, dilation=2),
          Shape((2, 24, 10, 10), 48, (3, 3), padding=1, groups=3), Shape((4, 16, 200), 32, (7,), padding=3),
          Shape((1, 8, 6, 7, 9), 16, (3, 3, 3), padding=1)]


def ordered(sizes, is_last):
    return (sizes[0], *sizes[2:], sizes[1]) if is_last else tuple(sizes)


def source(shape, dtype, is_last, epilogue):
    """A kernel with the library's schedule, which is no choice of the machine model's."""
    spatial, parts = len(shape.window), epilogue.split("_")
    groups = shape.groups
    result, weight = shape.result, shape.weight
    sizes = [result[0], groups, shape.filters // groups, *result[2:], weight[1], *shape.window]
    names = ["n", "g", "o", *(f"p{i}" for i in range(spatial)), "c", *(f"k{i}" for i in range(spatial))]
    # A single group is no dimension, nor is a window's point where it has one.
    places = [i for i in range(len(sizes)) if (i != 1 or groups > 1) and not (names[i][0] == "k" and sizes[i] == 1)]
    dims = {name: f"d{index}" for index, name in enumerate(names[i] for i in places)}
    dims |= {f"k{i}": "0" for i in range(spatial) if shape.window[i] == 1}
    reduced = [index for index, i in enumerate(places) if i >= 3 + spatial]
    domain = ", ".join(f'#tc.dim<"{names[i]}", {"reduced" if i >= 3 + spatial else "parallel"}, {sizes[i]}>' for i in places)
    in_group = lambda inner, size: f"{dims['g']} * {size} + {dims[inner]}" if groups > 1 else dims[inner]  # noqa: E731
    out, channel = in_group("o", shape.filters // groups), in_group("c", weight[1])
    at = [f"{dims[f'p{i}']} * {shape.stride} + {dims[f'k{i}']} * {shape.dilation} - {shape.padding}" for i in range(spatial)]
    arguments = ", ".join(f"d{index}" for index in range(len(places)))
    to_map = lambda *indices: f"affine_map<({arguments}) -> ({', '.join(ordered(indices, is_last))})>"  # noqa: E731
    type_of = lambda dims: f"tensor<{'x'.join(map(str, dims))}x{NAMES[dtype]}>"  # noqa: E731
    x, w, y = (type_of(ordered(dims, is_last)) for dims in (shape.images, weight, result))
    bias = type_of((shape.filters,))
    inputs = [("x", x), ("w", w)] + [("b", bias)] * ("bias" in parts) + [("z", y)] * ("addend" in parts)
    within = ""
    if shape.padding:
        ends = ", ".join(f"{index} >= 0, {size - 1} - ({index}) >= 0" for index, size in zip(at, shape.images[2:]))
        within = f" within affine_set<({arguments}) : ({ends})>"
    fields = ["library = cudnn, images = 0, filters = 1"]
    fields += ["bias = 2"] * ("bias" in parts) + ["addend = 3"] * ("addend" in parts) + ["relu = true"] * ("relu" in parts)
    fields += ["scale = 1.250000e-01 : f32"] * ("scale" in parts) + ["channels_last = true"] * is_last
    element = NAMES[dtype]
    body = [f"%p = tc.read %kx[{to_map(dims['n'], channel, *at)}]{within} : {x} -> {element}",
            f"%q = tc.read %kw[{to_map(out, dims['c'], *(dims[f'k{i}'] for i in range(spatial)))}] : {w} -> {element}",
            f"%s = tc.contract_stage %p, %q over {reduced} : {element}, {element} -> f32"]
    value = "%s"
    results = to_map(dims["n"], out, *(dims[f"p{i}"] for i in range(spatial)))

    def add(op, name, operands=""):
        nonlocal value
        body.append(f"%{name} = tc.{op} {value}{operands} : f32")
        value = f"%{name}"

    def read(name, map_text, buffer):
        body.append(f"%r{name} = tc.read %k{name}[{map_text}] : {buffer} -> {element}")
        if element == "f32":
            return f"%r{name}"
        body.append(f"%f{name} = tc.cast %r{name} : {element} to f32")
        return f"%f{name}"

    if "scale" in parts:
        body.append("%c = tc.scalar 1.250000e-01 : f32")
        add("mul", "m", ", %c")
    if "bias" in parts:
        add("add", "v", f", {read('b', f'affine_map<({arguments}) -> ({out})>', bias)}")
    if "addend" in parts:
        add("add", "u", f", {read('z', results, y)}")
    if "relu" in parts:
        add("relu", "l")
    if element != "f32":
        body.append(f"%t = tc.cast {value} : f32 to {element}")
        value = "%t"
    body.append(f"tc.write {value}, %ky[{results}] : {element}, {y}")
    ins = ", ".join(f"%k{name} = %{name} : {type_}" for name, type_ in inputs)
    lines = "\n      ".join(body)
    return f"""module attributes {{tc.libraries = ["cudnn"]}} {{
  func.func @main({', '.join(f'%{name}: {type_}' for name, type_ in inputs)}) -> {y} {{
    %e = tc.empty : {y}
    %0 = tc.kernel "convolution" contraction dims [{domain}] schedule #tc.convolution_library_schedule<{', '.join(fields)}, workspace = 67108864> ins({ins}) outs(%ky = %e : {y}) {{
      {lines}
    }}
    return %0 : {y}
  }}
}}"""


def expected(arguments, shape, epilogue, is_last):
    x, w, bias, addend = arguments
    if is_last:
        x, w, addend = (value.movedim(-1, 1) for value in (x, w, addend))
    convolve = getattr(torch.nn.functional, f"conv{len(shape.window)}d")
    value = convolve(x, w, None, shape.stride, shape.padding, shape.dilation, shape.groups)
    if "scale" in epilogue:
        value = value * 0.125
    if "bias" in epilogue:
        value = value + bias.reshape(-1, *(1 for _ in shape.window))
    if "addend" in epilogue:
        value = value + addend
    if "relu" in epilogue:
        value = torch.relu(value)
    return value.movedim(1, -1) if is_last else value


def error(value, exact):
    return (value.double() - exact).square().mean().sqrt().item()


@pytest.fixture(autouse=True)
def no_tf32():
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    yield
    torch.backends.cudnn.allow_tf32 = before


@pytest.mark.parametrize("is_last", [True, False], ids=["channels_last", "channels_second"])
@pytest.mark.parametrize("dtype", NAMES, ids=NAMES.get)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape.images)))
def test_every_epilogue(shape, dtype, is_last):
    torch.manual_seed(0)
    make = lambda sizes: torch.randn(sizes, device="cuda").to(dtype)  # noqa: E731
    arguments = [make(ordered(shape.images, is_last)), make(ordered(shape.weight, is_last)), make((shape.filters,)),
                 make(ordered(shape.result, is_last))]
    for epilogue in EPILOGUES:
        compiled = tc.compile(source(shape, dtype, is_last, epilogue), device="cuda")
        assert ["#tc.convolution_library_schedule" in kernel.schedule for kernel in compiled.kernels] == [True]
        given = arguments[:2] + arguments[2:3] * ("bias" in epilogue) + arguments[3:] * ("addend" in epilogue)
        result = compiled(*given)
        eager = expected(arguments, shape, epilogue, is_last)
        assert result.dtype == dtype and result.shape == eager.shape
        try:
            torch.testing.assert_close(result, eager)
        except AssertionError:
            exact = expected([value.double() for value in arguments], shape, epilogue, is_last)
            assert error(result, exact) <= 1.1 * error(eager, exact), (shape, dtype, epilogue)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=NAMES.get)
def test_relu_keeps_nan(dtype):
    shape = SHAPES[0]
    x = torch.randn(ordered(shape.images, True), device="cuda").to(dtype)
    x[0, 3, 3, 0] = torch.nan
    w = torch.randn(ordered(shape.weight, True), device="cuda").to(dtype)
    bias = torch.zeros(shape.filters, device="cuda", dtype=dtype)
    result = tc.compile(source(shape, dtype, True, "bias_relu"), device="cuda")(x, w, bias)
    eager = expected([x, w, bias, bias.new_zeros(ordered(shape.result, True))], shape, "bias_relu", True)
    assert torch.equal(result.isnan(), eager.isnan())


def test_graphs_end_at_the_call():
    """What is before and behind the call is replayed as CUDA graphs, for ever new addresses."""
    shape = SHAPES[3]
    text = source(shape, torch.float32, True, "bias_relu")
    compiled = tc.compile(text, device="cuda", mode="reduce-overhead")
    w = torch.randn(ordered(shape.weight, True), device="cuda")
    bias = torch.randn(shape.filters, device="cuda")
    for _ in range(6):
        x = torch.randn(ordered(shape.images, True), device="cuda")
        eager = expected([x, w, bias, bias.new_zeros(ordered(shape.result, True))], shape, "bias_relu", True)
        torch.testing.assert_close(compiled(x, w, bias), eager, rtol=1e-4, atol=1e-4)
