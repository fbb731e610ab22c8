//===- Pool.cpp - Pooling and resampling ----------------------------------===//

#include "Pool.h"
#include "TC/Reference/ScalarFunctions.h"

using namespace mlir;

namespace tc::reference {

/// x seen as planes of spatial dimensions: [batch * channels, spatial...].
struct Planes {
  int64_t count;
  Sizes64 in, out;
  int64_t inCount, outCount;
};

static Planes getPlanes(const Tensor &x, ArrayRef<int64_t> resultSizes) {
  Planes planes;
  planes.count = x.getSizes()[0] * x.getSizes()[1];
  planes.in = Sizes64(x.getSizes().drop_front(2));
  planes.out = Sizes64(resultSizes.drop_front(2));
  planes.inCount = countElements(planes.in);
  planes.outCount = countElements(planes.out);
  return planes;
}

/// The positions of one spatial dimension that a window covers.
struct Window {
  int64_t begin, end, step; // begin may be in the padding
};

/// Calls `visit(flat position)` for the positions of a window inside the plane,
/// in row-major order.
static void forEachInside(ArrayRef<Window> windows, ArrayRef<int64_t> sizes,
                          function_ref<void(int64_t)> visit, size_t dim = 0,
                          int64_t base = 0) {
  if (dim == windows.size())
    return visit(base);
  for (int64_t i = windows[dim].begin; i < windows[dim].end;
       i += windows[dim].step)
    if (i >= 0 && i < sizes[dim])
      forEachInside(windows, sizes, visit, dim + 1, base * sizes[dim] + i);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Index of the extreme element of a window; -1 when all of it is padding.
template <typename T>
static int64_t findLargest(const T *plane, ArrayRef<Window> windows,
                           ArrayRef<int64_t> sizes) {
  int64_t best = -1;
  forEachInside(windows, sizes, [&](int64_t at) {
    bool isNan = plane[at] != plane[at];
    if (best < 0 || plane[at] > plane[best] || isNan)
      best = at;
  });
  return best;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, MaxPoolOp op) {
  const Tensor &x = evaluation.get(op.getX());
  FailureOr<Sizes64> sizes =
      evaluation.evaluateSizes(op, cast<ShapedType>(op.getResult().getType()));
  if (failed(sizes))
    return failure();
  Planes planes = getPlanes(x, *sizes);
  Tensor result(x.getElementType(), *sizes);
  Tensor indices(IntegerType::get(op.getContext(), 64), *sizes);
  bool padOnly = false;
  for (int64_t flat = 0; flat < result.getElementCount(); ++flat) {
    Sizes64 out = unflatten(flat % planes.outCount, planes.out);
    SmallVector<Window, 3> windows;
    for (auto [d, at] : llvm::enumerate(out)) {
      int64_t begin = at * op.getStride()[d] - op.getPadding()[d],
              step = op.getDilation()[d];
      windows.push_back({begin, begin + op.getKernel()[d] * step, step});
    }
    int64_t start = flat / planes.outCount * planes.inCount;
    int64_t best =
        x.getKind() == ElementKind::Float
            ? findLargest(x.data<double>() + start, windows, planes.in)
        : x.getKind() == ElementKind::Signed
            ? findLargest(x.data<int64_t>() + start, windows, planes.in)
            : findLargest(x.data<uint64_t>() + start, windows, planes.in);
    padOnly |= best < 0;
    if (best < 0)
      break;
    result.words()[flat] = x.words()[start + best];
    indices.data<int64_t>()[flat] = best;
  }
  if (padOnly)
    return op.emitOpError() << "has a window that covers padding alone";
  return Tensors{result, indices};
}

/// Sums of the windows of x, each divided: `getWindow` says what the window of
/// a position of the result covers, `getDivisor` by what the sum of a window
/// with `inside` positions inside the plane is divided.
template <typename PoolOp>
static FailureOr<Tensors> averageWindows(
    Evaluation &evaluation, PoolOp op,
    function_ref<Window(const Planes &planes, size_t dim, int64_t at)>
        getWindow,
    function_ref<double(ArrayRef<Window> windows, int64_t inside)> getDivisor) {
  const Tensor &x = evaluation.get(op.getX());
  FailureOr<Sizes64> sizes =
      evaluation.evaluateSizes(op, cast<ShapedType>(op.getType()));
  if (failed(sizes))
    return failure();
  Planes planes = getPlanes(x, *sizes);
  Tensor result(x.getElementType(), *sizes);
  for (int64_t flat = 0; flat < result.getElementCount(); ++flat) {
    Sizes64 out = unflatten(flat % planes.outCount, planes.out);
    SmallVector<Window, 3> windows;
    for (auto [dim, at] : llvm::enumerate(out))
      windows.push_back(getWindow(planes, dim, at));
    const double *plane =
        x.data<double>() + flat / planes.outCount * planes.inCount;
    double sum = 0;
    int64_t inside = 0;
    forEachInside(windows, planes.in, [&](int64_t at) {
      sum += plane[at];
      ++inside;
    });
    result.data<double>()[flat] = sum / getDivisor(windows, inside);
  }
  return Tensors{evaluation.finish(result)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, AvgPoolOp op) {
  auto getWindow = [&](const Planes &planes, size_t dim, int64_t at) -> Window {
    int64_t begin = at * op.getStride()[dim] - op.getPadding()[dim];
    // Cut at the end of the padding.
    int64_t end = std::min(begin + op.getKernel()[dim],
                           planes.in[dim] + op.getPadding()[dim]);
    return {begin, end, 1};
  };
  auto getDivisor = [&](ArrayRef<Window> windows, int64_t inside) -> double {
    if (op.getDivisor())
      return double(int64_t(*op.getDivisor()));
    if (op.getExcludePadding())
      return double(inside);
    int64_t padded = 1;
    for (const Window &window : windows)
      padded *= window.end - window.begin;
    return double(padded);
  };
  return averageWindows(evaluation, op, getWindow, getDivisor);
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, AdaptiveAvgPoolOp op) {
  auto getWindow = [](const Planes &planes, size_t dim, int64_t at) -> Window {
    int64_t in = planes.in[dim], count = planes.out[dim];
    return {at * in / count, ((at + 1) * in + count - 1) / count, 1};
  };
  auto getDivisor = [](ArrayRef<Window>, int64_t inside) {
    return double(inside);
  };
  return averageWindows(evaluation, op, getWindow, getDivisor);
}

//===----------------------------------------------------------------------===//
// Resampling
//===----------------------------------------------------------------------===//

/// The two source positions next to a result position, and how far it is. Both
/// count, with a share of 0 as well: 0 times an infinity is NaN, as in PyTorch.
/// Nearest has no `high`, -1.
struct Tap {
  int64_t low, high;
  double fraction;
};

static Tap getTap(ResampleOp op, int64_t dim, int64_t at, int64_t in,
                  int64_t out) {
  double scale =
      op.getScales() ? (*op.getScales())[dim] : double(in) / double(out);
  if (op.getMode() == ResampleMode::Nearest) {
    int64_t source = std::min(int64_t(std::floor(double(at) * scale)), in - 1);
    return {source, -1, 0};
  }
  double source;
  if (op.getAlignCorners())
    source = out > 1 ? double(at) * double(in - 1) / double(out - 1) : 0;
  else
    source = std::max(0.0, (double(at) + 0.5) * scale - 0.5);
  int64_t low = std::min(int64_t(source), in - 1);
  return {low, std::min(low + 1, in - 1), source - double(low)};
}

/// The sum over both ends of every dimension's tap, weighted.
static double interpolate(const double *plane, ArrayRef<Tap> taps,
                          ArrayRef<int64_t> sizes, size_t dim = 0,
                          int64_t base = 0) {
  if (dim == taps.size())
    return plane[base];
  const Tap &tap = taps[dim];
  double low =
      interpolate(plane, taps, sizes, dim + 1, base * sizes[dim] + tap.low);
  if (tap.high < 0)
    return low;
  double high =
      interpolate(plane, taps, sizes, dim + 1, base * sizes[dim] + tap.high);
  return low * (1 - tap.fraction) + high * tap.fraction;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ResampleOp op) {
  const Tensor &x = evaluation.get(op.getX());
  FailureOr<Sizes64> sizes =
      evaluation.evaluateSizes(op, cast<ShapedType>(op.getType()));
  if (failed(sizes))
    return failure();
  Planes planes = getPlanes(x, *sizes);
  Tensor result(x.getElementType(), *sizes);
  if (planes.inCount == 0 && result.getElementCount() != 0)
    return op.emitOpError() << "resamples a plane without elements";
  for (int64_t flat = 0; flat < result.getElementCount(); ++flat) {
    Sizes64 out = unflatten(flat % planes.outCount, planes.out);
    SmallVector<Tap, 3> taps;
    for (auto [d, at] : llvm::enumerate(out))
      taps.push_back(getTap(op, d, at, planes.in[d], planes.out[d]));
    result.data<double>()[flat] =
        interpolate(x.data<double>() + flat / planes.outCount * planes.inCount,
                    taps, planes.in);
  }
  return Tensors{evaluation.finish(result)};
}

} // namespace tc::reference
