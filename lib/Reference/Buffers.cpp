//===- Buffers.cpp - Kernels' operands and ops on memrefs -----------------===//

#include "Buffers.h"
#include "ControlFlow.h"
#include "KernelEvaluation.h"
#include "Shape.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace tc::reference {

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Tensor readBuffer(const Buffer &buffer) {
  Tensor tensor(buffer.elementType, buffer.sizes);
  decodeElements(buffer.data(), buffer.elementType, tensor.words(),
                 tensor.getElementCount());
  return tensor;
}

static void writeBuffer(const Tensor &tensor, const Buffer &buffer) {
  encodeElements(tensor.words(), buffer.elementType, buffer.data(),
                 tensor.getElementCount());
}

static std::shared_ptr<std::vector<char>> allocate(int64_t bytes) {
  // All ones are NaN in every float type: a use before a definition shows.
  return std::make_shared<std::vector<char>>(bytes, char(0xFF));
}

/// A buffer of the type's sizes, not yet with memory.
static FailureOr<Buffer> describeBuffer(Evaluation &evaluation, Operation *op,
                                        MemRefType type) {
  if (failed(verifyElementType(op, type)))
    return failure();
  FailureOr<Sizes64> sizes = evaluation.evaluateSizes(op, type);
  if (failed(sizes) ||
      failed(verifyMemory(op, *sizes, getStoredBytes(type.getElementType()))))
    return failure();
  return Buffer{type.getElementType(), *sizes, nullptr, 0};
}

static LogicalResult makeArena(Evaluation &evaluation, ArenaOp op) {
  FailureOr<int64_t> bytes = evaluation.evaluate(op, op.getBytes());
  if (failed(bytes))
    return failure();
  if (*bytes < 0)
    return op.emitOpError()
           << "has a size of " << *bytes << " bytes; expected at least 0";
  if (failed(verifyMemory(op, *bytes, /*bytesPerElement=*/1)))
    return failure();
  evaluation.setBuffer(op.getResult(), {IntegerType::get(op.getContext(), 8),
                                        Sizes64{*bytes}, allocate(*bytes), 0});
  return success();
}

static LogicalResult makeArenaView(Evaluation &evaluation, ArenaViewOp op) {
  FailureOr<Buffer> view =
      describeBuffer(evaluation, op, cast<MemRefType>(op.getType()));
  FailureOr<int64_t> offset = evaluation.evaluate(op, op.getOffset());
  if (failed(view) || failed(offset))
    return failure();
  const Buffer &arena = evaluation.getBuffer(op.getArena());
  if (*offset < 0 || *offset + view->getByteCount() > arena.getByteCount())
    return op.emitOpError() << "takes bytes " << *offset << " to "
                            << *offset + view->getByteCount()
                            << " of an arena of " << arena.getByteCount();
  view->memory = arena.memory;
  view->offset = arena.offset + *offset;
  evaluation.setBuffer(op.getResult(), *view);
  return success();
}

static LogicalResult reshapeBuffer(Evaluation &evaluation, BufferReshapeOp op) {
  FailureOr<Buffer> result =
      describeBuffer(evaluation, op, cast<MemRefType>(op.getType()));
  if (failed(result))
    return failure();
  const Buffer &x = evaluation.getBuffer(op.getX());
  if (x.getByteCount() != result->getByteCount())
    return op.emitOpError()
           << "has an operand of " << x.getByteCount()
           << " bytes and a result of " << result->getByteCount();
  result->memory = x.memory;
  result->offset = x.offset;
  evaluation.setBuffer(op.getResult(), *result);
  return success();
}

/// A copy of the input as it is in its memory.
static LogicalResult makeInputStorage(Evaluation &evaluation,
                                      InputStorageOp op) {
  FailureOr<Buffer> buffer =
      describeBuffer(evaluation, op, cast<MemRefType>(op.getType()));
  FailureOr<Tensor> value =
      layOutInput(evaluation, op, readBuffer(evaluation.getBuffer(op.getX())));
  if (failed(buffer) || failed(value))
    return failure();
  buffer->memory = std::make_shared<std::vector<char>>(value->toBytes());
  evaluation.setBuffer(op.getResult(), *buffer);
  return success();
}

/// Memory of its own for a result of memref type.
static LogicalResult makeBuffer(Evaluation &evaluation, Operation *op) {
  FailureOr<Buffer> buffer = describeBuffer(
      evaluation, op, cast<MemRefType>(op->getResult(0).getType()));
  if (failed(buffer))
    return failure();
  buffer->memory = allocate(buffer->getByteCount());
  evaluation.setBuffer(op->getResult(0), *buffer);
  return success();
}

/// The storage of output `index`, the same for every op that names it.
static LogicalResult makeOutputBuffer(Evaluation &evaluation,
                                      OutputBufferOp op) {
  FailureOr<Buffer> buffer =
      describeBuffer(evaluation, op, cast<MemRefType>(op.getType()));
  if (failed(buffer))
    return failure();
  std::shared_ptr<std::vector<char>> &memory =
      evaluation.outputs[op.getIndex()];
  if (!memory && op.getOver())
    memory = evaluation.getBuffer(op.getOver()).memory;
  if (!memory)
    memory = allocate(buffer->getByteCount());
  if (int64_t(memory->size()) != buffer->getByteCount())
    return op.emitOpError() << "has " << buffer->getByteCount()
                            << " bytes, but another op gives output "
                            << op.getIndex() << " " << memory->size();
  buffer->memory = memory;
  evaluation.setBuffer(op.getResult(), *buffer);
  return success();
}

static LogicalResult makeParameterBuffer(Evaluation &evaluation,
                                         ParameterOp op) {
  FailureOr<Buffer> buffer =
      describeBuffer(evaluation, op, cast<MemRefType>(op.getType()));
  FailureOr<Tensors> values = evaluate(evaluation, op);
  if (failed(buffer) || failed(values))
    return failure();
  buffer->memory =
      std::make_shared<std::vector<char>>(values->front().toBytes());
  evaluation.setBuffer(op.getResult(), *buffer);
  return success();
}

/// The elements of a `memref.global`, copied.
static LogicalResult makeConstantBuffer(Evaluation &evaluation,
                                        memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  auto elements =
      global ? dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr())
             : nullptr;
  if (!elements)
    return op.emitOpError() << "names @" << op.getName()
                            << ", which is no memref.global with elements";
  FailureOr<Buffer> buffer =
      describeBuffer(evaluation, op, cast<MemRefType>(op.getType()));
  FailureOr<Tensor> value = readElements(op, elements);
  if (failed(buffer) || failed(value))
    return failure();
  buffer->memory = std::make_shared<std::vector<char>>(value->toBytes());
  evaluation.setBuffer(op.getResult(), *buffer);
  return success();
}

LogicalResult evaluateBufferOp(Evaluation &evaluation, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ArenaOp>([&](ArenaOp op) { return makeArena(evaluation, op); })
      .Case<ArenaViewOp>(
          [&](ArenaViewOp op) { return makeArenaView(evaluation, op); })
      .Case<BufferReshapeOp>(
          [&](BufferReshapeOp op) { return reshapeBuffer(evaluation, op); })
      .Case<InputStorageOp>(
          [&](InputStorageOp op) { return makeInputStorage(evaluation, op); })
      .Case<OutputBufferOp>(
          [&](OutputBufferOp op) { return makeOutputBuffer(evaluation, op); })
      .Case<ParameterOp>(
          [&](ParameterOp op) { return makeParameterBuffer(evaluation, op); })
      .Case<BufferOp, memref::AllocOp>(
          [&](Operation *op) { return makeBuffer(evaluation, op); })
      .Case<memref::GetGlobalOp>([&](memref::GetGlobalOp op) {
        return makeConstantBuffer(evaluation, op);
      })
      .Case<memref::CopyOp>([&](memref::CopyOp op) -> LogicalResult {
        const Buffer &from = evaluation.getBuffer(op.getSource()),
                     &to = evaluation.getBuffer(op.getTarget());
        if (from.getByteCount() != to.getByteCount())
          return op.emitOpError() << "copies " << from.getByteCount()
                                  << " bytes to " << to.getByteCount();
        if (int64_t bytes = from.getByteCount())
          std::memmove(to.data(), from.data(), bytes);
        return success();
      })
      .Default([](Operation *op) {
        return op->emitOpError() << "makes a buffer in a way that the "
                                    "reference interpreter does not know";
      });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// An input and an output may share memory only as one buffer updated in
/// place, and two outputs not at all.
static LogicalResult checkOverlap(Evaluation &evaluation, KernelOp op) {
  auto overlap = [](const Buffer &a, const Buffer &b) {
    return a.memory == b.memory && a.offset < b.offset + b.getByteCount() &&
           b.offset < a.offset + a.getByteCount();
  };
  for (auto [outIndex, out] : llvm::enumerate(op.getOuts())) {
    const Buffer &written = evaluation.getBuffer(out);
    for (auto [inIndex, in] : llvm::enumerate(op.getIns())) {
      const Buffer &read = evaluation.getBuffer(in);
      bool inPlace = read.offset == written.offset &&
                     read.elementType == written.elementType &&
                     read.getByteCount() == written.getByteCount();
      if (overlap(read, written) && !inPlace)
        return op.emitOpError()
               << "has input " << inIndex << " at bytes " << read.offset
               << " to " << read.offset + read.getByteCount()
               << " that overlaps output " << outIndex << " at bytes "
               << written.offset << " to "
               << written.offset + written.getByteCount();
    }
    for (auto [otherIndex, other] :
         llvm::enumerate(op.getOuts().take_front(outIndex)))
      if (overlap(evaluation.getBuffer(other), written))
        return op.emitOpError() << "has outputs " << otherIndex << " and "
                                << outIndex << " that overlap";
  }
  return success();
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, KernelOp op) {
  KernelEvaluation kernel(evaluation, op);
  bool onBuffers = op.hasBufferSemantics() && !op.getOuts().empty();
  if (failed(kernel.bindSizes()) ||
      (onBuffers && failed(checkOverlap(evaluation, op))))
    return failure();
  for (auto [index, in] : llvm::enumerate(op.getIns()))
    kernel.setBuffer(op.getInArgument(index),
                     onBuffers ? readBuffer(evaluation.getBuffer(in))
                               : evaluation.get(in));
  for (auto [index, out] : llvm::enumerate(op.getOuts()))
    kernel.setBuffer(op.getOutArgument(index),
                     onBuffers ? readBuffer(evaluation.getBuffer(out))
                               : evaluation.get(out).clone());
  if (failed(kernel.runBody()))
    return failure();
  Tensors results;
  for (auto [index, out] : llvm::enumerate(op.getOuts())) {
    const Tensor &contents = kernel.getBuffer(op.getOutArgument(index));
    if (onBuffers)
      writeBuffer(contents, evaluation.getBuffer(out));
    else
      results.push_back(contents);
  }
  return results;
}

} // namespace tc::reference
