//===- SplitShortRows.cpp - tc-split-short-rows ---------------------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Fuse/MergedFolds.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCSPLITSHORTROWSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A fold over a few points that are next to each other in memory and many
/// others, each of which is a row of its own.
class ShortRowFold {
public:
  ShortRowFold(KernelOp kernel, ReduceStageOp stage, unsigned inner)
      : kernel(kernel), stage(stage), inner(inner), dims(kernel),
        result(dims.of(stage->getResult(0))) {}

  /// The first fold of `kernel` over more than rows of dimension `inner`, which
  /// needs no other fold.
  static ReduceStageOp find(KernelOp kernel, unsigned inner);
  /// Has the kernel read the fold, which other kernels compute. Returns it, or
  /// null where it computed nothing else.
  KernelOp split(OpBuilder &builder);

private:
  Value makeColumns(OpBuilder &builder);
  Value makeRows(OpBuilder &builder, Value columns);
  Sizes getSizesOf(const DimSet &points) const {
    Sizes sizes;
    for (unsigned dim : points.set_bits())
      sizes.push_back(KernelOp(kernel).getDimSize(dim));
    return sizes;
  }

  KernelOp kernel;
  ReduceStageOp stage;
  unsigned inner;
  KernelDims dims;
  DimSet result; ///< the dimensions of the fold's result
};
} // namespace

/// Whether a read of `kernel` has rows of `rows` right behind those of `inner`:
/// the two are one longer row.
static bool areContiguous(KernelOp kernel, unsigned inner, const DimSet &rows) {
  SizeExpr size = kernel.getDimSize(inner);
  return llvm::any_of(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
    auto type = cast<ShapedType>(read.getSource().getType());
    auto step = getElementStride(type, read.getMap(), inner);
    return step && step->isConstant(1) &&
           llvm::any_of(rows.set_bits(), [&](unsigned dim) {
             auto stride = getElementStride(type, read.getMap(), dim);
             return stride && *stride == size;
           });
  });
}

ReduceStageOp ShortRowFold::find(KernelOp kernel, unsigned inner) {
  constexpr double kManyRows = 256;
  for (ReduceStageOp stage : kernel.getBodyBlock().getOps<ReduceStageOp>()) {
    ArrayRef<int64_t> over = stage.getOver();
    DimSet rows(kernel.getNumDims());
    for (int64_t dim : over)
      rows.set(unsigned(dim));
    rows.reset(inner);
    const bool needsFold = anyProducer(stage, [&](Operation *other) {
      return other != stage && isa<ReduceStageOp>(other);
    });
    // Of states of two values, as welford's, columns are no fold of rows.
    if (llvm::is_contained(over, int64_t(inner)) && !needsFold &&
        stage->getNumResults() == 1 &&
        estimatePoints(kernel, rows) >= kManyRows &&
        !areContiguous(kernel, inner, rows))
      return stage;
  }
  return nullptr;
}

/// The kernel that folds all rows, point by point.
Value ShortRowFold::makeColumns(OpBuilder &builder) {
  DimSet points(result);
  points.set(inner);
  Type element = stage->getResult(0).getType();
  Value destination = EmptyOp::create(
      builder, kernel.getLoc(), getTensorType(getSizesOf(points), element));
  auto domain = llvm::map_to_vector(
      kernel.getDims(), [](Attribute dim) { return cast<DimAttr>(dim); });
  KernelBuilder b(builder, kernel.getLoc(), kernel.getName(), domain,
                  destination);
  IRMapping values;
  DomainEmbedding embedding = embedWhole(kernel, b.getKernel(), values);
  for (Operation &op : kernel.getBodyBlock()) {
    if (&op == stage)
      break;
    if (!isa<WriteOp, ReduceStageOp>(op) &&
        llvm::all_of(op.getOperands(),
                     [&](Value value) { return values.contains(value); }))
      cloneEmbedded(b.body, &op, embedding, values);
  }
  SmallVector<int64_t> over;
  for (int64_t dim : stage.getOver())
    if (dim != int64_t(inner))
      over.push_back(dim);
  SmallVector<AffineExpr> at;
  for (unsigned dim : points.set_bits())
    at.push_back(b.dim(dim));
  b.write(b.reduce(stage.getKind(), values.lookup(stage->getOperand(0)), over),
          0, at);
  KernelOp columns = b.finish();
  simplifyAndClassify(columns);
  return columns.getResult(0);
}

/// The kernel that folds the one row which is left.
Value ShortRowFold::makeRows(OpBuilder &builder, Value columns) {
  SmallVector<SizeExprAttr> domain;
  for (SizeExpr size : getSizesOf(result))
    domain.push_back(size);
  const unsigned row = domain.size();
  domain.push_back(kernel.getDimSize(inner));
  KernelBuilder b(builder, kernel.getLoc(), kernel.getName(), domain,
                  TypeRange(getTensorType(getSizesOf(result),
                                          stage->getResult(0).getType())));
  SmallVector<AffineExpr> at;
  unsigned place = 0;
  DimSet points(result);
  points.set(inner);
  for (unsigned dim : points.set_bits())
    at.push_back(dim == inner ? b.dim(row) : b.dim(place++));
  Value sum = b.reduce(stage.getKind(), b.read(columns, at), int64_t(row));
  b.write(sum, 0, b.dims(row));
  KernelOp rows = b.finish();
  simplifyAndClassify(rows);
  return rows.getResult(0);
}

KernelOp ShortRowFold::split(OpBuilder &builder) {
  builder.setInsertionPoint(kernel);
  Value rows = makeRows(builder, makeColumns(builder));
  BlockArgument buffer = bindInput(kernel, rows);
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> at;
  for (unsigned dim : result.set_bits())
    at.push_back(getAffineDimExpr(dim, context));
  builder.setInsertionPoint(stage);
  Value read = ReadOp::create(
      builder, stage.getLoc(), stage->getResult(0).getType(), buffer,
      AffineMap::get(kernel.getNumDims(), kernel.getSymbols().size(), at,
                     context),
      ValueRange(), IntegerSetAttr());
  stage->getResult(0).replaceAllUsesWith(read);
  stage.erase();
  updateIteratorKinds(kernel);
  simplifyKernel(kernel);
  if (kernel.getBodyBlock().getOps<ReduceStageOp>().empty())
    dropReducedDims(kernel);
  if (Value copied = getCopiedInput(kernel)) {
    kernel->getResult(0).replaceAllUsesWith(copied);
    kernel.erase();
    return nullptr;
  }
  kernel.setKernelClass(classifyKernel(kernel));
  return kernel;
}

/// The dimension of the rows of a kernel that only folds rows and computes
/// points, where these are short and it has many points.
static std::optional<unsigned> findShortRow(KernelOp kernel) {
  constexpr int64_t kShortRow = 32;
  constexpr double kManyPoints = 1 << 16;
  if (classifyKernel(kernel) != KernelClass::RowReduction ||
      estimatePoints(kernel, DimSet(kernel.getNumDims()).flip()) < kManyPoints)
    return std::nullopt;
  for (Operation &op : kernel.getBodyBlock()) {
    auto write = dyn_cast<WriteOp>(op);
    if (isWholeStage(&op) || isa<ContractStageOp, ScanStageOp>(op) ||
        (write && write.isScatter()))
      return std::nullopt;
  }
  int64_t dim = getContiguousDim(kernel);
  auto size = dim < 0 ? std::optional<int64_t>()
                      : kernel.getDimSize(unsigned(dim)).getConstant();
  return size && *size > 1 && *size <= kShortRow ? std::optional<unsigned>(dim)
                                                 : std::nullopt;
}

namespace {
class SplitShortRowsPass
    : public tc::impl::TCSplitShortRowsPassBase<SplitShortRowsPass> {
public:
  void runOnOperation() override {
    if (!MachineModel::get(getOperation()).isGPU)
      return;
    OpBuilder builder(&getContext());
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      while (kernel) { // becomes pointwise with its last fold
        auto row = findShortRow(kernel);
        ReduceStageOp stage =
            row ? ShortRowFold::find(kernel, *row) : ReduceStageOp();
        if (!stage)
          break;
        kernel = ShortRowFold(kernel, stage, *row).split(builder);
        ++numSplit;
      }
    }
  }
};
} // namespace
