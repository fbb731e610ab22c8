//===- NontemporalStores.cpp - Non-temporal stores ------------------------===//
//
// A non-temporal store needs an address that is a multiple of its size. Where
// that can only be seen at run time, the kernel's loops exist twice.
//
//===----------------------------------------------------------------------===//

#include "NontemporalStores.h"

#include "../KernelEmission/LaneAccess.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// Bytes that must be multiples of a cache line: known ones are checked at
/// once, the others are or-ed together.
class AlignmentCheck {
public:
  explicit AlignmentCheck(KernelFrame &frame) : frame(frame) {}

  /// False when `write` can never be aligned.
  bool add(WriteOp write, unsigned dim, int64_t lanes);
  /// i1: whether everything added is aligned.
  Value emit();

private:
  void addBits(Value bits) {
    all = all ? Value(arith::OrIOp::create(frame.builder, frame.loc, all, bits))
              : bits;
  }
  KernelFrame &frame;
  Value all;
};
} // namespace

/// Whether `map` is 0 at the origin of the domain.
static bool beginsAtZero(AffineMap map) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> zeros(map.getNumDims(),
                                getAffineConstantExpr(0, context));
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return simplifyAffineExpr(expr.replaceDims(zeros), 0,
                              map.getNumSymbols()) ==
           getAffineConstantExpr(0, context);
  });
}

bool AlignmentCheck::add(WriteOp write, unsigned dim, int64_t lanes) {
  auto type = cast<ShapedType>(write.getDestination().getType());
  int64_t bytes = getElementBytes(type.getElementType());
  if (!write.getIndices().empty() || write.getCombine() != CombineKind::Replace)
    return false;
  auto alongLanes = getElementStride(type, write.getMap(), dim);
  if (!alongLanes || !alongLanes->isConstant(1) ||
      lanes * bytes % kLineBytes != 0 || !beginsAtZero(write.getMap()))
    return false;
  for (unsigned other = 0; other < frame.kernel.getNumDims(); ++other) {
    if (other == dim)
      continue;
    auto stride = getElementStride(type, write.getMap(), other);
    if (!stride)
      return false;
    SizeExpr strideBytes = stride->mul(bytes);
    if (auto constant = strideBytes.getConstant()) {
      if (*constant % kLineBytes != 0)
        return false;
      continue;
    }
    addBits(frame.size(strideBytes));
  }
  addBits(LLVM::PtrToIntOp::create(frame.builder, frame.loc,
                                   frame.builder.getI64Type(),
                                   frame.pointer(write.getDestination())));
  return true;
}

Value AlignmentCheck::emit() {
  Value rest = arith::AndIOp::create(frame.builder, frame.loc, all,
                                     frame.constant(kLineBytes - 1));
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::eq, rest,
                               frame.constant(0));
}

void tc::emitVersions(KernelFrame &frame, bool isNontemporal,
                      std::optional<unsigned> dim, int64_t lanes,
                      llvm::function_ref<void(bool)> body) {
  if (!dim || !isNontemporal)
    return body(/*nontemporal=*/false);
  AlignmentCheck check(frame);
  for (WriteOp write : frame.kernel.getBodyBlock().getOps<WriteOp>())
    if (!check.add(write, *dim, lanes))
      return body(/*nontemporal=*/false);
  OpBuilder::InsertionGuard guard(frame.builder);
  auto versions = scf::IfOp::create(frame.builder, frame.loc, check.emit(),
                                    /*withElseRegion=*/true);
  frame.builder.setInsertionPoint(versions.thenYield());
  body(/*nontemporal=*/true);
  // Such stores are ordered by nothing else, not even by the release that tells
  // other threads of them.
  frame.builder.setInsertionPoint(versions.thenYield());
  LLVM::FenceOp::create(frame.builder, frame.loc,
                        LLVM::AtomicOrdering::seq_cst);
  frame.builder.setInsertionPoint(versions.elseYield());
  body(/*nontemporal=*/false);
}
