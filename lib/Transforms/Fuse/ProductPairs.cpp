//===- ProductPairs.cpp - Two products of the same rows -------------------===//

#include "TC/Transforms/Fuse/ProductPairs.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"

using namespace mlir;
using namespace tc;

/// The rows' operand as `domain` has it: an input of the kernel, and where it
/// is read.
static std::pair<Value, AffineMap> getRowsRead(KernelOp kernel,
                                               const TensorCoreProduct &product,
                                               ArrayRef<AffineExpr> place,
                                               unsigned rank) {
  auto read = product.rows.value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty() ||
      read.getMap().getNumSymbols() > 0)
    return {};
  AffineMap placed = AffineMap::get(rank, 0, place, kernel.getContext());
  return {getOperandOf(kernel, read.getSource()),
          simplifyAffineMap(read.getMap().compose(placed))};
}

/// Refuses a pair whose tiles take longer than the launch and the bytes that it
/// saves, or that is too small for tiles.
static llvm::Error checkTime(KernelOp first, const TensorCoreProduct &one,
                             KernelOp second, const TensorCoreProduct &other,
                             const MachineModel &machine) {
  ProductPoints left = getProductPoints(first, one),
                right = getProductPoints(second, other), both = right;
  both.products = 2;
  if (!isWorthTiles(left) ||
      std::min(both.rows, both.lanes) <= double(kRowsOfThreads))
    return refuse("the consumer is a contraction, which threads multiply");
  both.mayLoad |= left.mayLoad;
  both.hasSectorLanes &= left.hasSectorLanes;
  double between = estimateBytes(first, first.getResult(0).getType());
  if (estimateProductTime(both, machine) <=
      estimateProductTime(left, machine) + estimateProductTime(right, machine) +
          machine.launchTime + 2 * between / machine.bandwidth)
    return llvm::Error::success();
  return refuse("tiles of both products would take longer");
}

llvm::Expected<MergedDomain> tc::unifyProductPair(KernelOp first,
                                                  KernelOp second,
                                                  const MachineModel &machine) {
  auto no = [] { return refuse("the consumer is a contraction"); };
  if (!machine.hasWarpGroupProducts || !hasContraction(first))
    return no();
  auto one = TensorCoreProduct::find(first, getWrittenDim(first));
  if (!one) {
    llvm::consumeError(one.takeError());
    return no();
  }
  auto other = TensorCoreProduct::find(second, getWrittenDim(second));
  if (!other) {
    llvm::consumeError(other.takeError());
    return no();
  }
  if (one->secondLanes || other->secondLanes ||
      one->lanes.isAcross != other->lanes.isAcross ||
      one->lanes.value.getType() != other->lanes.value.getType())
    return no();
  llvm::Expected<MergedDomain> domain = unifyDomains(first, second);
  if (!domain)
    return domain;
  const unsigned rank = domain->dims.size();
  auto rows = getRowsRead(first, *one, domain->first, rank),
       others = getRowsRead(second, *other, domain->second, rank);
  if (rank != first.getNumDims() || rank != second.getNumDims() ||
      !rows.first || rows != others)
    return refuse("the consumer is a contraction of other rows");
  if (first.getNumResults() != 1 ||
      !llvm::all_of(first->getUsers(), [&](Operation *user) {
        return user == second.getOperation();
      }))
    return refuse("others need the result of a contraction of the same rows");
  if (llvm::Error error = checkTime(first, *one, second, *other, machine))
    return error;
  return domain;
}
