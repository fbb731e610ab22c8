//===- OpByOpMemory.cpp - Memory of a graph that runs op by op ------------===//

#include "TC/Runner/OpByOpMemory.h"
#include "KernelFigures.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Frontend/PT2/OperatorSchema.h"
#include "TC/MemoryPlan/MemoryPlanner.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tc;

/// Overloads that give their input back, which their schemas do not say.
static bool returnsInput(AtenOp call, StringRef overload) {
  if (overload == "_unsafe_view.default")
    return true;
  bool isDropout =
      llvm::StringSwitch<bool>(overload)
          .Cases({"dropout.default", "alpha_dropout.default"}, true)
          .Cases({"feature_dropout.default", "feature_alpha_dropout.default"},
                 true)
          .Default(false);
  auto train = call.getArguments().getAs<BoolAttr>("train");
  return isDropout && train && !train.getValue();
}

/// The operand that the argument `name` of a call is.
static Value getOperandNamed(AtenOp call, StringRef name) {
  auto operand = call.getArguments().getAs<OperandAttr>(name);
  return operand ? call.getInputs()[operand.getIndex()] : Value();
}

/// The operand whose memory result `index` of a captured call shows.
static Value getViewed(AtenOp call, unsigned index) {
  StringRef overload = call.getTarget();
  overload.consume_front("aten.");
  if (returnsInput(call, overload))
    return call.getInputs().front();
  const pt2::OperatorSchema *schema = pt2::findOperatorSchema(overload);
  if (!schema || !schema->returnsView())
    return {};
  // One list of views has a result for each.
  const pt2::SchemaValue &result =
      schema->results[schema->results.size() == 1 ? 0 : index];
  if (result.aliasSet.empty())
    return {};
  // The views that a list is split into are of the one tensor that is split.
  for (const pt2::SchemaValue &argument : schema->arguments)
    if (!argument.aliasSet.empty())
      if (Value operand = getOperandNamed(call, argument.name))
        // aten.to gives back its input if nothing changes.
        return getElementTypeOrSelf(operand.getType()) ==
                       getElementTypeOrSelf(call.getResult(index).getType())
                   ? operand
                   : Value();
  return {};
}

/// The value whose memory `result` shows; nothing if its op allocates it.
static Value getViewed(OpResult result) {
  Operation *op = result.getOwner();
  if (auto call = dyn_cast<AtenOp>(op))
    return getViewed(call, result.getResultNumber());
  if (isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp>(op))
    return op->getOperand(0);
  return {};
}

OpByOpMemory::OpByOpMemory(Block &block)
    : bytesRead(SizeExpr::constant(block.getParentOp()->getContext(), 0)),
      bytesWritten(bytesRead) {
  int64_t step = 0;
  for (Operation &op : block) {
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        addUse(operand, step);
    });
    addResults(op, step++);
  }
  if (!block.empty())
    for (Value returned : block.back().getOperands())
      if (auto owner = owners.find(returned); owner != owners.end())
        tensors[owner->second].isReturned = true;
}

void OpByOpMemory::addUse(Value value, int64_t step) {
  if (auto owner = owners.find(value); owner != owners.end())
    tensors[owner->second].last = step;
}

void OpByOpMemory::addResults(Operation &op, int64_t step) {
  if (isa<ParameterOp, ConstantOp>(op))
    return;
  MLIRContext *context = op.getContext();
  size_t countBefore = tensors.size();
  for (OpResult result : op.getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    if (Value viewed = getViewed(result)) {
      if (auto owner = owners.find(viewed); owner != owners.end())
        owners[result] = owner->second;
      continue;
    }
    owners[result] = tensors.size();
    SizeExpr bytes = runner::countBytes(Value(result), context);
    tensors.push_back({bytes, step, step});
    bytesWritten = bytesWritten.add(bytes);
  }
  if (tensors.size() == countBefore)
    return;
  ++opCount;
  bytesRead = bytesRead.add(runner::countBytes(op.getOperands(), context));
}

std::optional<int64_t> OpByOpMemory::getPeakBytes(SymbolValues symbols,
                                                  Results results) const {
  std::vector<MemoryBlock> blocks;
  for (const Tensor &tensor : tensors) {
    if (tensor.isReturned && results == Results::NotCounted)
      continue;
    std::optional<int64_t> bytes = tensor.bytes.evaluate(symbols);
    if (!bytes)
      return std::nullopt;
    blocks.push_back({*bytes, tensor.first, tensor.last});
  }
  return tc::getPeakBytes(blocks);
}
