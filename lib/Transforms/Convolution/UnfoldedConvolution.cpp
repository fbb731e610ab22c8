//===- UnfoldedConvolution.cpp - Convolutions as matrices -----------------===//

#include "UnfoldedConvolution.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"

using namespace mlir;
using namespace tc;

/// The factor of dimension `dim` in a linear `expr`, where it is 1, -1 or, as
/// for what does not depend on it, 0.
static std::optional<int> findFactor(AffineExpr expr, unsigned dim,
                                     unsigned rank) {
  AffineExpr own = getAffineDimExpr(dim, expr.getContext());
  for (int factor : {0, 1, -1})
    if (!simplifyAffineExpr(expr - own * factor, rank, 0).isFunctionOfDim(dim))
      return factor;
  return std::nullopt;
}

/// The only one of `dims` that `expr` depends on, with a factor of 1.
static std::optional<unsigned> findOnlyDim(AffineExpr expr, const DimSet &dims,
                                           unsigned rank) {
  std::optional<unsigned> found;
  for (unsigned dim : dims.set_bits())
    if (expr.isFunctionOfDim(dim)) {
      if (found || findFactor(expr, dim, rank) != 1)
        return std::nullopt;
      found = dim;
    }
  return found;
}

/// The dimensions of a run: those that the images' columns, and the channels
/// behind them, vary along.
SmallVector<unsigned> UnfoldedConvolution::findRun(const DimSet &dims) {
  const unsigned rank = kernel.getNumDims();
  ArrayRef<AffineExpr> at = reads.images.getMap().getResults();
  Sizes sizes = getSizes(cast<ShapedType>(reads.images.getSource().getType()));
  if (!reads.images.getIndices().empty())
    return {};
  std::optional<unsigned> last = findOnlyDim(at.back(), dims, rank);
  if (!last || at.back() != getAffineDimExpr(*last, kernel.getContext()) ||
      sizes.back() != kernel.getDimSize(*last))
    return last ? SmallVector<unsigned>{*last} : SmallVector<unsigned>();
  std::optional<unsigned> column =
      at.size() < 2 ? std::nullopt : findOnlyDim(at[at.size() - 2], dims, rank);
  if (!column || *column == *last || !sizes[at.size() - 2].getConstant())
    return {};
  if (auto within = reads.images.getWithin())
    for (AffineExpr constraint : within->getConstraints())
      if (constraint.isFunctionOfDim(*last) ||
          !findFactor(constraint, *column, rank))
        return {};
  crossesColumns = true;
  return {*column, *last};
}

bool UnfoldedConvolution::setRow(const DimSet &dims) {
  auto countPoints = [&](auto &&of) {
    int64_t count = 1;
    for (unsigned dim : of)
      count *= kernel.getDimSize(dim).getConstant().value_or(0);
    return count;
  };
  auto fill = [](int64_t count) {
    return int64_t(llvm::alignTo(uint64_t(count), uint64_t(kUnfoldedUnit)));
  };
  points = countPoints(dims.set_bits());
  if (points < 1)
    return false;
  constexpr int64_t kMostGrowth = 2; // elements for a point of a run
  SmallVector<unsigned> run = findRun(dims);
  runPoints = countPoints(run);
  runElements = fill(runPoints);
  rowElements = points / runPoints * runElements;
  if (run.empty() || runElements > kMostGrowth * runPoints) {
    crossesColumns = false;
    run.assign(dims.set_bits().begin(), dims.set_bits().end());
    runPoints = points;
    rowElements = runElements = fill(points);
  }
  for (unsigned dim : dims.set_bits())
    if (!llvm::is_contained(run, dim))
      inRow.push_back(dim);
  runRank = run.size();
  inRow.append(run);
  return true;
}

AffineExpr UnfoldedConvolution::getPlace() {
  return flattenDims(kernel, getOuter()) * runElements +
         flattenDims(kernel, getRun());
}

SmallVector<unsigned> UnfoldedConvolution::getOwnDims(ReadOp read) {
  DimSet own = KernelDims::ofMap(read.getMap(), kernel.getNumDims());
  for (unsigned dim : inRow)
    own.reset(dim);
  return SmallVector<unsigned>(own.set_bits());
}

/// Where the elements of a matrix come from, by the dimensions of the kernel
/// that makes it.
struct tc::MatrixRow {
  Value source;
  SmallVector<AffineExpr> values; ///< of the convolution's dimensions
  AffineExpr place;               ///< in a run
  SmallVector<AffineExpr> at, inside;
};

/// The indices and conditions of `read`. In a run that crosses columns, columns
/// and channels of the images are one dimension: k + r >= 0 of a column k is
/// C k + c + C r >= 0 there, and r - k >= 0 is C r + C - 1 - (C k + c) >= 0.
void UnfoldedConvolution::readRow(MatrixRow &row, ReadOp read) {
  const unsigned rank = kernel.getNumDims();
  SmallVector<AffineExpr> values(row.values);
  const bool isCrossed = crossesColumns && read == reads.images;
  const unsigned column = getRun().front();
  int64_t channels = 1;
  if (isCrossed) {
    values[column] = getAffineConstantExpr(0, kernel.getContext());
    channels = *kernel.getDimSize(getRun().back()).getConstant();
  }
  for (AffineExpr index : read.getMap().getResults())
    row.at.push_back(index.replaceDims(values));
  if (auto within = read.getWithin())
    for (AffineExpr constraint : within->getConstraints()) {
      AffineExpr rest = constraint.replaceDims(values);
      const int factor = isCrossed ? *findFactor(constraint, column, rank) : 0;
      if (factor != 0)
        rest = factor > 0 ? rest * channels + row.place
                          : rest * channels + (channels - 1) - row.place;
      row.inside.push_back(rest);
    }
  if (!isCrossed)
    return;
  row.at.pop_back();
  row.at.back() = row.at.back() * channels + row.place;
  auto type = cast<RankedTensorType>(row.source.getType());
  Sizes sizes = getSizes(type);
  sizes.pop_back();
  sizes.back() = SizeExprAttr::constant(kernel.getContext(),
                                        *sizes.back().getConstant() * channels);
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfterValue(row.source);
  row.source = ReshapeOp::create(builder, kernel.getLoc(),
                                 getTensorType(sizes, type.getElementType()),
                                 row.source);
}

Value UnfoldedConvolution::buildMatrix(OpBuilder &builder, ReadOp read,
                                       Value source, StringRef name) {
  MLIRContext *context = kernel.getContext();
  MatrixRow row{source,
                SmallVector<AffineExpr>(kernel.getNumDims(),
                                        getAffineConstantExpr(0, context)),
                {},
                {},
                {}};
  SmallVector<SizeExprAttr> sizes;
  auto addDim = [&](SizeExprAttr size) {
    sizes.push_back(size);
    return getAffineDimExpr(sizes.size() - 1, context);
  };
  for (unsigned dim : getOwnDims(read))
    row.values[dim] = addDim(kernel.getDimSize(dim));
  Sizes rowSizes(sizes.begin(), sizes.end());
  rowSizes.push_back(SizeExprAttr::constant(context, rowElements));
  if (!getOuter().empty())
    unflattenDims(
        kernel, getOuter(),
        addDim(SizeExprAttr::constant(context, rowElements / runElements)),
        row.values);
  row.place = addDim(SizeExprAttr::constant(context, runElements));
  unflattenDims(kernel, getRun(), row.place, row.values);
  readRow(row, read);
  if (runPoints < runElements)
    row.inside.push_back(runPoints - 1 - row.place);
  KernelBuilder matrix(builder, read.getLoc(), name, sizes,
                       TypeRange(getTensorType(
                           Sizes(sizes.begin(), sizes.end()), read.getType())));
  std::optional<IntegerSet> set;
  if (!row.inside.empty())
    set = matrix.setOf(row.inside);
  matrix.write(matrix.read(row.source, row.at, {}, set), 0,
               matrix.dims(sizes.size()));
  KernelOp made = matrix.finish();
  simplifyAndClassify(made);
  if (getOuter().empty())
    return made.getResult(0);
  builder.setInsertionPointAfter(made);
  return ReshapeOp::create(builder, read.getLoc(),
                           getTensorType(rowSizes, read.getType()),
                           made.getResult(0));
}

void UnfoldedConvolution::readMatrices(Value images, Value filters) {
  MLIRContext *context = kernel.getContext();
  OpBuilder builder(kernel);
  DomainEmbedding embedding;
  SmallVector<DimAttr> dims;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    bool isReduced = llvm::is_contained(inRow, dim);
    embedding.dims.push_back(isReduced
                                 ? getAffineConstantExpr(0, context)
                                 : getAffineDimExpr(dims.size(), context));
    if (!isReduced)
      dims.push_back(kernel.getDim(dim));
  }
  const int64_t place = int64_t(dims.size());
  dims.push_back(DimAttr::get(context, "c", IteratorKind::Reduced,
                              SizeExprAttr::constant(context, rowElements)));
  embedding.rank = dims.size();
  embedding.numSymbols = kernel.getSymbols().size();
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(symbol, context));
  SmallVector<Value> inputs(kernel.getIns());
  inputs.append({images, filters});
  KernelOp product =
      KernelOp::create(builder, kernel.getLoc(), kernel.getName(),
                       kernel.getKernelClass(), dims, inputs, kernel.getOuts());
  product.setSymbolsAttr(kernel.getSymbolsAttr());
  Block &body = product.getBodyBlock();
  IRMapping values;
  const unsigned ins = kernel.getIns().size();
  for (BlockArgument argument : kernel.getBodyBlock().getArguments()) {
    unsigned number = argument.getArgNumber();
    values.map(argument, body.getArgument(number < ins ? number : number + 2));
  }
  builder.setInsertionPointToEnd(&body);
  auto readRow = [&](ReadOp read, BlockArgument matrix) {
    SmallVector<AffineExpr> at;
    for (unsigned dim : getOwnDims(read))
      at.push_back(embedding.dims[dim]);
    at.push_back(getAffineDimExpr(place, context));
    Value element =
        ReadOp::create(builder, read.getLoc(), read.getType(), matrix,
                       AffineMap::get(embedding.rank, 0, at, context),
                       ValueRange(), IntegerSetAttr());
    values.map(read.getResult(), element);
  };
  for (Operation &op : kernel.getBodyBlock()) {
    if (&op == reads.images || &op == reads.weights) {
      bool isImages = &op == reads.images;
      readRow(cast<ReadOp>(op), body.getArgument(isImages ? ins : ins + 1));
    } else if (&op == reads.stage) {
      ContractStageOp stage = reads.stage;
      Value sum = ContractStageOp::create(
          builder, op.getLoc(), stage.getResult().getType(),
          values.lookup(stage.getLhs()), values.lookup(stage.getRhs()),
          ArrayRef<int64_t>(place));
      values.map(stage.getResult(), sum);
    } else {
      cloneEmbedded(builder, &op, embedding, values);
    }
  }
  simplifyKernel(product);
  kernel->replaceAllUsesWith(product->getResults());
  kernel.erase();
}
