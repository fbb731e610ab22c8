"""Products of matrices on a CUDA device, as calls of cuBLASLt, against f64 and eager."""

import concurrent.futures
import itertools

import pytest

torch = pytest.importorskip("torch")
import tc  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device")

NAMES = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16"}
#: batches, rows, columns, length of the sums
SHAPES = [(1, 128, 256, 64), (1, 333, 517, 129), (1, 64, 64, 4096), (1, 1024, 768, 768), (1, 40, 30000, 96),
          (6, 100, 72, 200), (24, 64, 64, 512)]
EPILOGUES = ["none", "bias", "bias_relu", "bias_gelu_tanh", "relu", "gelu_tanh", "scale", "scale_bias"]


def matrix(*sizes):
    return "x".join(str(size) for size in sizes)


def source(shape, dtype, epilogue, transposes=(False, True)):
    """The program; operands that are transposed have the summed dimension where a row-major one has not."""
    batches, rows, columns, reduced = shape
    prefix, letter = ((batches,), "b") if batches > 1 else ((), "")
    left, right = ("km" if transposes[0] else "mk"), ("nk" if transposes[1] else "kn")
    sizes = {"m": rows, "n": columns, "k": reduced}
    types = [f"tensor<{matrix(*prefix, *(sizes[name] for name in names))}x{NAMES[dtype]}>"
             for names in (left, right, "mn")]
    bias, scalar = f"tensor<{columns}x{NAMES[dtype]}>", f"tensor<{NAMES[dtype]}>"
    lines = [f'%0 = tc.contract "{letter}{left},{letter}{right}->{letter}mn" %x, %y : {types[0]}, {types[1]} -> {types[2]}']
    value = "%0"
    for index, part in enumerate(epilogue.replace("gelu_tanh", "gelu").split("_")):
        name = f"%v{index}"
        if part == "scale":
            lines += [f"%s = tc.constant dense<1.250000e-01> : {scalar}",
                      f"%t = tc.broadcast %s dims [] : {scalar} -> {types[2]}",
                      f"{name} = tc.mul {value}, %t : {types[2]}"]
        elif part == "bias":
            lines += [f"%c = tc.broadcast %b dims [{len(prefix) + 1}] : {bias} -> {types[2]}",
                      f"{name} = tc.add {value}, %c : {types[2]}"]
        elif part in ("relu", "gelu"):
            lines.append(f"{name} = tc.{'relu' if part == 'relu' else 'gelu_tanh'} {value} : {types[2]}")
        else:
            continue
        value = name
    body = "\n  ".join(lines)
    argument = f", %b: {bias}" if "bias" in epilogue else ""
    return (f"func.func @main(%x: {types[0]}, %y: {types[1]}{argument}) -> {types[2]} {{\n  {body}\n"
            f"  return {value} : {types[2]}\n}}")


def inputs(shape, dtype, transposes=(False, True)):
    batches, rows, columns, reduced = shape
    prefix = (batches,) if batches > 1 else ()
    make = lambda *sizes: torch.randn(*sizes, device="cuda", dtype=torch.float32).to(dtype)  # noqa: E731
    x = make(*prefix, *((reduced, rows) if transposes[0] else (rows, reduced)))
    y = make(*prefix, *((columns, reduced) if transposes[1] else (reduced, columns)))
    return x, y, make(columns)


def expected(x, y, bias, epilogue, transposes=(False, True)):
    """The same in PyTorch, in the type of the operands."""
    left, right = (x.mT if transposes[0] else x), (y.mT if transposes[1] else y)
    value = left @ right
    if "scale" in epilogue:
        value = value * 0.125
    if "bias" in epilogue:
        value = value + bias
    if "relu" in epilogue:
        value = torch.relu(value)
    if "gelu" in epilogue:
        value = torch.nn.functional.gelu(value, approximate="tanh")
    return value


def error(value, exact):
    return (value.double() - exact).square().mean().sqrt().item()


def check(compiled, arguments, epilogue, transposes=(False, True)):
    x, y, bias = arguments
    result = compiled(x, y, bias) if "bias" in epilogue else compiled(x, y)
    exact = expected(x.double(), y.double(), bias.double(), epilogue, transposes)
    eager = expected(x, y, bias, epilogue, transposes)
    assert result.dtype == x.dtype
    try:
        torch.testing.assert_close(result, eager)
    except AssertionError:
        assert error(result, exact) <= 1.1 * error(eager, exact)


def schedules(compiled):
    return [kernel.schedule for kernel in compiled.kernels]


def compile_product(shape, dtype, epilogue, transposes=(False, True), **options):
    compiled = tc.compile(source(shape, dtype, epilogue, transposes), device="cuda", libraries="host", **options)
    assert len(schedules(compiled)) == 1 and "#tc.library_schedule" in schedules(compiled)[0], schedules(compiled)
    return compiled


@pytest.mark.parametrize("dtype", NAMES, ids=NAMES.get)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: matrix(*shape))
def test_every_epilogue(shape, dtype):
    torch.manual_seed(0)
    arguments = inputs(shape, dtype)
    for epilogue in EPILOGUES:
        check(compile_product(shape, dtype, epilogue), arguments, epilogue)


@pytest.mark.parametrize("dtype", NAMES, ids=NAMES.get)
def test_every_order_in_memory(dtype):
    torch.manual_seed(0)
    for shape, transposes in itertools.product([(1, 200, 300, 100), (5, 96, 80, 104)],
                                               itertools.product([False, True], repeat=2)):
        check(compile_product(shape, dtype, "bias", transposes), inputs(shape, dtype, transposes), "bias", transposes)


@pytest.mark.parametrize("dtype", NAMES, ids=NAMES.get)
def test_addresses_that_are_aligned_to_one_element(dtype):
    torch.manual_seed(0)
    compiled = compile_product((1, 128, 256, 64), dtype, "bias")
    aligned = inputs((1, 128, 256, 64), dtype)
    moved = []
    for tensor in aligned:
        memory = torch.empty(tensor.numel() + 1, device="cuda", dtype=dtype)
        memory[1:].copy_(tensor.flatten())
        moved.append(memory[1:].view(tensor.shape))
    check(compiled, aligned, "bias")
    check(compiled, moved, "bias")


@pytest.mark.parametrize("epilogue", EPILOGUES)
def test_nan_and_infinity(epilogue):
    """They come out where they do of eager."""
    x, y, bias = inputs((1, 128, 256, 64), torch.float32)
    x[3, 5], x[7, 1], y[9, 2] = float("nan"), float("inf"), -float("inf")
    compiled = compile_product((1, 128, 256, 64), torch.float32, epilogue)
    result = compiled(x, y, bias) if "bias" in epilogue else compiled(x, y)
    torch.testing.assert_close(result, expected(x, y, bias, epilogue), equal_nan=True)


def test_results_are_the_same_in_every_run():
    x, y, bias = inputs((1, 64, 64, 4096), torch.bfloat16)
    compiled = compile_product((1, 64, 64, 4096), torch.bfloat16, "bias")
    first = compiled(x, y, bias)
    for _ in range(20):
        assert torch.equal(compiled(x, y, bias), first)


def test_threads_and_streams():
    """Calls at the same time, each with a bias of its own."""
    shape = (1, 256, 256, 256)
    compiled = compile_product(shape, torch.float32, "bias")
    x, y, _ = inputs(shape, torch.float32)
    torch.cuda.synchronize()

    def work(seed):
        with torch.cuda.stream(torch.cuda.Stream()):
            for turn in range(50):
                bias = torch.full((256,), float(100 * seed + turn), device="cuda")
                torch.testing.assert_close(compiled(x, y, bias), x @ y.mT + bias)

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))


def test_between_cuda_graphs():
    compiled = tc.compile("""func.func @main(%x: tensor<128x256xf32>, %w: tensor<256x256xf32>) -> tensor<128x256xf32> {
  %0 = tc.layer_norm %x rank 1 eps 1.000000e-05 : tensor<128x256xf32>
  %1 = tc.contract "mk,kn->mn" %0, %w : tensor<128x256xf32>, tensor<256x256xf32> -> tensor<128x256xf32>
  %2 = tc.softmax %1 dim 1 : tensor<128x256xf32>
  %3 = tc.contract "mk,kn->mn" %2, %w : tensor<128x256xf32>, tensor<256x256xf32> -> tensor<128x256xf32>
  return %3 : tensor<128x256xf32>
}""", device="cuda", mode="reduce-overhead", libraries="host")
    assert sum("#tc.library_schedule" in schedule for schedule in schedules(compiled)) == 2
    for _ in range(6):
        x, w = torch.randn(128, 256, device="cuda"), torch.randn(256, 256, device="cuda")
        eager = torch.softmax(torch.layer_norm(x, (256,)) @ w, 1) @ w
        torch.testing.assert_close(compiled(x, w), eager, rtol=1e-4, atol=1e-4)


def test_libraries_are_asked_for():
    text = source((1, 128, 128, 128), torch.float32, "none")
    compiled = tc.compile(text, device="cuda")
    assert all("#tc.library_schedule" not in schedule for schedule in schedules(compiled))
    check(compiled, inputs((1, 128, 128, 128), torch.float32), "none")
