//===- KernelClassification.cpp - The class of a kernel's body ------------===//

#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelDims.h"

using namespace mlir;
using namespace tc;

bool tc::hasStages(KernelOp kernel) {
  return llvm::any_of(kernel.getBodyBlock(), [](Operation &op) {
    return isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op) ||
           isWholeStage(&op);
  });
}

ReadOp tc::findOnlyRead(KernelOp kernel) {
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  return llvm::hasSingleElement(writes)
             ? (*writes.begin()).getValue().getDefiningOp<ReadOp>()
             : ReadOp();
}

bool tc::hasContraction(KernelOp kernel) {
  return llvm::any_of(kernel.getBodyBlock(),
                      [](Operation &op) { return isa<ContractStageOp>(op); });
}

bool tc::foldsWithCommonRow(KernelOp kernel, unsigned dim) {
  KernelDims dims(kernel);
  Block &body = kernel.getBodyBlock();
  return llvm::any_of(body.getOps<ReadOp>(),
                      [&](ReadOp read) {
                        const DimSet &varied = dims.of(read.getResult());
                        return varied.test(dim) && varied.count() == 1;
                      }) &&
         llvm::none_of(body.getOps<WriteOp>(), [&](WriteOp write) {
           return dims.ofWrite(write).test(dim);
         });
}

SmallVector<KernelOp> tc::getOutermostKernels(Operation *root) {
  SmallVector<KernelOp> kernels;
  root->walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    kernels.push_back(kernel);
    return WalkResult::skip();
  });
  return kernels;
}

/// The dimension whose next point is the next element in memory, or -1.
static int64_t getFastDim(AffineMap map, unsigned rank) {
  if (map.getNumResults() == 0)
    return -1;
  AffineExpr last = map.getResults().back();
  // Stride one: `d`, or `... + d` next to other terms.
  auto isNextElement = [&](unsigned dim) {
    return getIndexStep(last, getAffineDimExpr(dim, map.getContext()),
                        map.getNumDims(), map.getNumSymbols()) == 1;
  };
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!last.isFunctionOfDim(dim))
      continue;
    bool isAlone =
        llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(dim);
        });
    if (isAlone && isNextElement(dim))
      return dim;
  }
  return -1;
}

/// The dimension whose next point is a few elements further in memory, as of
/// every second element of a row, or -1.
static int64_t getSteppedDim(KernelOp kernel, ReadOp read) {
  constexpr int64_t kMostStep = 8; // f32 of the 32 bytes that memory is read in
  AffineMap map = read.getMap();
  auto type = cast<ShapedType>(read.getSource().getType());
  Sizes sizes = getSizes(type);
  // A step is a dimension of the memory of which the first point is read.
  SizeExpr step = SizeExpr::constant(kernel.getContext(), 1);
  ArrayRef<AffineExpr> results = map.getResults();
  while (!results.empty() && isa<AffineConstantExpr>(results.back())) {
    step = step.mul(sizes[results.size() - 1]);
    results = results.drop_back();
  }
  if (results.empty() || step.getConstant().value_or(1) > kMostStep)
    return -1;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    if (!results.back().isFunctionOfDim(dim))
      continue;
    auto stride = getElementStride(type, map, dim);
    if (stride && !stride->isConstant(0) &&
        (*stride == step ||
         stride->getConstant().value_or(kMostStep + 1) <= kMostStep))
      return dim;
  }
  return -1;
}

int64_t tc::getContiguousDim(KernelOp kernel) {
  SmallVector<double> bytes(kernel.getNumDims(), 0.0);
  bool folds = hasStages(kernel);
  for (Operation &op : kernel.getBodyBlock()) {
    std::optional<KernelAccess> access = getAccess(op);
    int64_t dim =
        access ? getFastDim(access->map, kernel.getNumDims()) : int64_t(-1);
    // Points are computed in the order in which they are written; what is
    // folded, in that in which it is read.
    if (auto read = dyn_cast<ReadOp>(op); read && dim < 0 && folds)
      dim = getSteppedDim(kernel, read);
    if (dim < 0)
      continue;
    // A few points fill few lanes, which then have to be folded.
    constexpr double kFewPoints = 16;
    double filled = std::min(
        estimateSize(kernel, kernel.getDimSize(dim)) / kFewPoints, 1.0);
    bytes[dim] += estimateBytes(kernel, access->getType()) * filled * filled;
  }
  auto *most = std::max_element(bytes.begin(), bytes.end());
  return most == bytes.end() || *most == 0 ? -1 : most - bytes.begin();
}

int64_t tc::getWrittenDim(KernelOp kernel) {
  int64_t dim = -1;
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>())
    dim = getFastDim(write.getMap(), kernel.getNumDims());
  return dim;
}

/// Whether some large access is contiguous along another dimension than
/// `fast`: then tiles must be transposed.
static bool readsAcross(KernelOp kernel, int64_t fast) {
  for (Operation &op : kernel.getBodyBlock()) {
    auto read = dyn_cast<ReadOp>(op);
    if (!read)
      continue;
    int64_t dim = getFastDim(read.getMap(), kernel.getNumDims());
    if (dim >= 0 && dim != fast && fast >= 0 &&
        read.getMap().isFunctionOfDim(fast) &&
        !kernel.getDimSize(dim).isConstant(1))
      return true;
  }
  return false;
}

KernelClass tc::classifyKernel(KernelOp kernel) {
  KernelClass known = kernel.getKernelClass();
  if (known == KernelClass::LibraryCall || known == KernelClass::Custom)
    return known;
  unsigned contractions = 0;
  bool hasReduction = false, hasScan = false, isWhole = false,
       hasScatter = false;
  SmallVector<int64_t> reduced;
  for (Operation &op : kernel.getBodyBlock()) {
    if (auto stage = dyn_cast<ContractStageOp>(op)) {
      ++contractions;
    } else if (auto stage = dyn_cast<ReduceStageOp>(op)) {
      hasReduction = true;
      llvm::append_range(reduced, stage.getOver());
    } else if (isa<ScanStageOp>(op)) {
      hasScan = true;
    } else if (isWholeStage(&op)) {
      isWhole = true;
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      hasScatter |= !write.getIndices().empty() ||
                    write.getCombine() != CombineKind::Replace;
    }
  }
  if (isWhole)
    return KernelClass::Custom;
  if (hasScatter)
    return KernelClass::Scatter;
  // Scores are folded before they weight values.
  if (contractions > 1 && hasReduction)
    return KernelClass::Attention;
  if (contractions > 0)
    return KernelClass::Contraction;
  if (hasScan)
    return KernelClass::Scan;
  int64_t fast = getContiguousDim(kernel);
  if (hasReduction)
    return fast < 0 || llvm::is_contained(reduced, fast)
               ? KernelClass::RowReduction
               : KernelClass::ColumnReduction;
  return readsAcross(kernel, getWrittenDim(kernel)) ? KernelClass::Transpose
                                                    : KernelClass::Pointwise;
}
