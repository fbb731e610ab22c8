//===- Reduction.cpp - Folds of rows --------------------------------------===//

#include "Reduction.h"
#include "TC/Reference/ScalarFunctions.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tc::reference {

/// Calls `fn` with a null pointer of the type that words of `kind` hold.
template <typename Fn> static void withHeldType(ElementKind kind, Fn fn) {
  if (kind == ElementKind::Float)
    fn(static_cast<double *>(nullptr));
  else if (kind == ElementKind::Signed)
    fn(static_cast<int64_t *>(nullptr));
  else
    fn(static_cast<uint64_t *>(nullptr)); // i1 too, as 0 or 1
}

template <typename T>
static T getInitialValue(ReductionKind kind, bool isBool) {
  using Limits = std::numeric_limits<T>;
  T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  switch (kind) {
  case ReductionKind::Prod:
  case ReductionKind::All:
    return 1;
  case ReductionKind::Max:
    return lowest;
  case ReductionKind::Min:
    return isBool ? T(1) : highest;
  default:
    return 0;
  }
}

template <typename T> static T combine(ReductionKind kind, T x, T y) {
  switch (kind) {
  case ReductionKind::Prod:
    return scalar::mul(x, y);
  case ReductionKind::Max:
    return scalar::maximum(x, y);
  case ReductionKind::Min:
    return scalar::minimum(x, y);
  case ReductionKind::All:
    return x != 0 && y != 0;
  case ReductionKind::Any:
    return x != 0 || y != 0;
  default:
    return scalar::add(x, y);
  }
}

Word combineWords(CombineKind kind, Word current, Word update,
                  ElementKind elementKind) {
  ReductionKind reduction;
  switch (kind) {
  case CombineKind::Replace:
    return update;
  case CombineKind::Sum:
    reduction = ReductionKind::Sum;
    break;
  case CombineKind::Prod:
    reduction = ReductionKind::Prod;
    break;
  case CombineKind::Max:
    reduction = ReductionKind::Max;
    break;
  case CombineKind::Min:
    reduction = ReductionKind::Min;
    break;
  }
  Word result = 0;
  withHeldType(elementKind, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    result = llvm::bit_cast<uint64_t>(
        combine(reduction, llvm::bit_cast<T>(uint64_t(current)),
                llvm::bit_cast<T>(uint64_t(update))));
  });
  return result;
}

Tensor reduceRows(const Rows &rows, ReductionKind kind, bool chained) {
  Tensor result(rows.values.getElementType(), rows.outerSizes);
  bool isBool = rows.values.getKind() == ElementKind::Bool;
  withHeldType(rows.values.getKind(), [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const T *values = rows.values.data<T>();
    T *results = result.data<T>();
    parallelRanges(rows.count, 1 + (1 << 14) / (rows.length + 1),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t row = begin; row < end; ++row) {
                       T state = getInitialValue<T>(kind, isBool);
                       for (int64_t i = 0; i < rows.length; ++i) {
                         state = combine(kind, state,
                                         values[row * rows.length + i]);
                         if constexpr (std::is_same_v<T, double>)
                           state = chained ? float(state) : state;
                       }
                       results[row] = state;
                     }
                   });
  });
  return result;
}

Tensor argReduceRows(const Rows &rows, bool largest) {
  Tensor result(IntegerType::get(rows.values.getElementType().getContext(), 64),
                rows.outerSizes);
  withHeldType(rows.values.getKind(), [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (int64_t row = 0; row < rows.count; ++row) {
      const T *values = rows.values.data<T>() + row * rows.length;
      int64_t best = 0;
      for (int64_t i = 1; i < rows.length && values[best] == values[best]; ++i)
        if (values[i] != values[i] ||
            (largest ? values[i] > values[best] : values[i] < values[best]))
          best = i;
      result.data<int64_t>()[row] = best;
    }
  });
  return result;
}

std::pair<Tensor, Tensor> welfordRows(const Rows &rows) {
  Tensor mean(rows.values.getElementType(), rows.outerSizes);
  Tensor squares(rows.values.getElementType(), rows.outerSizes);
  parallelRanges(rows.count, 1 + (1 << 14) / (rows.length + 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; ++row) {
                     const double *values =
                         rows.values.data<double>() + row * rows.length;
                     double sum = 0, deviations = 0;
                     for (int64_t i = 0; i < rows.length; ++i)
                       sum += values[i];
                     double rowMean = sum / double(rows.length);
                     for (int64_t i = 0; i < rows.length; ++i)
                       deviations +=
                           (values[i] - rowMean) * (values[i] - rowMean);
                     mean.data<double>()[row] = rowMean;
                     squares.data<double>()[row] = deviations;
                   }
                 });
  return {mean, squares};
}

Tensor scanRows(const Rows &rows, ReductionKind kind) {
  Tensor result(rows.values.getElementType(), rows.values.getSizes());
  bool isBool = rows.values.getKind() == ElementKind::Bool;
  withHeldType(rows.values.getKind(), [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (int64_t row = 0; row < rows.count; ++row) {
      T state = getInitialValue<T>(kind, isBool);
      for (int64_t i = row * rows.length; i < (row + 1) * rows.length; ++i)
        result.data<T>()[i] = state =
            combine(kind, state, rows.values.data<T>()[i]);
    }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

FailureOr<Tensors> evaluate(Evaluation &evaluation, ReduceOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), op.getDims());
  return Tensors{evaluation.finish(
      reduceRows(rows, op.getKind(),
                 evaluation.chainsSums(rows.values.getElementType())))};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ArgReduceOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), {int64_t(op.getDim())});
  return Tensors{argReduceRows(rows, op.getKind() == ReductionKind::ArgMax)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, VarianceOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), op.getDims());
  Tensor result = welfordRows(rows).second;
  double divisor =
      std::max(0.0, double(rows.length) - op.getCorrection().convertToDouble());
  for (int64_t i = 0; i < result.getElementCount(); ++i)
    result.data<double>()[i] /= divisor;
  return Tensors{evaluation.finish(result)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ScanOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), {int64_t(op.getDim())});
  return Tensors{evaluation.finish(
      restoreDims(scanRows(rows, op.getKind()), rows.permutation))};
}

} // namespace tc::reference
