"""Fourier transforms and arithmetic of complex numbers, next to PyTorch."""

import pytest
import torch

pytest.importorskip("tc")

from operator_call import agrees

fft = torch.fft


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("length", [1, 2, 7, 16, 30, 97, 400])
def test_transforms_of_rows(length, dtype):
    x = torch.randn(3, length, dtype=dtype)
    agrees(lambda x: torch.view_as_real(fft.fft(x).resolve_conj()), x)
    agrees(lambda x: torch.view_as_real(fft.rfft(x).resolve_conj()), x)
    agrees(lambda x: fft.irfft(fft.rfft(x), n=length), x)
    agrees(lambda x: fft.ifft(fft.fft(x)).real, x)
    agrees(lambda x: fft.hfft(fft.rfft(x), n=length), x)
    agrees(lambda x: torch.view_as_real(fft.ihfft(x).resolve_conj()), x)


@pytest.mark.parametrize("norm", ["forward", "backward", "ortho"])
@pytest.mark.parametrize("n", [None, 5, 12])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_lengths_dimensions_and_norms(norm, n, dim):
    x = torch.randn(6, 8, 3)
    agrees(lambda x: torch.view_as_real(fft.fft(x, n, dim, norm).resolve_conj()), x)
    agrees(lambda x: torch.view_as_real(fft.ifft(x, n, dim, norm).resolve_conj()), x)
    agrees(lambda x: torch.view_as_real(fft.rfft(x, n, dim, norm).resolve_conj()), x)
    agrees(lambda x: fft.irfft(torch.complex(x, x), n, dim, norm), x)


def test_several_dimensions():
    x = torch.randn(2, 6, 9)
    agrees(lambda x: fft.fft2(x).real, x)
    agrees(lambda x: fft.fftn(x, norm="ortho").imag, x)
    agrees(lambda x: fft.fft2(fft.fft(x)).real, x)
    agrees(lambda x: fft.irfft2(fft.rfft2(x, norm="ortho"), s=(6, 9), norm="ortho"), x)
    agrees(lambda x: fft.irfftn(fft.rfftn(x, dim=(1, 0)), s=(6, 2), dim=(1, 0)), x)
    agrees(lambda x: fft.ifft2(fft.fft2(x, s=(4, 12))).real, x)


def test_complex_tensors_cross_the_boundary():
    z = torch.randn(4, 6, dtype=torch.complex64)
    agrees(fft.fft, z)
    agrees(lambda z: z * 2 + z.conj(), z)
    agrees(lambda z: z.mT, z.to(torch.complex128))


@pytest.mark.parametrize("function", [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x * y.real,
    lambda x, y: -x, lambda x, y: x.conj() * y, lambda x, y: torch.exp(x), lambda x, y: x.sum(-1),
    lambda x, y: x.mean(), lambda x, y: x @ y.mT, lambda x, y: 3 * x, lambda x, y: x / 2.5])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_arithmetic(function, dtype):
    agrees(function, torch.randn(4, 6, dtype=dtype), torch.randn(4, 6, dtype=dtype))


@pytest.mark.parametrize("function", [torch.abs, torch.angle, torch.view_as_real, lambda x: x.real, lambda x: x.imag])
def test_real_numbers_from_complex(function):
    agrees(function, torch.randn(4, 6, dtype=torch.complex64))


def test_rotary_embedding():
    """Positions as rotations of pairs, as language models write them."""
    def rotate(x, angles):
        turns = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turns).flatten(-2)

    agrees(rotate, torch.randn(2, 5, 8), torch.randn(5, 4))


@pytest.mark.parametrize("n_fft, hop, width", [(16, 4, 16), (20, 7, 12), (400, 160, 400)])
def test_short_time_transforms(n_fft, hop, width):
    x, window = torch.randn(2, 1000), torch.hann_window(width)

    def magnitudes(x, window, **options):
        return torch.stft(x, n_fft, hop, width, window, return_complex=True, **options).abs()

    agrees(magnitudes, x, window)
    agrees(lambda x, window: magnitudes(x, window, center=False, normalized=True, onesided=False), x[0], window)


def test_spectral_filter():
    """A global filter: weights in the frequencies of an image."""
    def layer(x, w):
        return fft.irfft2(fft.rfft2(x, norm="ortho") * torch.view_as_complex(w), s=(6, 8), norm="ortho")

    agrees(layer, torch.randn(2, 6, 8), torch.randn(6, 5, 2))
