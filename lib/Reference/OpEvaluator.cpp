//===- OpEvaluator.cpp - One op at a time ---------------------------------===//

#include "TC/Reference/OpEvaluator.h"
#include "OpDispatch.h"
#include "SymbolBinding.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tc::reference {

OpEvaluator::OpEvaluator(const Options &given)
    : options(std::make_unique<Options>(given)),
      evaluation(std::make_unique<Evaluation>(*options, /*depth=*/0)) {}
OpEvaluator::OpEvaluator(OpEvaluator &&) = default;
OpEvaluator::~OpEvaluator() = default;

FailureOr<OpEvaluator> OpEvaluator::create(func::FuncOp function,
                                           ArrayRef<Tensor> arguments,
                                           const Options &options) {
  OpEvaluator evaluator(options);
  if (failed(bindSymbols(*evaluator.evaluation, function, arguments)))
    return failure();
  return std::move(evaluator);
}

/// An op whose operands are distinct values, outside any block; null for one
/// whose operands are that already.
static Operation *separateOperands(Operation *op, Block &values) {
  llvm::SmallPtrSet<void *, 8> distinct;
  for (Value operand : op->getOperands())
    distinct.insert(operand.getAsOpaquePointer());
  if (distinct.size() == op->getNumOperands())
    return nullptr;
  Operation *separate = op->clone();
  for (OpOperand &operand : separate->getOpOperands())
    operand.set(values.addArgument(operand.get().getType(), op->getLoc()));
  return separate;
}

FailureOr<SmallVector<Tensor>> OpEvaluator::run(Operation *op,
                                                ArrayRef<Tensor> operands) {
  // A value that is several operands has a tensor for each of them.
  Block values;
  OwningOpRef<Operation *> separate = separateOperands(op, values);
  if (separate)
    op = *separate;
  for (auto [value, tensor] : llvm::zip_equal(op->getOperands(), operands))
    evaluation->set(value, tensor);
  if (failed(evaluateOp(*evaluation, op)))
    return failure();
  SmallVector<Tensor> results;
  for (Value result : op->getResults()) {
    results.push_back(evaluation->get(result));
    evaluation->forget(result);
  }
  for (Value operand : op->getOperands())
    evaluation->forget(operand);
  return results;
}

} // namespace tc::reference
