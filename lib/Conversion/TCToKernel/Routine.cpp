//===- Routine.cpp - Factorisations and Fourier transforms to kernels -----===//

#include "Elements.h"
#include "Patterns.h"
#include "TC/Dialect/TC/IR/RoutineSignature.h"

using namespace mlir;
using namespace tc;

namespace {
/// Pattern: tc.routine kind %operands -> kernel { reads; routine_stage; writes
/// }
///
/// The domain has the leading dimensions, then dimensions of its own for every
/// operand and every result.
struct RoutineToKernel : public KernelPattern<RoutineOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(RoutineOp op,
                            PatternRewriter &rewriter) const override {
    RoutineSignature signature = getRoutineSignature(op.getKind());
    Sizes first = getSizes(cast<ShapedType>(op.getOperand(0).getType()));
    size_t batch = first.size() - signature.operands.front().size();
    Sizes domain(first.begin(), first.begin() + batch);
    SmallVector<Attribute> over, to;
    auto addDims = [&](Value value, SmallVector<Attribute> &lists) {
      Sizes sizes = getSizes(cast<ShapedType>(value.getType()));
      auto inner = ArrayRef<SizeExpr>(sizes).drop_front(batch);
      lists.push_back(
          rewriter.getDenseI64ArrayAttr(dimRange(domain.size(), inner.size())));
      llvm::append_range(domain, inner);
    };
    for (Value operand : op.getOperands())
      addDims(operand, over);
    for (Value result : op.getResults())
      addDims(result, to);
    KernelBuilder kernel(rewriter, op.getLoc(),
                         stringifyRoutineKind(op.getKind()), domain,
                         op.getResultTypes());
    auto pointOf = [&](Attribute list) {
      SmallVector<AffineExpr> point = kernel.dims(batch);
      for (int64_t dim : cast<DenseI64ArrayAttr>(list).asArrayRef())
        point.push_back(kernel.dim(dim));
      return point;
    };
    SmallVector<Value> values;
    SmallVector<Type> types;
    for (auto [operand, list] : llvm::zip_equal(op.getOperands(), over))
      values.push_back(readElement(kernel, operand, pointOf(list)));
    for (Value result : op.getResults())
      types.push_back(cast<ShapedType>(result.getType()).getElementType());
    auto stage =
        RoutineStageOp::create(kernel.body, op.getLoc(), types, op.getKind(),
                               values, rewriter.getArrayAttr(over),
                               rewriter.getArrayAttr(to), op.getChecked());
    for (auto [index, list] : llvm::enumerate(to))
      kernel.write(stage.getResult(index), index, pointOf(list));
    return kernel.finish();
  }
};
} // namespace

void tc::populateRoutineToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<RoutineToKernel>(patterns.getContext());
}
