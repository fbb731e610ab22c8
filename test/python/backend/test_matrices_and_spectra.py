"""Least squares, systems of tensors, principal components, and transforms of symmetric spectra."""

import itertools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from agreement_with_eager import agrees, agrees_with_gradients, compiled, results_and_gradients  # noqa: E402

NORMS = [None, "ortho", "forward"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.float32, torch.float64])
def test_spectra_of_symmetric_signals(dtype, norm):
    tolerances = {"rtol": 1e-5, "atol": 1e-5} if dtype.itemsize <= 8 and dtype != torch.float64 else {}
    x = torch.randn(3, 4, 5, dtype=dtype)
    agrees_with_gradients(lambda x: (
        torch.fft.hfftn(x, norm=norm), torch.fft.hfftn(x, s=(2, 7), dim=(0, 1), norm=norm), torch.fft.hfftn(x, dim=(-1,), norm=norm),
        torch.fft.hfftn(x.mT, s=(5, 4), norm=norm)), x.requires_grad_(), **tolerances)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_symmetric_spectra_of_signals(dtype, norm):
    tolerances = {"rtol": 1e-5, "atol": 1e-5} if dtype == torch.float32 else {}
    x = torch.randn(3, 4, 5, dtype=dtype)
    agrees_with_gradients(lambda x: (
        torch.fft.ihfftn(x, norm=norm), torch.fft.ihfftn(x, s=(2, 7), dim=(0, 1), norm=norm), torch.fft.ihfftn(x, dim=(-1,), norm=norm),
        torch.fft.ihfftn(x.mT, s=(5, 4), norm=norm)), x.requires_grad_(), **tolerances)


def test_spectra_of_integers():
    agrees(lambda x: (torch.fft.hfftn(x), torch.fft.ihfftn(x), torch.fft.ihfftn(x != 0), torch.fft.hfftn(x[:, :1], s=(4, 1))),
           torch.arange(12).reshape(3, 4), rtol=1e-5, atol=1e-5)


def spectrum_of(sizes, n_fft, hop, window=None, **how):
    return torch.stft(torch.randn(sizes, dtype=torch.float64), n_fft, hop, window=window, return_complex=True, **how)


@pytest.mark.parametrize("hop,center,normalized,onesided", list(itertools.product([2, 4], [True, False], [False, True], [None, False])))
def test_signals_of_short_time_spectra(hop, center, normalized, onesided):
    """Without a centre only a window that is nowhere 0 has an inverse."""
    window = torch.hamming_window(8, dtype=torch.float64)
    spectrum = spectrum_of((2, 24), 8, hop, window, center=center, normalized=normalized, onesided=onesided)
    agrees(lambda x, w: torch.istft(x, 8, hop, window=w, center=center, normalized=normalized, onesided=onesided), spectrum, window)


@pytest.mark.parametrize("how", [{}, {"length": 20}, {"length": 30}, {"win_length": 6}, {"return_complex": True, "onesided": False}])
def test_signals_of_one_spectrum(how):
    spectrum = spectrum_of((24,), 8, 3, onesided=how.get("onesided"))
    agrees_with_gradients(lambda x: torch.istft(x, 8, 3, **how), spectrum.requires_grad_())
    agrees(lambda x: torch.istft(x, 8, 3, **how), spectrum.detach().to(torch.complex64), rtol=1e-5, atol=1e-5)


def residual_free(a, b):
    return torch.linalg.lstsq(a, b).solution


@pytest.mark.parametrize("sizes", [(5, 3), (3, 3), (3, 5), (2, 5, 3)])
def test_least_squares(sizes):
    a, b = torch.randn(sizes, dtype=torch.float64), torch.randn(*sizes[:-1], 2, dtype=torch.float64)
    agrees_with_gradients(residual_free, a.clone().requires_grad_(), b.clone().requires_grad_())
    agrees(lambda a, b: tuple(torch.linalg.lstsq(a, b)), a, b)


@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.host
def test_drivers_of_least_squares(driver):
    a, b = torch.randn(6, 3), torch.randn(6, 2)
    agrees(lambda a, b: tuple(torch.linalg.lstsq(a, b, rcond=1e-4, driver=driver)), a, b, options={})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_systems_of_tensors(dtype):
    tolerances = {} if dtype in (torch.float64, torch.complex128) else {"rtol": 1e-3, "atol": 1e-4}
    a, b = torch.randn(2, 3, 6, dtype=dtype), torch.randn(2, 3, dtype=dtype)
    a = a + 3 * torch.eye(6).reshape(2, 3, 6)
    agrees(torch.linalg.tensorsolve, a, b, **tolerances)
    agrees_with_gradients(torch.linalg.tensorsolve, a.clone().requires_grad_(), b.clone().requires_grad_(), options={}, **tolerances)
    agrees(lambda a, b: torch.linalg.tensorsolve(a, b, dims=(1,)), a.movedim(-1, 1), b, **tolerances)


def test_principal_components_of_a_matrix_of_low_rank():
    """As many components as its rank are the matrix itself, centred or not; they are orthonormal."""
    def components(a, center):
        return torch.pca_lowrank(a, q=4, center=center, niter=3)

    a = torch.randn(12, 3, dtype=torch.float64) @ torch.randn(3, 8, dtype=torch.float64)
    for center in (True, False):
        u, s, v = compiled(components)(a, center)
        whole = a - a.mean(0) if center else a
        assert u.shape == (12, 4) and s.shape == (4,) and v.shape == (8, 4) and s.dtype == torch.float64
        torch.testing.assert_close((u * s) @ v.mT, whole, rtol=1e-8, atol=1e-8)
        torch.testing.assert_close(s, torch.linalg.svdvals(whole)[:4], rtol=1e-8, atol=1e-8)
        torch.testing.assert_close(v.mT @ v, torch.eye(4, dtype=torch.float64), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.filterwarnings("ignore:torch.cholesky is deprecated")
def test_the_factor_of_a_matrix_that_has_none_is_an_error(upper, dtype):
    """As torch.linalg.cholesky() has it, and its deprecated namesake: a torch.linalg.LinAlgError."""
    a = torch.randn(2, 3, 3, dtype=dtype)
    a = a @ a.mH + 3 * torch.eye(3, dtype=dtype)
    for factor in (torch.cholesky, torch.linalg.cholesky):
        run = agrees(lambda x: factor(x, upper=upper), a, rtol=1e-5, atol=1e-5)
        with pytest.raises(torch.linalg.LinAlgError, match="order 1 is not positive-definite"):
            run(-a)


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64])
@pytest.mark.parametrize("sizes", [(5, 5), (2, 6, 4)])
def test_gradients_of_products_of_reflections_are_near_those_in_f64(sizes, dtype):
    """Of reflections as they come, which are large: those of eager PyTorch are up to a thousandth off."""
    for name in ("householder_product", "orgqr"):
        function = getattr(torch.linalg, name, None) or getattr(torch, name)
        given = [3 * torch.randn(sizes, dtype=dtype), 3 * torch.randn(sizes[:-2] + sizes[-1:], dtype=dtype)]
        wide = [one.to(torch.promote_types(dtype, torch.float64)).requires_grad_() for one in given]
        found = results_and_gradients(compiled(function), [one.requires_grad_() for one in given])
        wanted = results_and_gradients(function, wide)
        for one, exact in zip((found[0], *found[1]), (wanted[0], *wanted[1])):
            torch.testing.assert_close(one.to(exact.dtype), exact, rtol=1e-6, atol=1e-6 * exact.abs().max().item())


def test_products_of_reflections_that_pytorch_refuses():
    for a, tau in ((torch.randn(3, 4), torch.randn(3)), (torch.randn(4, 3), torch.randn(4)), (torch.randn(4, 3), torch.randn(3).double())):
        with pytest.raises(RuntimeError):
            compiled(torch.linalg.householder_product)(a.requires_grad_(), tau)
