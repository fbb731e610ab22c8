//===- Contraction.cpp - Sums of products over labelled dimensions --------===//

#include "Contraction.h"
#include "TC/Reference/ScalarFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tc::reference {

/// result[m, n] = sum over k of lhs[m, k] * rhs[k, n], all row-major, for rows
/// [rowBegin, rowEnd) and columns [columnBegin, columnEnd). Four rows at a time
/// so that a row of rhs is loaded once for them.
template <typename T>
static void multiplyBlock(const T *lhs, const T *rhs, T *result, int64_t depth,
                          int64_t columns, int64_t rowBegin, int64_t rowEnd,
                          int64_t columnBegin, int64_t columnEnd) {
  for (int64_t m = rowBegin; m < rowEnd; m += 4) {
    int64_t rows = std::min<int64_t>(4, rowEnd - m);
    for (int64_t k = 0; k < depth; ++k) {
      const T *b = rhs + k * columns;
      if (rows == 4) {
        T a0 = lhs[m * depth + k], a1 = lhs[(m + 1) * depth + k];
        T a2 = lhs[(m + 2) * depth + k], a3 = lhs[(m + 3) * depth + k];
        T *c0 = result + m * columns, *c1 = c0 + columns, *c2 = c1 + columns,
          *c3 = c2 + columns;
        for (int64_t n = columnBegin; n < columnEnd; ++n) {
          c0[n] = scalar::add(c0[n], scalar::mul(a0, b[n]));
          c1[n] = scalar::add(c1[n], scalar::mul(a1, b[n]));
          c2[n] = scalar::add(c2[n], scalar::mul(a2, b[n]));
          c3[n] = scalar::add(c3[n], scalar::mul(a3, b[n]));
        }
        continue;
      }
      for (int64_t r = m; r < m + rows; ++r)
        for (int64_t n = columnBegin; n < columnEnd; ++n)
          result[r * columns + n] = scalar::add(
              result[r * columns + n], scalar::mul(lhs[r * depth + k], b[n]));
    }
  }
}

/// `batches` products of matrices; `result` starts as zeros.
template <typename T>
static void multiplyMatrices(const T *lhs, const T *rhs, T *result,
                             int64_t batches, int64_t rows, int64_t columns,
                             int64_t depth) {
  constexpr int64_t rowBlock = 16, columnBlock = 256;
  int64_t rowBlocks = llvm::divideCeil(rows, rowBlock),
          columnBlocks = llvm::divideCeil(columns, columnBlock);
  int64_t grain =
      std::max<int64_t>(1, (1 << 16) / (rowBlock * columnBlock * (depth + 1)));
  parallelRanges(
      batches * rowBlocks * columnBlocks, grain,
      [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
          int64_t batch = block / (rowBlocks * columnBlocks);
          int64_t rowBegin = block / columnBlocks % rowBlocks * rowBlock;
          int64_t columnBegin = block % columnBlocks * columnBlock;
          multiplyBlock(
              lhs + batch * rows * depth, rhs + batch * depth * columns,
              result + batch * rows * columns, depth, columns, rowBegin,
              std::min(rows, rowBegin + rowBlock), columnBegin,
              std::min(columns, columnBegin + columnBlock));
        }
      });
}

/// The positions of `labels` in `all`.
static SmallVector<int64_t, 6> findLabels(ArrayRef<int64_t> labels,
                                          ArrayRef<int64_t> all) {
  SmallVector<int64_t, 6> positions;
  for (int64_t label : labels)
    positions.push_back(llvm::find(all, label) - all.begin());
  return positions;
}

Tensor contract(const Tensor &lhs, ArrayRef<int64_t> lhsLabels,
                const Tensor &rhs, ArrayRef<int64_t> rhsLabels,
                ArrayRef<int64_t> resultLabels, Type resultElementType,
                bool chained) {
  SmallVector<int64_t, 6> batch, rows, columns, depth;
  for (int64_t label : lhsLabels) {
    bool inResult = llvm::is_contained(resultLabels, label);
    (!inResult                              ? depth
     : llvm::is_contained(rhsLabels, label) ? batch
                                            : rows)
        .push_back(label);
  }
  for (int64_t label : rhsLabels)
    if (!llvm::is_contained(lhsLabels, label))
      columns.push_back(label);

  // Bring the operands to [batch, rows, depth] and [batch, depth, columns].
  auto concatenate = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                        ArrayRef<int64_t> c) {
    SmallVector<int64_t, 6> all(a);
    all.append(b.begin(), b.end());
    all.append(c.begin(), c.end());
    return all;
  };
  Tensor left =
      permute(lhs, findLabels(concatenate(batch, rows, depth), lhsLabels));
  Tensor right =
      permute(rhs, findLabels(concatenate(batch, depth, columns), rhsLabels));
  ArrayRef<int64_t> leftSizes = left.getSizes(), rightSizes = right.getSizes();
  int64_t batchCount = countElements(leftSizes.take_front(batch.size()));
  int64_t rowCount = countElements(leftSizes.slice(batch.size(), rows.size()));
  int64_t depthCount = countElements(leftSizes.take_back(depth.size()));
  int64_t columnCount = countElements(rightSizes.take_back(columns.size()));

  Sizes64 sizes(leftSizes.drop_back(depth.size()));
  llvm::append_range(sizes, rightSizes.take_back(columns.size()));
  Tensor result(resultElementType, sizes);
  auto multiply = [&](auto *lhs, auto *rhs, auto *data) {
    multiplyMatrices(lhs, rhs, data, batchCount, rowCount, columnCount,
                     depthCount);
  };
  auto inSingle = [](const Tensor &tensor) {
    const double *values = tensor.data<double>();
    return std::vector<float>(values, values + tensor.getElementCount());
  };
  if (result.getKind() != ElementKind::Float) {
    // Wraps alike for signed and unsigned.
    multiply(left.data<uint64_t>(), right.data<uint64_t>(),
             result.data<uint64_t>());
  } else if (chained) {
    std::vector<float> sums(result.getElementCount());
    multiply(inSingle(left).data(), inSingle(right).data(), sums.data());
    llvm::copy(sums, result.data<double>());
  } else {
    multiply(left.data<double>(), right.data<double>(), result.data<double>());
  }
  return permute(result,
                 findLabels(resultLabels, concatenate(batch, rows, columns)));
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ContractOp op) {
  auto toLabels = [](StringRef letters) {
    return SmallVector<int64_t, 6>(letters.begin(), letters.end());
  };
  auto resultType = cast<RankedTensorType>(op.getType());
  return Tensors{evaluation.finish(
      contract(evaluation.get(op.getLhs()), toLabels(op.getLhsLabels()),
               evaluation.get(op.getRhs()), toLabels(op.getRhsLabels()),
               toLabels(op.getResultLabels()), resultType.getElementType(),
               evaluation.chainsSums(resultType.getElementType())))};
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// A convolution with everything per spatial dimension, 3 of them (missing
/// ones have size 1, stride 1, no padding).
struct ConvolutionShape {
  int64_t batch, groups;
  int64_t channels, outChannels; // of one group
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];

  int64_t inCount() const { return in[0] * in[1] * in[2]; }
  int64_t outCount() const { return out[0] * out[1] * out[2]; }
  int64_t kernelCount() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// For each pair of a strided position `i` of `strided` and the position
/// i * stride - padding + k * dilation inside `dense`, in the two outer spatial
/// dimensions, calls `row(strided offset, dense offset, first i, last i + 1)`
/// with the range of valid i of the innermost dimension.
static void
forEachTapRow(const ConvolutionShape &shape, const int64_t (&strided)[3],
              const int64_t (&dense)[3], const int64_t (&tap)[3],
              function_ref<void(int64_t, int64_t, int64_t, int64_t)> row) {
  int64_t base[3];
  for (int d = 0; d < 3; ++d)
    base[d] = tap[d] * shape.dilation[d] - shape.padding[d];
  int64_t first =
      base[2] >= 0 ? 0 : llvm::divideCeil(-base[2], shape.stride[2]);
  int64_t last = dense[2] - base[2] <= 0
                     ? 0
                     : (dense[2] - base[2] - 1) / shape.stride[2] + 1;
  last = std::min(last, strided[2]);
  if (first >= last)
    return;
  for (int64_t i0 = 0; i0 < strided[0]; ++i0) {
    int64_t j0 = i0 * shape.stride[0] + base[0];
    for (int64_t i1 = 0; j0 >= 0 && j0 < dense[0] && i1 < strided[1]; ++i1) {
      int64_t j1 = i1 * shape.stride[1] + base[1];
      if (j1 >= 0 && j1 < dense[1])
        row((i0 * strided[1] + i1) * strided[2],
            (j0 * dense[1] + j1) * dense[2] + base[2], first, last);
    }
  }
}

/// Adds the products of a weight that is not finite and the zeros around and
/// between the elements of x: NaN.
static void addProductsOfZeros(const ConvolutionShape &shape, bool transposed,
                               const int64_t (&tap)[3], double *plane) {
  std::vector<bool> isElement(shape.outCount());
  int64_t step = transposed ? shape.stride[2] : 1;
  auto mark = [&](int64_t strided, int64_t dense, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      isElement[(transposed ? dense : strided) + i * step] = true;
  };
  if (transposed)
    forEachTapRow(shape, shape.in, shape.out, tap, mark);
  else
    forEachTapRow(shape, shape.out, shape.in, tap, mark);
  for (int64_t point = 0; point < shape.outCount(); ++point)
    if (!isElement[point])
      plane[point] = std::numeric_limits<double>::quiet_NaN();
}

/// One plane of the result: out channel `o` of group `g` of batch `b`.
static void convolvePlane(const ConvolutionShape &shape, bool transposed,
                          bool chained, const double *x, const double *weight,
                          double *result, int64_t b, int64_t g, int64_t o) {
  auto add = [&](double &sum, double term) {
    sum = chained ? float(sum + term) : sum + term;
  };
  double *plane = result + ((b * shape.groups + g) * shape.outChannels + o) *
                               shape.outCount();
  for (int64_t c = 0; c < shape.channels; ++c) {
    const double *source =
        x + ((b * shape.groups + g) * shape.channels + c) * shape.inCount();
    int64_t filter = transposed
                         ? (g * shape.channels + c) * shape.outChannels + o
                         : (g * shape.outChannels + o) * shape.channels + c;
    const double *taps = weight + filter * shape.kernelCount();
    int64_t tap[3] = {0, 0, 0};
    for (int64_t t = 0; t < shape.kernelCount();
         ++t, advanceIndex(tap, shape.kernel)) {
      double w = taps[t];
      if (!std::isfinite(w))
        addProductsOfZeros(shape, transposed, tap, plane);
      int64_t stride = shape.stride[2];
      if (transposed)
        forEachTapRow(
            shape, shape.in, shape.out, tap,
            [&](int64_t from, int64_t to, int64_t first, int64_t last) {
              for (int64_t i = first; i < last; ++i)
                add(plane[to + i * stride], w * source[from + i]);
            });
      else
        forEachTapRow(
            shape, shape.out, shape.in, tap,
            [&](int64_t to, int64_t from, int64_t first, int64_t last) {
              for (int64_t i = first; i < last; ++i)
                add(plane[to + i], w * source[from + i * stride]);
            });
    }
  }
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ConvolutionOp op) {
  const Tensor &x = evaluation.get(op.getX()),
               &weight = evaluation.get(op.getWeight());
  FailureOr<Sizes64> sizes =
      evaluation.evaluateSizes(op, cast<ShapedType>(op.getType()));
  if (failed(sizes))
    return failure();
  ConvolutionShape shape;
  bool transposed = op.getTransposed();
  shape.batch = x.getSizes()[0];
  shape.groups = op.getGroups();
  shape.channels = x.getSizes()[1] / shape.groups;
  shape.outChannels = (*sizes)[1] / shape.groups;
  int64_t spatial = x.getRank() - 2, missing = 3 - spatial;
  for (int64_t d = 0; d < 3; ++d) {
    bool present = d >= missing;
    int64_t i = d - missing;
    shape.in[d] = present ? x.getSizes()[2 + i] : 1;
    shape.out[d] = present ? (*sizes)[2 + i] : 1;
    shape.kernel[d] = present ? weight.getSizes()[2 + i] : 1;
    shape.stride[d] = present ? op.getStride()[i] : 1;
    shape.padding[d] = present ? op.getPadding()[i] : 0;
    shape.dilation[d] = present ? op.getDilation()[i] : 1;
  }
  Tensor result(x.getElementType(), *sizes);
  bool chained = evaluation.chainsSums(x.getElementType());
  parallelRanges(shape.batch * shape.groups * shape.outChannels, 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t plane = begin; plane < end; ++plane)
                     convolvePlane(shape, transposed, chained, x.data<double>(),
                                   weight.data<double>(), result.data<double>(),
                                   plane / (shape.groups * shape.outChannels),
                                   plane / shape.outChannels % shape.groups,
                                   plane % shape.outChannels);
                 });
  return Tensors{evaluation.finish(result)};
}

} // namespace tc::reference
