//===- StaticIndices.cpp - Integers known when compiling ------------------===//

#include "StaticIndices.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Reference/Interpreter.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kMostElements = 1 << 16;
static constexpr size_t kMostOps = 64;

/// Whether `op` makes a tensor of few elements of its operands alone, and
/// cannot fail.
static bool canEvaluate(Operation *op) {
  if (!isa<IotaOp, FullOp, ConstantOp, BroadcastOp, TransposeOp, ReshapeOp,
           SliceOp, ConcatOp, PadOp>(op) &&
      !isa<ElementwiseOpInterface>(op))
    return false;
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > kMostElements)
    return false;
  auto kind = reference::getElementKind(type.getElementType());
  if (!kind || *kind == reference::ElementKind::Complex)
    return false;
  auto constant = dyn_cast<ConstantOp>(op);
  return !constant || isa<DenseElementsAttr>(constant.getValue());
}

/// Adds what `value` is computed by to `ops`, operands first.
static bool collect(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || !canEvaluate(op))
    return false;
  if (ops.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!collect(operand, ops))
      return false;
  ops.insert(op);
  return ops.size() <= kMostOps;
}

std::optional<SmallVector<int64_t>> tc::evaluateIndices(Value value) {
  llvm::SetVector<Operation *> ops;
  if (!isa<IntegerType>(TensorBuilder::typeOf(value).getElementType()) ||
      !collect(value, ops))
    return std::nullopt;
  OpBuilder builder(value.getContext());
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      builder, value.getLoc(), "evaluated",
      builder.getFunctionType({}, TypeRange(value.getType())));
  builder.setInsertionPointToStart(function->addEntryBlock());
  IRMapping copies;
  for (Operation *op : ops)
    builder.clone(*op, copies);
  func::ReturnOp::create(builder, value.getLoc(), copies.lookup(value));
  auto results = reference::evaluateFunction(*function, {});
  if (failed(results))
    return std::nullopt;
  const reference::Tensor &tensor = results->front();
  return llvm::map_to_vector(
      llvm::seq<int64_t>(0, tensor.getElementCount()),
      [&](int64_t index) { return tensor.getInteger(index); });
}
