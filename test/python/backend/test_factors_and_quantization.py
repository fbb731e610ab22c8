"""Gradients of systems and determinants, fake quantisation, and sums of exponentials along a sequence."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, agrees_with_gradients  # noqa: E402

TOLERANCES = {"rtol": 1e-4, "atol": 1e-5}


def matrices(*sizes, dtype=torch.float64):
    return (torch.randn(*sizes, dtype=dtype) + 3 * torch.eye(sizes[-1], dtype=dtype)).requires_grad_()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_of_systems(dtype):
    a, b = matrices(2, 5, 5, dtype=dtype), torch.randn(2, 5, 3, dtype=dtype, requires_grad=True)
    agrees_with_gradients(torch.linalg.solve, a, b, **TOLERANCES)
    agrees_with_gradients(lambda a, b: torch.linalg.solve(a, b.mT, left=False), a, b, **TOLERANCES)
    agrees_with_gradients(lambda a, b: torch.linalg.solve(a[0], b[0, :, 0]), a, b, **TOLERANCES)
    agrees_with_gradients(lambda a, b: torch.linalg.solve_ex(a[0], b)[0], a, b, **TOLERANCES)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_of_determinants(dtype):
    a = matrices(2, 4, 4, dtype=dtype)
    agrees_with_gradients(torch.linalg.det, a, **TOLERANCES)
    agrees_with_gradients(lambda a: torch.linalg.det(a.mT), a, **TOLERANCES)
    agrees_with_gradients(lambda a: torch.linalg.slogdet(a)[1], a, **TOLERANCES)
    agrees_with_gradients(lambda a: torch.linalg.slogdet(a.mT)[1], a, **TOLERANCES)
    agrees_with_gradients(lambda a: torch.logdet(a @ a.mT), a, **TOLERANCES)


def test_determinants_without_gradients_are_routines():
    from tc import torch_backend
    with torch.no_grad():
        agrees(lambda a, b: (torch.linalg.det(a), *torch.linalg.slogdet(a), torch.linalg.solve(a, b)), matrices(4, 4), torch.randn(4, dtype=torch.float64))
    report = torch_backend.compiled_graphs[-1].programs[0].report()
    assert len(report["kernels"]) <= 8  # the factors of four columns alone would be more


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_fake_quantization(dtype):
    x = (torch.randn(4, 7) * 3).to(dtype).requires_grad_()
    agrees_with_gradients(lambda x: torch.fake_quantize_per_tensor_affine(x, .1, 3, 0, 15), x)
    agrees_with_gradients(lambda x: torch.fake_quantize_per_tensor_affine(x, .25, 0, -8, 7), x)
    scales, zeros = torch.tensor([.07, .1, .5, 1.]), torch.tensor([0, 1, -3, 2], dtype=torch.int32)
    if dtype != torch.float64:  # eager PyTorch wants scales of the elements' type there
        agrees_with_gradients(lambda x: torch.fake_quantize_per_channel_affine(x, scales, zeros, 0, -8, 7), x)


def test_fake_quantization_by_tensors():
    x = (torch.randn(4, 7) * 3).requires_grad_()
    agrees_with_gradients(lambda x, s, z: torch.fake_quantize_per_tensor_affine(x, s, z, 0, 15),
                          x, torch.tensor(.1), torch.tensor(3, dtype=torch.int32))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies(n):
    agrees(lambda: (torch.fft.fftfreq(n), torch.fft.fftfreq(n, d=.3), torch.fft.rfftfreq(n, d=.3),
                    torch.fft.fftfreq(n, dtype=torch.float64), torch.fft.rfftfreq(n, dtype=torch.float64)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_sums_of_exponentials_along_a_sequence(dtype, dim):
    for scale, cotangents in ((1, torch.randn), (100, torch.rand)):  # f32 has few digits of what cancels among large numbers
        agrees_with_gradients(lambda x: x.logcumsumexp(dim), (scale * torch.randn(7, 33, dtype=dtype)).requires_grad_(),
                              cotangents=cotangents, **TOLERANCES)


def test_sums_of_exponentials_of_special_values():
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([[1., inf, 2, -inf], [-inf, -inf, 3, -0.], [nan, 1, 2, 3]])
    agrees(lambda x, y, z: (x.logcumsumexp(0), x.logcumsumexp(1), y.logcumsumexp(0), z.logcumsumexp(1)), x, torch.randn(()),
           torch.randn(3, 0))
