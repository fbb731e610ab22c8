"""Special functions of PyTorch in terms of operators that TC imports.

All are computed in f64. The series and fractions are those of the Cephes library, which PyTorch uses as well.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

import torch

aten = torch.ops.aten

# Chebyshev's series of exp(-x) times the modified functions of the first kind, up to 8 and beyond.
_I0_NEAR = (-4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,
            -1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12,
            -1.726826291441556e-11, 9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09,
            -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07, 1.1173875391201037e-06,
            -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165,
            -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998,
            -0.02373741480589947, 0.04930528423967071, -0.09490109704804764, 0.17162090152220877,
            -0.3046826723431984, 0.6767952744094761)
_I0_FAR = (-7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17,
           -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15,
           -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13,
           7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11,
           1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
           2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943,
           0.8044904110141088)
_I1_NEAR = (2.7779141127610464e-18, -2.111421214358166e-17, 1.5536319577362005e-16, -1.1055969477353862e-15,
            7.600684294735408e-15, -5.042185504727912e-14, 3.223793365945575e-13, -1.9839743977649436e-12,
            1.1736186298890901e-11, -6.663489723502027e-11, 3.625590281552117e-10, -1.8872497517228294e-09,
            9.381537386495773e-09, -4.445059128796328e-08, 2.0032947535521353e-07, -8.568720264695455e-07,
            3.4702513081376785e-06, -1.3273163656039436e-05, 4.781565107550054e-05, -0.00016176081582589674,
            0.0005122859561685758, -0.0015135724506312532, 0.004156422944312888, -0.010564084894626197,
            0.024726449030626516, -0.05294598120809499, 0.1026436586898471, -0.17641651835783406,
            0.25258718644363365)
_I1_FAR = (7.517296310842105e-18, 4.414348323071708e-18, -4.6503053684893586e-17, -3.209525921993424e-17,
           2.96262899764595e-16, 3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15,
           1.0420276984128802e-14, 4.272440016711951e-14, -2.1015418427726643e-14, -4.0835511110921974e-13,
           -7.198551776245908e-13, 2.0356285441470896e-12, 1.4125807436613782e-11, 3.2526035830154884e-11,
           -1.8974958123505413e-11, -5.589743462196584e-10, -3.835380385964237e-09, -2.6314688468895196e-08,
           -2.512236237870209e-07, -3.882564808877691e-06, -0.00011058893876262371, -0.009761097491361469,
           0.7785762350182801)
# Of the second kind, up to 2 and beyond.
_K0_NEAR = (1.374465435613523e-16, 4.25981614279661e-14, 1.0349695257633842e-11, 1.904516377220209e-09,
            2.5347910790261494e-07, 2.286212103119452e-05, 0.001264615411446926, 0.0359799365153615,
            0.3442898999246285, -0.5353273932339028)
_K0_FAR = (5.300433772686263e-18, -1.6475804301524212e-17, 5.2103915050390274e-17, -1.678231096805412e-16,
           5.512055978524319e-16, -1.848593377343779e-15, 6.3400764774050706e-15, -2.2275133269916698e-14,
           8.032890775363575e-14, -2.9800969231727303e-13, 1.140340588208475e-12, -4.514597883373944e-12,
           1.8559491149547177e-11, -7.957489244477107e-11, 3.577397281400301e-10, -1.69753450938906e-09,
           8.574034017414225e-09, -4.660489897687948e-08, 2.766813639445015e-07, -1.8317555227191195e-06,
           1.39498137188765e-05, -0.00012849549581627802, 0.0015698838857300533, -0.0314481013119645,
           2.4403030820659555)
_K1_NEAR = (-7.023863479386288e-18, -2.427449850519366e-15, -6.666901694199329e-13, -1.4114883926335278e-10,
            -2.213387630734726e-08, -2.4334061415659684e-06, -0.0001730288957513052, -0.006975723859639864,
            -0.12261118082265715, -0.3531559607765449, 1.5253002273389478)
_K1_FAR = (-5.756744483665017e-18, 1.7940508731475592e-17, -5.689462558442859e-17, 1.838093544366639e-16,
           -6.057047248373319e-16, 2.038703165624334e-15, -7.019837090418314e-15, 2.4771544244813043e-14,
           -8.976705182324994e-14, 3.3484196660784293e-13, -1.2891739609510289e-12, 5.13963967348173e-12,
           -2.1299678384275683e-11, 9.218315187605006e-11, -4.1903547593418965e-10, 2.015049755197033e-09,
           -1.0345762465678097e-08, 5.7410841254500495e-08, -3.5019606030878126e-07, 2.406484947837217e-06,
           -1.936197974166083e-05, 0.00019521551847135162, -0.002857816859622779, 0.10392373657681724,
           2.7206261904844427)
# Fractions of the functions of Bessel: near 0 (R for J, Y for Y), and of modulus and phase beyond 5.
_0_PP = (0.0007969367292973471, 0.08283523921074408, 1.239533716464143, 5.447250030587687, 8.74716500199817,
         5.303240382353949, 1.0)
_0_PQ = (0.0009244088105588637, 0.08562884743544745, 1.2535274390105895, 5.470977403304171, 8.761908832370695,
         5.306052882353947, 1.0)
_0_QP = (-0.011366383889846916, -1.2825271867050931, -19.553954425773597, -93.20601521237683, -177.68116798048806,
         -147.07750515495118, -51.41053267665993, -6.050143506007285)
_0_QQ = (64.3178256118178, 856.4300259769806, 3882.4018360540163, 7240.467741956525, 5930.727011873169,
         2062.0933166032783, 242.0057402402914)
_0_RP = (-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0)
_0_RQ = (499.563147152651, 173785.4016763747, 48440965.83399621, 11185553704.535683, 2112775201154.892,
         310518229857422.56, 3.1812195594320496e+16, 1.7108629408104315e+18)
_0_YP = (15592.436785523574, -14663929.59039716, 5435264770.518765, -982136065717.9115, 87590639439536.7,
         -3466283033847297.0, 4.4273326857256984e+16, -1.8495080043698668e+16)
_0_YQ = (1041.2835366425984, 626107.330137135, 268919633.39381415, 86400248710.3935, 20297961275010.555,
         3171577528429750.5, 2.5059625617265306e+17)
_1_PP = (0.0007621256162081731, 0.07313970569409176, 1.1271960812968493, 5.112079511468076, 8.424045901417724,
         5.214515986823615, 1.0)
_1_PQ = (0.0005713231280725487, 0.06884559087544954, 1.105142326340617, 5.073863861286015, 8.399855543276042,
         5.209828486823619, 1.0)
_1_QP = (0.05108625947501766, 4.982138729512334, 75.82382841325453, 366.7796093601508, 710.8563049989261,
         597.4896124006136, 211.68875710057213, 25.207020585802372)
_1_QQ = (74.23732770356752, 1056.4488603826283, 4986.410583376536, 9562.318924047562, 7997.041604473507,
         2826.1927851763908, 336.0936078106983)
_1_RP = (-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0)
_1_RQ = (620.8364781180543, 256987.25675774884, 83514679.14319493, 22151159547.97925, 4749141220799.914,
         784369607876235.9, 8.952223361846274e+16, 5.322786203326801e+18)
_1_YP = (1263204747.9017804, -647355876379.1603, 114509511541823.73, -8127702555013251.0, 2.024394757135949e+17,
         -7.788771962659501e+17)
_1_YQ = (594.3015923461282, 235564.09294306856, 73481194.44597217, 18760131610.870617, 3882312774962.3857,
         620557727146953.8, 6.871410873553005e+16, 3.9727060811656064e+18)

# Fractions of the inverse of the normal distribution: around 1/2, and of 1 / sqrt(-2 log y) above and below 1/8.
_NDTRI_P0 = (-59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968, -1.2391658386738125)
_NDTRI_Q0 = (1.0, 1.9544885833814176, 4.676279128988815, 86.36024213908905, -225.46268785411937, 200.26021238006066,
             -82.03722561683334, 15.90562251262117, -1.1833162112133)
_NDTRI_P1 = (4.0554489230596245, 31.525109459989388, 57.16281922464213, 44.08050738932008, 14.684956192885803,
             2.1866330685079025, -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854)
_NDTRI_Q1 = (1.0, 15.779988325646675, 45.39076351288792, 41.3172038254672, 15.04253856929075, 2.504649462083094,
             -0.14218292285478779, -0.03808064076915783, -0.0009332594808954574)
_NDTRI_P2 = (3.2377489177694603, 6.915228890689842, 3.9388102529247444, 1.3330346081580755, 0.20148538954917908,
             0.012371663481782003, 0.00030158155350823543, 2.6580697468673755e-06, 6.239745391849833e-09)
_NDTRI_Q2 = (1.0, 6.02427039364742, 3.6798356385616087, 1.3770209948908132, 0.21623699359449663, 0.013420400608854318,
             0.00032801446468212774, 2.8924786474538068e-06, 6.790194080099813e-09)


def _polynomial(x: torch.Tensor, factors: Sequence[float]) -> torch.Tensor:
    result = torch.full_like(x, factors[0])
    for factor in factors[1:]:
        result = result * x + factor
    return result


def _series(x: torch.Tensor, factors: Sequence[float]) -> torch.Tensor:
    """Clenshaw's sum of a series of Chebyshev's."""
    first, second, third = torch.full_like(x, factors[0]), torch.zeros_like(x), torch.zeros_like(x)
    for factor in factors[1:]:
        first, second, third = x * first - second + factor, first, second
    return 0.5 * (first - third)


def _fraction(x: torch.Tensor, above: Sequence[float], below: Sequence[float]) -> torch.Tensor:
    return _polynomial(x, above) / _polynomial(x, below)


def _scaled_i(x: torch.Tensor, near: Sequence[float], far: Sequence[float], order: int) -> torch.Tensor:
    size = x.abs()
    close = size.clamp(max=8.0)
    inner = _series(close / 2 - 2, near)
    beyond = size.clamp(min=8.0)
    outer = _series(32 / beyond - 2, far) / beyond.sqrt()
    result = torch.where(size <= 8, inner * close if order else inner, outer)
    return torch.where(x < 0, -result, result) if order else result


def _i0e(x: torch.Tensor) -> torch.Tensor:
    return _scaled_i(x, _I0_NEAR, _I0_FAR, 0)


def _i1e(x: torch.Tensor) -> torch.Tensor:
    return _scaled_i(x, _I1_NEAR, _I1_FAR, 1)


def _i0(x: torch.Tensor) -> torch.Tensor:
    return x.abs().exp() * _i0e(x)


def _i1(x: torch.Tensor) -> torch.Tensor:
    return x.abs().exp() * _i1e(x)


def _scaled_k(x: torch.Tensor, order: int) -> torch.Tensor:
    near, far = ((_K0_NEAR, _K0_FAR), (_K1_NEAR, _K1_FAR))[order]
    close, beyond = x.clamp(max=2.0), x.clamp(min=2.0)
    inner = _series(close * close - 2, near)
    inner = (close / 2).log() * _i1(close) + inner / close if order else inner - (close / 2).log() * _i0(close)
    outer = _series(8 / beyond - 2, far) / beyond.sqrt()
    result = torch.where(x <= 2, inner * close.exp(), outer)
    return torch.where(x == 0, math.inf, torch.where(x < 0, math.nan, result))


def _k0(x: torch.Tensor) -> torch.Tensor:
    return _scaled_k(x, 0) * (-x).exp()


def _k1(x: torch.Tensor) -> torch.Tensor:
    return _scaled_k(x, 1) * (-x).exp()


def _far_bessel(x: torch.Tensor, order: int, is_first: bool) -> torch.Tensor:
    pp, pq, qp, qq = ((_0_PP, _0_PQ, _0_QP, _0_QQ), (_1_PP, _1_PQ, _1_QP, _1_QQ))[order]
    x = x.clamp(min=5.0)
    inverse = 25 / (x * x)
    phase = x - (0.75 if order else 0.25) * math.pi
    sine, cosine = phase.sin(), phase.cos()
    p, q = _fraction(inverse, pp, pq), 5 / x * _fraction(inverse, qp, qq)
    return (p * cosine - q * sine if is_first else p * sine + q * cosine) * math.sqrt(2 / math.pi) / x.sqrt()


def _j0(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    square = size.clamp(max=5.0).square()
    near = (square - 5.78318596294678452118) * (square - 30.4712623436620863991) * _fraction(square, _0_RP, _0_RQ)
    return torch.where(size <= 5, near, _far_bessel(size, 0, True))


def _j1(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    close = size.clamp(max=5.0)
    square = close.square()
    near = _fraction(square, _1_RP, _1_RQ) * close * (square - 14.6819706421238932572) * (square - 49.2184563216946036703)
    result = torch.where(size <= 5, near, _far_bessel(size, 1, True))
    return torch.where(x < 0, -result, result)


def _y0(x: torch.Tensor) -> torch.Tensor:
    close = x.clamp(max=5.0)
    near = _fraction(close.square(), _0_YP, _0_YQ) + 2 / math.pi * close.log() * _j0(close)
    result = torch.where(x <= 5, near, _far_bessel(x, 0, False))
    return torch.where(x == 0, -math.inf, torch.where(x < 0, math.nan, result))


def _y1(x: torch.Tensor) -> torch.Tensor:
    close = x.clamp(max=5.0)
    near = _fraction(close.square(), _1_YP, _1_YQ) * close + 2 / math.pi * (_j1(close) * close.log() - 1 / close)
    result = torch.where(x <= 5, near, _far_bessel(x, 1, False))
    return torch.where(x == 0, -math.inf, torch.where(x <= 0, math.nan, result))


def _ndtri(y: torch.Tensor) -> torch.Tensor:
    tail = math.exp(-2)
    is_above = y > 1 - tail
    less = torch.where(is_above, 1 - y, y)
    middle = less - 0.5
    square = middle * middle
    inner = (middle + middle * square * _fraction(square, _NDTRI_P0, _NDTRI_Q0)) * math.sqrt(2 * math.pi)
    x = (-2 * less.clamp(max=tail).log()).sqrt()
    inverse = 1 / x
    near, far = _fraction(inverse, _NDTRI_P1, _NDTRI_Q1), _fraction(inverse, _NDTRI_P2, _NDTRI_Q2)
    outer = x - x.log() * inverse - inverse * torch.where(x < 8, near, far)
    result = torch.where(less > tail, inner, torch.where(is_above, outer, -outer))
    return torch.where(y == 0, -math.inf, torch.where(y == 1, math.inf, torch.where((y < 0) | (y > 1), math.nan, result)))


def _erfcx(x: torch.Tensor) -> torch.Tensor:
    near = x.clamp(max=25.0)
    square = 1 / x.clamp(min=25.0).square()
    far = _polynomial(square, (-1.875, 0.75, -0.5, 1.0)) / (x.clamp(min=25.0) * math.sqrt(math.pi))
    return torch.where(x < 25, near.square().exp() * near.erfc(), far)


def _spherical_j0(x: torch.Tensor) -> torch.Tensor:
    result = torch.sinc(x / math.pi)
    return torch.where(torch.isinf(x), 0.0, result)


def _trigamma(x: torch.Tensor) -> torch.Tensor:
    is_small = x < 0.5
    sine = (math.pi * x).sin()
    reflected = -(math.pi * math.pi) / (sine * sine)
    y = torch.where(is_small, 1 - x, x)
    result = torch.where(is_small, reflected, 0.0)
    for _ in range(6):
        result = result + 1 / (y * y)
        y = y + 1
    square = 1 / (y * y)
    result = result + (1 + 1 / (2 * y) + square * (1 / 6 - square * (1 / 30 - square / 42))) / y
    return torch.where(is_small, -result, result)


# B_2j / (2j)!
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)


def _positive_zeta(power: int, x: torch.Tensor) -> torch.Tensor:
    """The sum of (x + k)^-power, for x above 0: ten terms, and Euler and Maclaurin's formula for the others."""
    result = torch.zeros_like(x)
    for _ in range(10):
        result = result + x.pow(-power)
        x = x + 1
    result = result + x.pow(1 - power) / (power - 1) + 0.5 * x.pow(-power)
    factor = float(power)
    for index, number in enumerate(_BERNOULLI):
        result = result + number * factor * x.pow(-power - 2 * index - 1)
        factor *= (power + 2 * index + 1) * (power + 2 * index + 2)
    return result


def _cotangent_derivative(order: int) -> list[float]:
    """Of pi cot(pi x), as a polynomial in cot(pi x) with the constant last, without the factor pi^(order + 1)."""
    factors = [1.0, 0.0]
    for _ in range(order):
        derived = [factor * (len(factors) - 1 - place) for place, factor in enumerate(factors[:-1])]
        factors = [0.0] * (len(derived) + 2)
        for place, factor in enumerate(derived):  # d/dx p(c) = -(1 + c^2) p'(c)
            factors[place] -= factor
            factors[place + 2] -= factor
    return factors


def _polygamma(n: int, x: torch.Tensor) -> torch.Tensor:
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    if n == 0:
        return torch.special.digamma(x)
    if n == 1:
        return _trigamma(x.to(torch.float32 if dtype.itemsize < 4 else dtype)).to(dtype)
    wide = x.double()
    sign = -1.0 if n % 2 == 0 else 1.0
    is_small = wide < 0.5
    above = torch.where(is_small, 1 - wide, wide)
    value = sign * math.factorial(n) * _positive_zeta(n + 1, above)
    # psi_n(1 - x) + (-1)^(n + 1) psi_n(x) = (-1)^n pi d^n/dx^n cot(pi x)
    turned = wide - wide.floor()
    angle = math.pi * turned
    cotangent = angle.cos() / angle.sin()
    derivative = -sign * math.pi ** (n + 1) * _polynomial(cotangent, _cotangent_derivative(n))
    result = torch.where(is_small, sign * (derivative - value), value)
    return torch.where((wide <= 0) & (turned == 0), sign * math.inf, result).to(dtype)


def _in_f64(function: Callable) -> Callable:
    def decomposition(x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
        return function(x.double()).to(dtype)

    return decomposition


def special_functions() -> dict[Any, Callable]:
    """The decomposition of each operator."""
    table = {aten.i0: _i0, aten.special_i0e: _i0e, aten.special_i1: _i1, aten.special_i1e: _i1e,
             aten.special_modified_bessel_i0: _i0, aten.special_modified_bessel_i1: _i1,
             aten.special_modified_bessel_k0: _k0, aten.special_modified_bessel_k1: _k1,
             aten.special_scaled_modified_bessel_k0: lambda x: _scaled_k(x, 0), aten.special_scaled_modified_bessel_k1: lambda x: _scaled_k(x, 1),
             aten.special_bessel_j0: _j0, aten.special_bessel_j1: _j1, aten.special_bessel_y0: _y0,
             aten.special_bessel_y1: _y1, aten.special_erfcx: _erfcx, aten.special_ndtri: _ndtri,
             aten.special_spherical_bessel_j0: _spherical_j0}
    return {operator.default: _in_f64(function) for operator, function in table.items()} | {
        aten.polygamma.default: _polygamma}
