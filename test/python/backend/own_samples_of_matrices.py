"""Calls of products and factors of matrices, of norms and of Fourier transforms."""

import torch
from own_samples import OWN, C, Entry, T

F64, I64, BOOL = torch.float64, torch.int64, torch.bool
INF = float("inf")


def transformed():
    """Fourier transforms of one dimension: sizes, lengths, norms."""
    return [C(T(8)), C(T(7)), C(T(2, 6), 4), C(T(2, 6), 9), C(T(2, 6), dim=0), C(T(3, 4), 5, -2, "ortho"),
            C(T(6), norm="forward"),
            C(T(6), norm="backward"), C(T(1)), C(T(3, 5, view="transposed")), C(T(2, 6, view="strided")),
            C(T(4, 6, view="expanded"))]


def transformed_many():
    """Fourier transforms of several dimensions."""
    return [C(T(4, 6)), C(T(3, 5)), C(T(2, 4, 6), dim=(1, 2)), C(T(2, 4, 6), (3, 8)),
            C(T(2, 4, 6), (2, 4), (0, -1), "ortho"), C(T(4, 6), norm="forward"),
            C(T(4, 6), norm="backward"), C(T(4, 6, view="transposed")), C(T(2, 6, view="strided")),
            C(T(4, 6, view="expanded")), C(T(2, 3, 4), dim=(-1, 0))]


WRONG_TRANSFORMS = [C(T(4), dim=1), C(T(4), norm="other"), C(T(4), 0), C(T(0))]
WRONG_MANY = [C(T(4, 4), dim=(0, 0)), C(T(4, 4), norm="other"), C(T(4, 4), (2, 2, 2))]


def singular_values(results):
    """The vectors have any sign: the products of theirs do not."""
    u, s, vh = results
    return [s, (u[..., :s.shape[-1]] * s.unsqueeze(-2)) @ vh[..., :s.shape[-1], :]] if u.numel() else s


def principal(results):
    u, s, v = results
    return [s, (u * s.unsqueeze(-2)) @ v.mH]


def definite(*sizes):
    return T(*sizes, low=-1, high=1, view="positive definite")


def by_products(count):
    """Of baddbmm() and the like: `beta` and `alpha`."""
    return [dict(beta=beta, alpha=alpha) for beta, alpha in [(1, 1), (0, 1), (2, 3), (0.5, -1.5), (1, 0)]][:count]


CHOLESKY = [C(definite(3, 3)), C(definite(2, 3, 3)), C(definite(1, 1)), C(definite(0, 0)), C(definite(0, 3, 3)),
            C(definite(2, 0, 3, 3)), C(definite(30, 30))]
NORMS = [C(T(5)), C(T(3, 4)), C(T(2, 3, 4)), C(T()), C(T(3, 4, view="transposed")), C(T(2, 3, 4, view="strided")),
         *(C(T(7), order) for order in (0, 1, 2, 3, -1, -2, 0.5, INF, -INF)),
         *(C(T(3, 4), 3.5, dim, keep) for dim in (0, -1) for keep in (False, True)), C(T(3, 4), dtype=F64),
         C(T(2, 3, 4), 2, (0, 2)), C(T(0)), C(T(0, 3), 1, 0), C(T(0, 3), 2, 1)]

ENTRIES = {
    "mm": Entry([C(T(3, 4), T(4, 5)), C(T(1, 1), T(1, 1)), C(T(0, 4), T(4, 5)), C(T(3, 0), T(0, 5)),
        C(T(3, 4), T(4, 0)), C(T(3, 4, view="transposed"), T(4, 5, view="transposed")),
        C(T(3, 4, view="strided"), T(4, 5, view="offset")), C(T(3, 4, view="expanded"), T(4, 1)),
        C(T(65, 130, low=-1, high=1), T(130, 33, low=-1, high=1)), C(T(4, 4, special=True), T(4, 4))],
        [C(T(3, 4), T(3, 4)), C(T(3), T(3, 4)), C(T(3, 4), T(4)), C(T(3, 4), T(4, 5, dtype=F64))]),
    "mv": Entry([C(T(3, 4), T(4)), C(T(1, 1), T(1)), C(T(0, 4), T(4)), C(T(3, 0), T(0)),
        C(T(3, 4, view="transposed"), T(4, view="strided")), C(T(3, 4, view="strided"), T(4, view="offset")),
        C(T(3, 4, view="expanded"), T(4)), C(T(65, 130, low=-1, high=1), T(130, low=-1, high=1))], [C(T(3, 4), T(3)),
        C(T(3, 4), T(4, 1)), C(T(3, 4), T(4, dtype=F64))]),
    "vdot": Entry([C(T(5), T(5)), C(T(1), T(1)), C(T(0), T(0)), C(T(5, view="strided"), T(5, view="offset")),
        C(T(300, low=-1, high=1), T(300, low=-1, high=1))], [C(T(3), T(4)), C(T(3, 3), T(3, 3)),
        C(T(3), T(3, dtype=F64)), C(T(), T())]),
    "inner": Entry([C(T(5), T(5)), C(T(3, 4), T(4)), C(T(3, 4), T(2, 4)), C(T(), T(3)), C(T(), T()),
        C(T(2, 3, 4), T(5, 4)), C(T(0, 3), T(2, 3)), C(T(2, 0), T(3, 0)),
        C(T(3, 4, view="transposed"), T(2, 4, view="strided"))], [C(T(3), T(4)), C(T(3), T(3, dtype=F64))]),
    "addr": Entry([*(C(T(3, 4), T(3), T(4), **how) for how in by_products(5)), C(T(4), T(3), T(4)),
        C(T(3, 1), T(3), T(4), beta=2), C(T(), T(3), T(4)), C(T(0, 4), T(0), T(4)),
        C(T(3, 4, fill=[float("nan"), 1.0]), T(3), T(4), beta=0),
        C(T(3, 4, view="transposed"), T(3, view="strided"), T(4, view="offset"))], [C(T(3, 4), T(4), T(3)),
        C(T(3, 4), T(3, 1), T(4)), C(T(3, 4, dtype=I64), T(3, dtype=I64), T(4, dtype=I64), alpha=0.5)]),
    "baddbmm": Entry([*(C(T(2, 3, 5), T(2, 3, 4), T(2, 4, 5), **how) for how in by_products(5)),
        C(T(5), T(2, 3, 4), T(2, 4, 5)), C(T(3, 1), T(2, 3, 4), T(2, 4, 5)), C(T(), T(2, 3, 4), T(2, 4, 5)),
        C(T(0, 3, 5), T(0, 3, 4), T(0, 4, 5)), C(T(2, 3, 5), T(2, 3, 0), T(2, 0, 5), beta=2),
        C(T(2, 3, 5, fill=[float("nan"), 1.0]), T(2, 3, 4), T(2, 4, 5), beta=0),
        C(T(2, 3, 5, view="transposed"), T(2, 3, 4, view="strided"), T(2, 4, 5, view="expanded"))],
        [C(T(2, 3, 5), T(2, 3, 4), T(2, 5, 4)), C(T(2, 3, 5), T(3, 3, 4), T(2, 4, 5)),
        C(T(2, 3, 4), T(2, 3, 4), T(2, 4, 5)), C(T(3, 5), T(3, 4), T(4, 5))]),
    "cholesky": Entry([*CHOLESKY, C(definite(3, 3), upper=True), C(definite(2, 3, 3), True)], [C(T(3, 4)), C(T(3)),
        C(T(2, 2, fill=[-1.0]))]),
    "linalg.cholesky": Entry([*CHOLESKY, C(definite(3, 3), upper=True), C(definite(2, 3, 3), upper=True)],
        [C(T(3, 4)), C(T(3)), C(T(2, 2, fill=[-1.0]))]),
    "linalg.svd": Entry([*(C(T(*sizes, low=-1, high=1), full_matrices=full, defined=singular_values)
        for sizes in [(3, 3), (2, 5), (5, 2), (2, 3, 4), (1, 1), (0, 3), (3, 0), (0, 2, 2)]
        for full in (True, False)), C(T(4, 3, view="transposed"), False, defined=singular_values)], [C(T(3)),
        C(T(2, 2, fill=[float("nan")]))]),
    "pca_lowrank": Entry([C(T(9, 3, low=-1, high=1), T(5, 3, low=-1, high=1), q=3, center=center, defined=principal)
        for center in (True, False)], [C(T(4, 2), T(3, 2), q=9)],
        lambda a, b, **how: torch.pca_lowrank(a @ b.mT, **how)),
    "linalg.lstsq": Entry([*(C(T(*sizes), T(*right), driver=driver, defined=lambda results: results[0])
        for driver in ("gels", "gelsy", "gelsd", "gelss") for sizes, right in [((5, 3), (5, 2)), ((3, 3), (3, 1)),
        ((2, 5, 3), (2, 5, 2))]), C(T(3, 5), T(3, 2), defined=lambda results: results[0]), C(T(5, 3), T(5, 2))],
        [C(T(3), T(3)), C(T(5, 3), T(4, 2)), C(T(5, 3), T(5, 2), driver="other")]),
    "linalg.lstsq/grad_oriented": Entry([C(T(*sizes), T(*right), driver) for driver in ("gels", "gelsy")
        for sizes, right in [((5, 3), (5, 2)), ((3, 3), (3, 1)), ((2, 5, 3), (2, 5, 2))]],
        function=lambda a, b, driver: torch.linalg.lstsq(a, b, driver=driver)[:2]),
    "linalg.norm": Entry([*NORMS, *(C(T(3, 4, low=-1), order) for order in ("fro", "nuc", 1, -1, INF, -INF, 2, -2)),
        *(C(T(2, 3, 4, low=-1), order, (0, -1), True) for order in ("fro", "nuc", 1, 2, -2, INF))], [C(T(3, 4), 3),
        C(T(3), "fro"), C(T(2, 3, 4), "nuc"), C(T(3, 4), 2, (0, 0)), C(T(3, 4), 2, 2), C(T(0), INF)]),
    "linalg.norm/subgradients_at_zero": Entry([*(C(T(4, fill=[0.0]), order)
        for order in (0, 1, 2, 3, 0.5, -1, INF, -INF)), *(C(T(3, 3, fill=[0.0]), order)
        for order in ("fro", "nuc", 1, INF, 2)), C(T(6, fill=[0.0, 1.0, -1.0]), 1), C(T(6, fill=[1.0, -1.0]), INF)]),
    "linalg.vector_norm": Entry([*NORMS, C(T(2, 3, 4), 3, (0, 1), keepdim=True), C(T(2, 3, 4), INF, None, True),
        C(T(16, special=True)), C(T(2, 3, 4), 1, (-1, 0), dtype=F64), C(T(6, fill=[3e38, 1e38]), 2)],
        [C(T(3, 4), 2, 2), C(T(3, 4), 2, (0, 0)), C(T(0), INF), C(T(0, 3), -1.5, 0)]),
    "linalg.tensorsolve": Entry([C(T(2, 3, 6), T(2, 3)), C(T(6, 2, 3), T(6)), C(T(2, 3, 6), T(2, 3), dims=None),
        C(T(3, 6, 2), T(3, 2), dims=(1,)), C(T(2, 2), T(2))], [C(T(2, 3, 5), T(2, 3)), C(T(2, 2, fill=[0.0]), T(2))]),
    "fft.ifft": Entry(transformed(), WRONG_TRANSFORMS),
    "fft.ihfft": Entry(transformed(), WRONG_TRANSFORMS),
    **{f"fft.{name}": Entry(transformed_many(), WRONG_MANY) for name in ("fftn", "hfftn", "ifft2", "ihfftn")},
    "stft": Entry([C(T(40), 8, return_complex=True), C(T(2, 40), 8, 4, return_complex=True),
        C(T(40), 8, 3, 6, T(6, low=0.1, high=1, grad=True), return_complex=True),
        C(T(40), 8, center=False, return_complex=True), *(C(T(40), 8, pad_mode=mode, return_complex=True)
        for mode in ("reflect", "constant", "replicate", "circular")),
        C(T(40), 8, normalized=True, return_complex=True), C(T(40), 8, onesided=False, return_complex=True),
        C(T(2, 40, view="strided"), 8, return_complex=True), C(T(40), 9, return_complex=True),
        C(T(40), 8, 4, align_to_window=True, center=False, return_complex=True)], [C(T(3), 8, return_complex=True),
        C(T(40), 0, return_complex=True), C(T(40), 8, 0, return_complex=True), C(T(40), 8, 2, 9, return_complex=True),
        C(T(2, 2, 40), 8, return_complex=True)]),
    "istft": Entry([C(T(5, 11), 8), C(T(2, 5, 11), 8, 4), C(T(5, 11), 8, window=T(8, dtype=F64, low=0.5, high=1)),
        C(T(5, 11), 8, normalized=True), C(T(5, 11), 8, length=15), C(T(8, 11), 8, onesided=False),
        C(T(8, 11), 8, onesided=False, return_complex=True), C(T(5, 11, view="transposed"), 8),
        C(T(2, 5, 11), 8, 2, 8), C(T(5, 11), 8, 2, center=False, window=T(8, fill=[1.0], dtype=F64))],
        [C(T(4, 11, dtype=torch.complex64), 8), C(T(5, 11, dtype=torch.complex64), 8, 9),
        C(T(5, 0, dtype=torch.complex64), 8), C(T(5, 11), 8)]),
    "signal.windows.exponential": Entry([C(count, dtype=OWN, **how) for count in (0, 1, 2, 7, 8)
        for how in ({}, dict(tau=2.5), dict(sym=False), dict(center=0.0, sym=False, tau=0.5))], [C(-1),
        C(4, tau=-1.0), C(4, center=1.0), C(4, dtype=I64)]),
}
