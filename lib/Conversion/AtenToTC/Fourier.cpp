//===- Fourier.cpp - discrete Fourier transforms --------------------------===//

#include "AtenTable.h"
#include "ComplexPair.h"

#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// How a transform is scaled, as PyTorch's `norm` names it.
enum class Scaling { None, ByRoot, ByLength };

namespace {
/// The request of a call: the dimensions in the order of their transforms, the
/// last of which may have real numbers on one side, and their sizes.
struct Transform {
  SmallVector<int64_t> dims;
  Sizes sizes;
  bool isInverse = false;
  Scaling scaling = Scaling::None;
};
} // namespace

/// x with `size` elements along `dim`: the first ones, or zeros after them.
static Value resize(AtenCall &call, Value x, int64_t dim, SizeExpr size) {
  Sizes sizes = sizesOf(x);
  SizeExpr missing = size.sub(sizes[dim]);
  auto count = missing.getConstant();
  if (!count) {
    (void)call.refuse("a length that differs from a symbolic size");
    return x;
  }
  if (*count == 0)
    return x;
  if (*count < 0)
    return call.slice(x, dim, call.constant(0), size);
  sizes[dim] = missing;
  Value zeros =
      call.fill(0.0, EmptyOp::create(call.builder, call.location,
                                     getTensorType(sizes, elementOf(x))));
  return call.concat({x, zeros}, dim);
}

static ComplexPair resize(AtenCall &call, const ComplexPair &x, int64_t dim,
                          SizeExpr size) {
  return {resize(call, x.real, dim, size),
          resize(call, x.imaginary, dim, size)};
}

/// The unscaled transform along one dimension.
static ComplexPair transformRows(AtenCall &call, ComplexPair x, int64_t dim,
                                 bool isInverse) {
  int64_t last = rankOf(x.real) - 1;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i <= last; ++i)
    order.push_back(i);
  std::swap(order[dim], order[last]); // its own inverse
  auto swap = [&](Value part) {
    return dim == last ? part : call.transpose(part, order);
  };
  auto routine = RoutineOp::create(
      call.builder, call.location,
      isInverse ? RoutineKind::InverseFFT : RoutineKind::FFT,
      ValueRange{swap(x.real), swap(x.imaginary)}, /*checked=*/false);
  return {swap(routine.getResult(0)), swap(routine.getResult(1))};
}

/// The factor that `transform` multiplies with.
static double getFactor(AtenCall &call, const Transform &transform) {
  if (transform.scaling == Scaling::None)
    return 1;
  double length = 1;
  for (SizeExpr size : transform.sizes) {
    auto constant = size.getConstant();
    if (!constant) {
      (void)call.refuse("scaling by a symbolic size");
      return 1;
    }
    length *= double(*constant);
  }
  return 1 /
         (transform.scaling == Scaling::ByRoot ? std::sqrt(length) : length);
}

static ComplexPair transformAll(AtenCall &call, ComplexPair x,
                                const Transform &transform) {
  for (auto [dim, size] : llvm::zip_equal(transform.dims, transform.sizes))
    x = transformRows(call, resize(call, x, dim, size), dim,
                      transform.isInverse);
  return scale(call, x, getFactor(call, transform));
}

/// The first half of dimension `dim` of `size`, and the element in the middle.
static ComplexPair takeHalf(AtenCall &call, const ComplexPair &x, int64_t dim,
                            SizeExpr size) {
  SizeExpr half = size.floorDiv(call.constant(2)).add(1);
  auto take = [&](Value part) {
    return call.slice(part, dim, call.constant(0), half);
  };
  return {take(x.real), take(x.imaginary)};
}

/// Elements (`size` - 1) / 2 down to 1 of dimension `dim`.
static Value mirror(AtenCall &call, Value x, int64_t dim, int64_t size) {
  SizeExpr count = call.constant((size - 1) / 2);
  return call.slice(x, dim, count, count, /*step=*/-1);
}

/// The whole of a row whose second half is the conjugate of the first.
static ComplexPair completeHermitian(AtenCall &call, ComplexPair x, int64_t dim,
                                     SizeExpr size) {
  auto length = size.getConstant();
  if (!length || *length < 1) {
    (void)call.refuse("a symbolic number of real results");
    return x;
  }
  x = resize(call, x, dim, call.constant(*length / 2 + 1));
  if (*length <= 2)
    return {resize(call, x.real, dim, size),
            resize(call, x.imaginary, dim, size)};
  Value real = call.concat({x.real, mirror(call, x.real, dim, *length)}, dim);
  Value mirrored = call.unary<NegOp>(mirror(call, x.imaginary, dim, *length));
  return {real, call.concat({x.imaginary, mirrored}, dim)};
}

//===----------------------------------------------------------------------===//
// torch.fft
//===----------------------------------------------------------------------===//

static FailureOr<Scaling> getScaling(AtenCall &call, bool isInverse) {
  StringRef norm = call.isNone("norm") ? "backward" : call.getString("norm");
  if (norm == "ortho")
    return Scaling::ByRoot;
  if (norm == "backward")
    return isInverse ? Scaling::ByLength : Scaling::None;
  if (norm == "forward")
    return isInverse ? Scaling::None : Scaling::ByLength;
  return call.refuse("norm '" + norm + "'");
}

/// Reads `n` and `dim` of a transform of one dimension, `s` and `dim` of one of
/// several. `fromHalf` says that the last dimension of x is half of a row.
static FailureOr<Transform> readTransform(AtenCall &call, Value x,
                                          bool isInverse, bool fromHalf) {
  Transform transform;
  transform.isInverse = isInverse;
  Sizes sizes = sizesOf(x);
  int64_t rank = sizes.size();
  bool hasOne = call.getSchema().arguments[1].name == "n";
  StringRef lengths = hasOne ? "n" : "s";
  Sizes asked;
  if (!call.isNone(lengths))
    asked = hasOne ? Sizes{call.getSize("n")} : call.getSizeList("s");
  if (hasOne) {
    transform.dims = {call.getDim("dim", rank)};
  } else if (!call.isNone("dim")) {
    for (int64_t dim : call.getIntegers("dim"))
      transform.dims.push_back(dim < 0 ? dim + rank : dim);
  } else {
    int64_t count = asked.empty() ? rank : int64_t(asked.size());
    for (int64_t dim = rank - count; dim < rank; ++dim)
      transform.dims.push_back(dim);
  }
  for (int64_t dim : transform.dims)
    if (dim < 0 || dim >= rank)
      return call.refuse("dimensions that the tensor does not have");
  if (call.hasFailed() || transform.dims.empty() ||
      (!asked.empty() && asked.size() != transform.dims.size()))
    return call.hasFailed() ? failure()
                            : call.refuse("these dimensions and lengths");
  for (auto [index, dim] : llvm::enumerate(transform.dims)) {
    bool isHalf = fromHalf && index + 1 == transform.dims.size();
    SizeExpr size = isHalf ? sizes[dim].add(-1).mul(2) : sizes[dim];
    if (!asked.empty() && !asked[index].isConstant(-1))
      size = asked[index];
    transform.sizes.push_back(size);
  }
  auto scaling = getScaling(call, isInverse);
  if (failed(scaling))
    return failure();
  transform.scaling = *scaling;
  return transform;
}

/// x in a float type that has a transform.
static FailureOr<Value> getSignal(AtenCall &call) {
  Value x = call.getTensor("self");
  if (call.hasFailed())
    return failure();
  if (isa<IntegerType>(elementOf(x)))
    x = call.cast(x, call.builder.getF32Type());
  Type part = elementOf(x);
  if (auto complex = dyn_cast<ComplexType>(part))
    part = complex.getElementType();
  if (!part.isF32() && !part.isF64())
    return call.refuse("this element type; expected f32 or f64");
  return x;
}

enum class Sides { Complex, RealToHalf, HalfToReal };

/// The transform of the complex side, and the steps from or to real numbers.
static FailureOr<Value> transform(AtenCall &call, Value x, Transform steps,
                                  Sides sides) {
  ComplexPair pair = splitComplex(call, x);
  int64_t last = steps.dims.back();
  SizeExpr length = steps.sizes.back();
  if (sides == Sides::HalfToReal) {
    // The other dimensions first; the half row becomes a whole one last.
    double factor = getFactor(call, steps);
    Transform others = steps;
    others.dims.pop_back();
    others.sizes.pop_back();
    others.scaling = Scaling::None;
    pair =
        completeHermitian(call, transformAll(call, pair, others), last, length);
    if (call.hasFailed())
      return failure();
    pair =
        scale(call, transformRows(call, pair, last, steps.isInverse), factor);
    return call.hasFailed() ? FailureOr<Value>(failure()) : pair.real;
  }
  pair = transformAll(call, pair, steps);
  if (call.hasFailed())
    return failure();
  if (sides == Sides::RealToHalf)
    pair = takeHalf(call, pair, last, length);
  return joinComplex(call, pair);
}

// Pattern: aten.fft_fft(x, n, dim, norm) -> tc.routine fft of the parts of x
template <Sides sides, bool isInverse>
LogicalResult convertFFT(AtenCall &call) {
  auto x = getSignal(call);
  if (failed(x))
    return failure();
  auto steps = readTransform(call, *x, isInverse, sides == Sides::HalfToReal);
  if (failed(steps))
    return failure();
  auto result = transform(call, *x, *steps, sides);
  return failed(result) ? failure() : call.replace(*result);
}

/// fft_r2c, fft_c2r and fft_c2c of decomposed graphs have a number for the
/// scaling: 0 for none, 1 by the root, 2 by the length.
static FailureOr<Transform> readDecomposed(AtenCall &call, Value x,
                                           bool isInverse) {
  Transform steps;
  steps.isInverse = isInverse;
  Sizes sizes = sizesOf(x);
  for (int64_t dim : call.getIntegers("dim")) {
    steps.dims.push_back(dim < 0 ? dim + int64_t(sizes.size()) : dim);
    steps.sizes.push_back(sizes[steps.dims.back()]);
  }
  int64_t scaling = call.getInteger("normalization");
  if (call.hasFailed() || steps.dims.empty() || scaling < 0 || scaling > 2)
    return call.hasFailed() ? failure() : call.refuse("this normalization");
  steps.scaling = Scaling(scaling);
  return steps;
}

// Pattern: aten._fft_r2c(x) -> tc.routine fft of x and zeros
static LogicalResult convertRealToComplex(AtenCall &call) {
  auto x = getSignal(call);
  if (failed(x))
    return failure();
  auto steps = readDecomposed(call, *x, /*isInverse=*/false);
  if (failed(steps))
    return failure();
  auto result =
      transform(call, *x, *steps,
                call.getBool("onesided") ? Sides::RealToHalf : Sides::Complex);
  return failed(result) ? failure() : call.replace(*result);
}

// Pattern: aten._fft_c2r(x) -> the real part of tc.routine inverse_fft
static LogicalResult convertComplexToReal(AtenCall &call) {
  auto x = getSignal(call);
  if (failed(x))
    return failure();
  auto steps = readDecomposed(call, *x, /*isInverse=*/true);
  if (failed(steps))
    return failure();
  steps->sizes.back() = call.getSize("last_dim_size");
  auto result = transform(call, *x, *steps, Sides::HalfToReal);
  return failed(result) ? failure() : call.replace(*result);
}

// Pattern: aten._fft_c2c(x) -> tc.routine fft of the parts of x
static LogicalResult convertComplexToComplex(AtenCall &call) {
  auto x = getSignal(call);
  if (failed(x))
    return failure();
  auto steps = readDecomposed(call, *x, !call.getBool("forward"));
  if (failed(steps))
    return failure();
  auto result = transform(call, *x, *steps, Sides::Complex);
  return failed(result) ? failure() : call.replace(*result);
}

//===----------------------------------------------------------------------===//
// Short-time transforms
//===----------------------------------------------------------------------===//

/// The window of a frame, in its middle, ones where there is none.
static Value getWindow(AtenCall &call, int64_t length, Type element) {
  auto make = [&](int64_t size, double value) {
    return call.fill(
        value, EmptyOp::create(call.builder, call.location,
                               getTensorType({call.constant(size)}, element)));
  };
  int64_t width =
      call.isNone("win_length") ? length : call.getInteger("win_length");
  Value window =
      call.isNone("window") ? make(width, 1.0) : call.getTensor("window");
  if (call.hasFailed() || width == length)
    return window;
  int64_t left = (length - width) / 2;
  return call.concat(
      {make(left, 0.0), window, make(length - width - left, 0.0)}, 0);
}

// Pattern: aten.stft(x, n_fft) -> tc.routine fft of frames of x times a window
static LogicalResult convertSTFT(AtenCall &call) {
  auto x = getSignal(call);
  int64_t length = call.getInteger("n_fft");
  int64_t hop =
      call.isNone("hop_length") ? length / 4 : call.getInteger("hop_length");
  if (failed(x) || call.hasFailed())
    return failure();
  if (isa<ComplexType>(elementOf(*x)))
    return call.refuse("complex signals");
  int64_t rank = rankOf(*x);
  auto samples = sizesOf(*x).back().getConstant();
  if (rank > 2 || !samples || *samples < length || hop < 1 || length < 1)
    return call.refuse("a signal of this length");
  // Frame f has elements f * hop to f * hop + n_fft - 1.
  int64_t frames = (*samples - length) / hop + 1;
  Sizes grid = {call.constant(frames), call.constant(length)};
  Value start = call.iota(grid, 0);
  Value at = call.binary<AddOp>(call.binary<MulOp>(start, double(hop)),
                                call.iota(grid, 1));
  Sizes flat = sizesOf(*x);
  flat.pop_back();
  Sizes framed = flat;
  flat.push_back(call.constant(frames * length));
  framed.append(grid);
  Value places =
      call.broadcast(call.reshape(at, {call.constant(frames * length)}), flat);
  Value signal = GatherOp::create(call.builder, call.location,
                                  getTensorType(flat, elementOf(*x)), *x,
                                  places, rank - 1);
  signal = call.reshape(signal, framed);
  Value window = getWindow(call, length, elementOf(*x));
  if (call.hasFailed())
    return failure();
  signal = call.binary<MulOp>(signal, call.broadcast(window, framed));
  ComplexPair spectrum = transformRows(call, splitComplex(call, signal), rank,
                                       /*isInverse=*/false);
  if (call.isNone("onesided") || call.getBool("onesided"))
    spectrum = takeHalf(call, spectrum, rank, call.constant(length));
  if (call.getBool("normalized"))
    spectrum = scale(call, spectrum, 1 / std::sqrt(double(length)));
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim <= rank; ++dim)
    order.push_back(dim);
  std::swap(order[rank], order[rank - 1]);
  spectrum = {call.transpose(spectrum.real, order),
              call.transpose(spectrum.imaginary, order)};
  if (isa<ComplexType>(call.getResultType().getElementType()))
    return call.replace(joinComplex(call, spectrum));
  return call.replace(stackParts(call, spectrum));
}

void addFourier(AtenTable &table) {
  auto add = [&](std::initializer_list<StringLiteral> overloads,
                 AtenConversion conversion) {
    table.add(overloads, conversion);
    table.addComplex(overloads, conversion);
  };
  add({"fft_fft.default", "fft_fft2.default", "fft_fftn.default"},
      convertFFT<Sides::Complex, false>);
  add({"fft_ifft.default", "fft_ifft2.default", "fft_ifftn.default"},
      convertFFT<Sides::Complex, true>);
  add({"fft_rfft.default", "fft_rfft2.default", "fft_rfftn.default"},
      convertFFT<Sides::RealToHalf, false>);
  add({"fft_irfft.default", "fft_irfft2.default", "fft_irfftn.default"},
      convertFFT<Sides::HalfToReal, true>);
  add({"fft_hfft.default"}, convertFFT<Sides::HalfToReal, false>);
  add({"fft_ihfft.default"}, convertFFT<Sides::RealToHalf, true>);
  add({"_fft_r2c.default"}, convertRealToComplex);
  add({"_fft_c2r.default"}, convertComplexToReal);
  add({"_fft_c2c.default"}, convertComplexToComplex);
  add({"stft.default"}, convertSTFT);
}

} // namespace tc::aten
