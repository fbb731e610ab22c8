//===- OpDispatch.cpp - One op of any kind --------------------------------===//

#include "OpDispatch.h"
#include "Attention.h"
#include "Buffers.h"
#include "Contraction.h"
#include "ControlFlow.h"
#include "Elementwise.h"
#include "Guards.h"
#include "Index.h"
#include "Normalization.h"
#include "Pool.h"
#include "Random.h"
#include "Reduction.h"
#include "Routine.h"
#include "Shape.h"
#include "SortScan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc::reference {

static FailureOr<Tensors> evaluateAnyElementwise(Evaluation &evaluation,
                                                 Operation *op) {
  SmallVector<Tensor, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluation.get(operand));
  FailureOr<Tensor> result = evaluateElementwise(evaluation, op, operands);
  return failed(result) ? FailureOr<Tensors>(failure()) : Tensors{*result};
}

static FailureOr<Tensors> evaluateTensorOp(Evaluation &evaluation,
                                           Operation *op) {
  if (isa<ElementwiseOpInterface>(op))
    return evaluateAnyElementwise(evaluation, op);
  auto run = [&](auto op) { return evaluate(evaluation, op); };
  return llvm::TypeSwitch<Operation *, FailureOr<Tensors>>(op)
      .Case<ReduceOp, ArgReduceOp, VarianceOp, RoutineOp, ScanOp>(run)
      .Case<ContractOp, ConvolutionOp>(run)
      .Case<ConstantOp, FullOp, SizeValueOp, SizeFromOp, IotaOp, EmptyOp>(run)
      .Case<BroadcastOp, TransposeOp, ReshapeOp, SliceOp, PadOp, ConcatOp,
            InputStorageOp>(run)
      .Case<GatherOp, IndexOp, NonzeroOp, ScatterOp, IndexPutOp>(run)
      .Case<MaxPoolOp, AvgPoolOp, AdaptiveAvgPoolOp, ResampleOp>(run)
      .Case<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, GroupNormOp,
            BatchNormOp, AttentionOp, AttentionBackwardOp>(run)
      .Case<RandomOp, SortOp, TopKOp>(run)
      .Case<ParameterOp, GuardOp, SizeGuardOp, IfOp, WhileOp, KernelOp,
            func::CallOp>(run)
      .Case<AtenOp>([](AtenOp op) {
        return op.emitOpError() << "is a captured call of '" << op.getTarget()
                                << "'; the reference interpreter runs tc ops "
                                   "(convert it first, with phase import)";
      })
      .Default([](Operation *op) {
        return op->emitOpError()
               << "cannot be run by the reference interpreter, which runs tc "
                  "ops up to phase "
                  "bufferize";
      });
}

/// The results must have the sizes that their types promise.
static LogicalResult checkResults(Evaluation &evaluation, Operation *op,
                                  ArrayRef<Tensor> results) {
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results)) {
    FailureOr<Sizes64> sizes =
        evaluation.evaluateSizes(op, cast<ShapedType>(value.getType()));
    if (failed(sizes))
      return failure();
    if (tensor.getSizes() == ArrayRef<int64_t>(*sizes))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "has a result of type " << value.getType()
                               << ", but its value has sizes [";
    llvm::interleaveComma(tensor.getSizes(), error);
    return error << "]";
  }
  return success();
}

/// The results must fit this machine's memory.
static LogicalResult verifyResultMemory(Evaluation &evaluation, Operation *op) {
  for (auto type : llvm::make_filter_range(op->getResultTypes(),
                                           llvm::IsaPred<ShapedType>)) {
    FailureOr<Sizes64> sizes =
        evaluation.evaluateSizes(op, cast<ShapedType>(type));
    if (failed(sizes) || failed(verifyMemory(op, *sizes)))
      return failure();
  }
  return success();
}

/// The op's sizes must be such that it has a meaning.
static LogicalResult checkPreconditions(Evaluation &evaluation, Operation *op) {
  for (const SizePrecondition &condition : getAllSizePreconditions(op))
    if (condition.decide() != true &&
        failed(checkPrecondition(evaluation, op, op->getName().getStringRef(),
                                 condition)))
      return failure();
  return success();
}

LogicalResult evaluateOp(Evaluation &evaluation, Operation *op) {
  bool hasBuffers =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>) ||
      isa<memref::CopyOp>(op);
  if (hasBuffers)
    return evaluateBufferOp(evaluation, op);
  if (failed(checkPreconditions(evaluation, op)) ||
      failed(verifyResultMemory(evaluation, op)))
    return failure();
  FailureOr<Tensors> results = evaluateTensorOp(evaluation, op);
  if (failed(results) || failed(checkResults(evaluation, op, *results)))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), *results))
    evaluation.set(value, tensor);
  return success();
}

} // namespace tc::reference
