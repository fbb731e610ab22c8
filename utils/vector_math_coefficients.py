#!/usr/bin/env python3
"""Writes lib/Conversion/VectorMath/Coefficients.h: the minimax polynomials of the emitted functions.

  vector_math_coefficients.py -o lib/Conversion/VectorMath/Coefficients.h

Each polynomial minimises the largest weighted error on its interval (Remez's
exchange algorithm, in 45 decimal digits). Coefficients are rounded to the
target type from the lowest power on, the rest being fitted again after each of
the first few roundings. Needs mpmath.
"""

import argparse
import struct
import sys

import mpmath as mp

mp.mp.dps = 60
ONE = mp.mpf(1)
HALF = mp.mpf(1) / 2
LN2 = mp.log(2)
TINY = mp.mpf("1e-12")


def exchange(function, low, high, powers, weight, rounds=12):
    """Coefficients of `powers` and the largest weighted error."""
    count = len(powers)
    low, high = mp.mpf(low), mp.mpf(high)
    middle, radius = (low + high) / 2, (high - low) / 2
    points = [middle - radius * mp.cos(mp.pi * (2 * k + 1) / (2 * (count + 1))) for k in range(count + 1)]
    samples = 20 * (count + 1)
    grid = [middle - radius * mp.cos(mp.pi * k / samples) for k in range(samples + 1)]
    values, weights = [function(x) for x in grid], [mp.mpf(weight(x)) for x in grid]
    best_error, best = None, None
    for _ in range(rounds):
        matrix, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
        for i, x in enumerate(points):
            for j, power in enumerate(powers):
                matrix[i, j] = x**power
            matrix[i, count] = (-1) ** i / mp.mpf(weight(x))
            right[i] = function(x)
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[j] for j in range(count)]
        errors = [
            w * (mp.fsum(c * x**p for c, p in zip(coefficients, powers)) - v) for x, v, w in zip(grid, values, weights)
        ]
        largest = max(abs(error) for error in errors)
        if best_error is None or largest < best_error:
            best_error, best = largest, coefficients
        # One extremum for each run of errors of one sign.
        extrema, i = [], 0
        while i <= samples:
            positive, j, k = errors[i] >= 0, i, i
            while j <= samples and (errors[j] >= 0) == positive:
                if abs(errors[j]) > abs(errors[k]):
                    k = j
                j += 1
            extrema.append(k)
            i = j
        while len(extrema) > count + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < count + 1 or largest - min(abs(errors[e]) for e in extrema) < largest / 100:
            break
        points = [grid[e] for e in extrema]
    return best, best_error


def rounded(value, bits):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(value)))[0]) if bits == 24 else mp.mpf(float(value))


def minimax(function, low, high, powers, weight, bits, refits=3):
    """Coefficients rounded to `bits`, and the error before rounding."""
    powers, fixed = list(powers), []
    # Without its first powers a polynomial cannot be fitted around 0.
    if low < 0 < high:
        refits = 0
    free, error = exchange(function, low, high, powers, weight)
    for step in range(min(refits, len(powers) - 1)):
        fixed.append(rounded(free[0], bits))

        def rest(x, fixed=tuple(fixed)):
            return function(x) - mp.fsum(c * x**p for c, p in zip(fixed, powers))

        free, _ = exchange(rest, low, high, powers[step + 1 :], weight)
    return fixed + [rounded(c, bits) for c in free], error


def near_zero(function, limit):
    """The function with its limit at 0, where it would divide by 0."""
    return lambda x: limit if abs(x) < TINY else function(x)


def relative(function):
    return lambda x: 1 / abs(function(x))


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


class Writer:
    def __init__(self):
        self.lines = []

    def array(self, name, values, bits, comment):
        digits = 9 if bits == 24 else 17
        # The shortest decimal that gives the value back, as double in both cases.
        text = ", ".join(mp.nstr(v, digits + 1) if bits == 24 else repr(float(v)) for v in values)
        self.lines.append(f"/// {comment}\ninline constexpr double {name}[] = {{{text}}};")

    def words(self, name, values, comment):
        text = ", ".join(f"0x{value:016X}" for value in values)
        self.lines.append(f"/// {comment}\ninline constexpr unsigned long long {name}[] = {{{text}}};")

    def polynomial(self, name, function, low, high, powers32, powers64, weight, comment, low64=None, high64=None):
        for suffix, bits, powers, a, b in (
            ("F32", 24, powers32, low, high),
            ("F64", 53, powers64, low64 or low, high64 or high),
        ):
            if powers is None:
                continue
            self.fitted(name + suffix, function, a, b, powers, weight, bits, comment)

    def fitted(self, name, function, low, high, powers, weight, bits, comment):
        """A polynomial with coefficients of so many bits."""
        values, error = minimax(function, low, high, powers, weight, bits)
        log = float(mp.log(error, 2))
        print(f"{name}: 2^{log:.1f}", file=sys.stderr)
        self.array(name, values, bits, f"{comment} Error 2^{log:.1f}.")

    def narrow_polynomial(self, name, function, low, high, powers, weight, comment):
        """For results of f32 that are computed in f64."""
        self.fitted(name, function, low, high, powers, weight, 53, comment)

    def short_polynomial(self, name, function, low, high, powers, weight, comment):
        """For results of 16 bits, with f32 coefficients."""
        self.fitted(name, function, low, high, powers, weight, 24, comment)

    def table(self, name, function, width, count, degree, last, comment):
        """Rows by power, one column for each interval of `width` centred on its multiples; the first starts at 0."""
        width, columns, worst = mp.mpf(width), [], mp.mpf(0)
        for i in range(count):
            centre = i * width
            if i == count - 1 and last is not None:
                columns.append([mp.mpf(last)] + [mp.mpf(0)] * degree)
                continue
            shifted = lambda r, centre=centre: function(centre + r)
            low = mp.mpf(0) if i == 0 else -width / 2 * mp.mpf("1.001")
            high = width / 2 * mp.mpf("1.001")
            if i == 0 and function(mp.mpf(0)) == 0:
                # Relative accuracy down to 0: no constant term.
                slope = near_zero(lambda r: function(r) / r, mp.diff(function, 0))
                values, error = minimax(slope, low, high, range(degree), relative(slope), 24)
                values = [mp.mpf(0)] + values
            else:
                values, error = minimax(shifted, low, high, range(degree + 1), relative(shifted), 24)
            columns.append(values)
            worst = max(worst, error)
        log = float(mp.log(worst, 2))
        print(f"{name}: 2^{log:.1f}", file=sys.stderr)
        rows = ",\n    ".join(
            "{" + ", ".join(mp.nstr(column[k], 10) for column in columns) + "}" for k in range(degree + 1)
        )
        self.lines.append(
            f"/// {comment} Error 2^{log:.1f}.\ninline constexpr float {name}[][{count}] = {{\n    {rows}}};"
        )


def write_exponentials(w):
    r = LN2 / 2 * mp.mpf("1.0001")
    w.polynomial("expPolynomial", near_zero(lambda x: (mp.exp(x) - 1 - x) / x**2, HALF), -r, r, range(5), range(11),
                 lambda x: x * x / mp.exp(x) + TINY**2, "(e^x - 1 - x) / x^2 for |x| <= ln(2) / 2.")
    w.polynomial("expm1Polynomial", near_zero(lambda x: (mp.expm1(x) - x) / x**2, HALF), -r, r, range(6), range(12),
                 near_zero(lambda x: abs(x * x / mp.expm1(x)), TINY), "(e^x - 1 - x) / x^2, exact relative to e^x - 1.")
    w.polynomial("exp2Polynomial", near_zero(lambda x: mp.expm1(x * LN2) / x, LN2), -HALF, HALF, range(6), range(12),
                 lambda x: abs(x) / mp.mpf(2) ** x + TINY, "(2^x - 1) / x for |x| <= 1/2.")
    w.short_polynomial("exp2ShortPolynomial", near_zero(lambda x: mp.expm1(x * LN2) / x, LN2), 0, 1, range(4),
                       lambda x: abs(x) / mp.mpf(2) ** x + TINY, "(2^x - 1) / x for 0 <= x <= 1.")
    low, high = mp.sqrt(HALF) - 1 - mp.mpf("1e-6"), mp.sqrt(2) - 1 + mp.mpf("1e-6")
    w.polynomial("log1pPolynomial", near_zero(lambda f: (mp.log1p(f) - f) / f**2, -HALF), low, high, range(9), None,
                 near_zero(lambda f: abs(f * f / mp.log1p(f)), TINY), "(log(1 + x) - x) / x^2 for 1 + x in [sqrt(1/2), sqrt(2)].")
    w.polynomial("logMantissaPolynomial", near_zero(lambda f: (mp.log1p(f) - f) / f**2, -HALF), -HALF / 2, HALF, range(9), None,
                 near_zero(lambda f: abs(f * f / mp.log1p(f)), TINY), "(log(1 + x) - x) / x^2 for 1 + x in [3/4, 3/2].")
    s = high / (2 + high)
    w.polynomial("atanhPolynomial", near_zero(lambda z: 2 * (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 2 * ONE / 3), 0, s * s * mp.mpf("1.001"),
                 range(3), range(8), lambda z: z, "2 (atanh(s) / s - 1) / z, z = s^2, for |s| <= sqrt(2) - 1 over sqrt(2) + 1.")
    w.polynomial("powPolynomial", near_zero(lambda z: 2 * (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3) / z**2, 2 * ONE / 5), 0, s * s * mp.mpf("1.001"),
                 range(3), range(8), lambda z: z * z + TINY, "2 (atanh(s) / s - 1 - z / 3) / z^2, z = s^2.")
    root = mp.sqrt
    w.polynomial("sinhPolynomial", near_zero(lambda z: (mp.sinh(root(z)) / root(z) - 1) / z, ONE / 6), 0, mp.mpf("1.001"), range(4), range(8),
                 near_zero(lambda z: z * root(z) / mp.sinh(root(z)), TINY), "(sinh(x) / x - 1) / z, z = x^2, for |x| <= 1.")
    log2e = 1 / LN2
    for name, value in (
        ("geluTanhLinear", -2 * mp.sqrt(2 / mp.pi) * log2e),
        ("geluTanhCubic", -2 * mp.sqrt(2 / mp.pi) * mp.mpf("0.044715") * log2e),
    ):
        for suffix, high_bits, bits in (("F32", 11, 24), ("F64", 40, 53)):
            scale = mp.mpf(2) ** (high_bits - 1 - mp.floor(mp.log(abs(value), 2)))
            first = mp.nint(value * scale) / scale if name.endswith("Linear") else rounded(value, bits)
            w.array(name + suffix, [first, rounded(value - first, bits)], bits, "Part of the exponent of gelu_tanh, base 2, as a sum.")


def write_trigonometric(w):
    root = mp.sqrt
    q = (mp.pi / 4 * mp.mpf("1.0001")) ** 2
    w.polynomial("sinPolynomial", near_zero(lambda z: (mp.sin(root(z)) / root(z) - 1) / z, -ONE / 6), 0, q, range(3), range(7),
                 near_zero(lambda z: z * root(z) / mp.sin(root(z)), TINY), "(sin(x) / x - 1) / z, z = x^2, for |x| <= pi / 4.")
    w.polynomial("cosPolynomial", near_zero(lambda z: (mp.cos(root(z)) - 1 + z / 2) / z**2, ONE / 24), 0, q, range(3), range(7),
                 lambda z: z * z / mp.cos(root(z)) + TINY, "(cos(x) - 1 + z / 2) / z^2, z = x^2, for |x| <= pi / 4.")
    t = mp.tan(mp.pi / 8) * mp.mpf("1.0001")
    w.polynomial("atanPolynomial", near_zero(lambda z: (mp.atan(root(z)) / root(z) - 1) / z, -ONE / 3), 0, t * t, range(5), range(11),
                 near_zero(lambda z: z * root(z) / mp.atan(root(z)), TINY), "(atan(x) / x - 1) / z, z = x^2, for |x| <= tan(pi / 8).")
    w.polynomial("asinPolynomial", near_zero(lambda z: (mp.asin(root(z)) / root(z) - 1) / z, ONE / 6), 0, mp.mpf("0.2501"), range(5), range(13),
                 near_zero(lambda z: z * root(z) / mp.asin(root(z)), TINY), "(asin(x) / x - 1) / z, z = x^2, for |x| <= 1/2.")
    # 1 / (2 pi) in parts that 24-bit numbers are multiplied by exactly.
    rest, parts = 1 / (2 * mp.pi), []
    for _ in range(5):
        scale = mp.mpf(2) ** (28 - mp.floor(mp.log(rest, 2)))
        parts.append(mp.floor(rest * scale) / scale)
        rest -= parts[-1]
    w.array("turnParts", parts + [rounded(rest, 53)], 53, "1 / (2 pi) as a sum of parts of 29 bits and a last one.")
    rest, parts = mp.pi / 2, []
    for _ in range(3):
        parts.append(rounded(rest, 53))
        rest -= parts[-1]
    w.array("halfPiParts", parts, 53, "pi / 2 as a sum.")
    # As many as the largest number needs: 192 bits from bit 1023 - 53 on.
    count = 19
    with mp.workprec(64 * count + 64):
        bits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (64 * count - 22)))
    words = [bits >> (64 * (count - 1 - index)) & (2**64 - 1) for index in range(count)]
    w.words("twoOverPiWords", words, "2 / pi, the first of whose bits, of weight 1/2, is preceded by 22 of zero.")


def write_error_functions(w):
    root = mp.sqrt
    w.polynomial("erfPolynomial", near_zero(lambda z: mp.erf(root(z)) / root(z), 2 / mp.sqrt(mp.pi)), 0, mp.mpf("1.001"), range(7), range(13),
                 near_zero(lambda z: root(z) / mp.erf(root(z)), mp.sqrt(mp.pi) / 2), "erf(x) / x in z = x^2 for |x| <= 1.")
    values, error = minimax(lambda t: mp.log(mp.erfc(t), 2), 1, 4, range(6), lambda t: mp.erfc(t) * LN2 / mp.erf(t), 24)
    log = float(mp.log(error, 2))
    w.array("erfTailPolynomial", values, 24, f"log2(erfc(x)) for 1 <= x <= 4, exact relative to erf(x). Error 2^{log:.1f}.")
    # erfcx(t) (t + k) in u = (t - k) / (t + k): close to constant, and smooth out to infinity.
    k = mp.mpf(2)
    def scaled(u):
        t = k * (1 + u) / (1 - u)
        return erfcx(t) * (t + k)
    at = lambda t: (mp.mpf(t) - k) / (mp.mpf(t) + k)
    w.polynomial("erfcxPolynomial", scaled, -1, at("10.3"), range(10), range(27), relative(scaled),
                 "e^(t^2) erfc(t) (t + 2) in u = (t - 2) / (t + 2), to t = 10.3 or 27.5.", high64=at("27.5"))
    w.short_polynomial("erfcxShortPolynomial", scaled, -1, at("10.3"), range(6), relative(scaled),
                       "e^(t^2) erfc(t) (t + 2) in u = (t - 2) / (t + 2).")
    # erfinv(x) / x by w = -log(1 - x^2), in three ranges of w.
    def inverse(v):
        x = mp.sqrt(-mp.expm1(-v))
        if x < TINY:
            return mp.sqrt(mp.pi) / 2
        # Newton's method on erfc, which keeps its digits where x is close to 1.
        tail = mp.exp(-v) / (1 + x)
        y = mp.erfinv(mp.mpf(float(x))) if x < 0.9 else mp.sqrt(mp.mpf(v))
        for _ in range(60):
            step = (mp.erfc(y) - tail) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < mp.mpf("1e-40"):
                break
        return y / x
    centre, tail = lambda u: inverse(u + mp.mpf("2.5")), lambda u: inverse((u + 3) ** 2)
    centre_range, tail_range = (mp.mpf("-2.5"), mp.mpf("2.5")), (mp.sqrt(5) - 3, mp.mpf("1.2"))
    centre_comment = "erfinv(x) / x in w - 5/2, w = -log(1 - x^2) <= 5."
    tail_comment = "erfinv(x) / x in sqrt(w) - 3, for 5 <= w <= 17.6."
    w.narrow_polynomial("erfinvCentreNarrow", centre, *centre_range, range(11), lambda u: 1 / centre(u), centre_comment)
    w.polynomial("erfinvCentre", centre, *centre_range, None, range(24), lambda u: 1 / centre(u), centre_comment)
    w.narrow_polynomial("erfinvTailNarrow", tail, *tail_range, range(11), lambda u: 1 / tail(u), tail_comment)
    w.polynomial("erfinvTail", tail, *tail_range, None, range(23), lambda u: 1 / tail(u), tail_comment)
    w.polynomial("erfinvFarTail", lambda u: inverse((u + 5) ** 2), mp.mpf("-0.81"), mp.mpf("1.12"), None, range(18),
                 lambda u: 1 / inverse((u + 5) ** 2), "erfinv(x) / x in sqrt(w) - 5, for w >= 17.5.")


def write_gamma(w):
    # In u = (y - k) / (y + k) the singularities, at y <= 0, are at |u| >= 1.
    k = mp.sqrt(3)
    def quotient(u):
        y = k * (1 + u) / (1 - u)
        if min(abs(y - 1), abs(y - 2)) < TINY:
            return mp.euler if y < 1.5 else 1 - mp.euler
        return mp.loggamma(y) / ((y - 1) * (y - 2))
    at = lambda y: (mp.mpf(y) - k) / (mp.mpf(y) + k)
    w.polynomial("lgammaPolynomial", quotient, at("0.999"), at("3.001"), None, range(19), relative(quotient),
                 "lgamma(y) / ((y - 1) (y - 2)) in u = (y - sqrt(3)) / (y + sqrt(3)) for 1 <= y <= 3.")


def write_tables(w):
    w.table("tanhShortTable", mp.tanh, mp.mpf(19) / 64, 32, 3, 1, "tanh near multiples of 19/64, for results of 16 bits.")
    w.table("erfShortTable", mp.erf, mp.mpf(17) / 128, 32, 3, 1, "erf near multiples of 17/128, for results of 16 bits.")
    w.table("geluTailShortTable", lambda t: t * mp.erfc(t / mp.sqrt(2)) / 2, mp.mpf(13) / 64, 32, 4, 0,
            "t erfc(t / sqrt(2)) / 2 near multiples of 13/64, for results of 16 bits.")
    w.table("tanhTable", mp.tanh, mp.mpf(19) / 64, 32, 6, 1, "tanh near multiples of 19/64, by powers of the distance.")
    w.table("erfTable", mp.erf, mp.mpf(17) / 128, 32, 4, 1, "erf near multiples of 17/128.")
    w.table("normalTailTable", lambda t: erfcx(t / mp.sqrt(2)) / 2, mp.mpf(15) / 32, 32, 5, None,
            "e^(t^2 / 2) erfc(t / sqrt(2)) / 2 near multiples of 15/32.")
    w.table("erfcxTable", erfcx, mp.mpf(11) / 32, 32, 5, None, "e^(t^2) erfc(t) near multiples of 11/32.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    writer = Writer()
    write_exponentials(writer)
    write_trigonometric(writer)
    write_error_functions(writer)
    write_gamma(writer)
    write_tables(writer)
    text = (
        "// Minimax polynomials of the emitted functions, lowest power first.\n"
        "// Generated by utils/vector_math_coefficients.py; do not edit.\n\n"
        "// clang-format off\n"
        "#ifndef TC_LIB_CONVERSION_VECTORMATH_COEFFICIENTS_H\n#define TC_LIB_CONVERSION_VECTORMATH_COEFFICIENTS_H\n\n"
        "namespace tc::vectormath {\n\n" + "\n".join(writer.lines) + "\n\n} // namespace tc::vectormath\n\n"
        "#endif // TC_LIB_CONVERSION_VECTORMATH_COEFFICIENTS_H\n"
    )
    with open(arguments.output, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
