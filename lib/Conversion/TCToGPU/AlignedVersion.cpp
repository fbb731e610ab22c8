//===- AlignedVersion.cpp - Two versions of a kernel's code ---------------===//
//
// Where buffers are aligned and sizes are multiples of the vectors, threads
// access vectors; where they are not, elements. Both are in one function, as
// the caller's memory and the sizes are known at the call.
//
//===----------------------------------------------------------------------===//

#include "AlignedVersion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

static Type getElement(Value buffer) {
  return cast<ShapedType>(buffer.getType()).getElementType();
}

/// The buffers whose addresses are a condition. Where all begin at multiples of
/// what one access reaches, these are those of longer vectors that are to begin
/// as the anchor's do.
static SmallVector<Value> getUncertain(GPUFrame &frame,
                                       const VectorAlignment &alignment) {
  Value anchor = alignment.getAnchorBuffer();
  auto isShort = [&](Value buffer) {
    return alignment.lanes * getElementBytes(getElement(buffer)) <=
           GPUFrame::kAlignment;
  };
  SmallVector<Value> buffers;
  for (Value buffer : alignment.getBuffers()) {
    bool isCertain = frame.alignedBuffers &&
                     (!anchor || (isShort(buffer) && isShort(anchor)));
    if (buffer != anchor && !isCertain)
      buffers.push_back(buffer);
  }
  return buffers;
}

Value tc::emitIsAligned(GPUFrame &frame, const VectorAlignment &alignment,
                        Value also) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  SmallVector<Value> buffers = getUncertain(frame, alignment);
  if (buffers.empty() && alignment.getMultiples().empty())
    return also;
  Value rests = frame.constant(0);
  auto addRest = [&](Value number, int64_t divisor) {
    Value rest =
        arith::AndIOp::create(b, loc, number, frame.constant(divisor - 1));
    rests = arith::OrIOp::create(b, loc, rests, rest);
  };
  auto getAddress = [&](Value buffer) -> Value {
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(),
                                    frame.pointer(buffer));
  };
  auto countElements = [&](Value buffer) -> Value {
    int64_t bytes = getElementBytes(getElement(buffer));
    return arith::ShRUIOp::create(b, loc, getAddress(buffer),
                                  frame.constant(llvm::Log2_64(bytes)));
  };
  Value anchor = alignment.getAnchorBuffer();
  for (Value buffer : buffers)
    if (!anchor)
      addRest(getAddress(buffer), alignment.getBytes(getElement(buffer)));
    else
      addRest(frame.sub(countElements(buffer), countElements(anchor)),
              alignment.lanes);
  for (SizeExpr size : alignment.getMultiples())
    addRest(frame.size(size), alignment.lanes);
  Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rests,
                                      frame.constant(0));
  return also ? Value(arith::AndIOp::create(b, loc, holds, also)) : holds;
}

Value tc::emitHasAlignedPairs(GPUFrame &frame, unsigned dim) {
  VectorAlignment alignment(frame.kernel, dim, /*lanes=*/2);
  return alignment.isUseful() ? emitIsAligned(frame, alignment) : Value();
}

Value tc::emitHasAlignedReads(GPUFrame &frame, unsigned dim,
                              ArrayRef<Value> operands) {
  bool reads = llvm::any_of(
      frame.kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
        return frame.dims.of(read.getResult()).test(dim) &&
               !llvm::is_contained(operands, read.getResult());
      });
  return reads ? emitHasAlignedPairs(frame, dim) : Value();
}

SmallVector<Value>
tc::emitVersions(GPUFrame &frame, Scope &scope, Value isAligned,
                 TypeRange types,
                 function_ref<SmallVector<Value>(bool, Scope &)> body) {
  if (!isAligned)
    return body(/*isAligned=*/true, scope);
  auto &b = frame.builder;
  auto either = scf::IfOp::create(b, frame.loc, types, isAligned,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  Operation *previous = std::exchange(scope.openLoop, either);
  for (bool holds : {true, false}) {
    b.setInsertionPointToEnd(holds ? either.thenBlock() : either.elseBlock());
    // As in emitEither.
    Scope inner(scope, Scope::Detached());
    scf::YieldOp::create(b, frame.loc, body(holds, inner));
  }
  scope.openLoop = previous;
  return SmallVector<Value>(either.getResults());
}

void tc::emitEither(GPUFrame &frame, Scope &scope, Value condition,
                    function_ref<void(Scope &)> aligned,
                    function_ref<void(Scope &)> otherwise) {
  if (!condition)
    return aligned(scope);
  auto either = scf::IfOp::create(frame.builder, frame.loc, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(frame.builder);
  Operation *previous = std::exchange(scope.openLoop, either);
  for (auto [block, body] : {std::pair(either.thenBlock(), aligned),
                             std::pair(either.elseBlock(), otherwise)}) {
    frame.builder.setInsertionPoint(block->getTerminator());
    // What varies over nothing is computed in each version, too: nothing of one
    // is there for the other.
    Scope inner(scope, Scope::Detached());
    body(inner);
  }
  scope.openLoop = previous;
}
