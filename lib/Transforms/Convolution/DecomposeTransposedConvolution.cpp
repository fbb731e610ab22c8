//===- DecomposeTransposedConvolution.cpp ---------------------------------===//
//
// tc-decompose-transposed-convolution.
//
//===----------------------------------------------------------------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSETRANSPOSEDCONVOLUTIONPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A spatial dimension of a transposed convolution: a product is not zero only
/// where `stride` divides point + sign * tap + offset.
struct StridedDim {
  unsigned point;              ///< dimension of the kernel
  std::optional<unsigned> tap; ///< the same; null of a window of one tap
  int64_t stride, sign, offset;

  /// The first tap that the points `phase`, phase + stride, ... are summed
  /// over; the others follow by strides.
  int64_t getFirstTap(int64_t phase) const {
    int64_t tap = 0;
    while ((phase + sign * tap + offset) % stride != 0)
      ++tap;
    return tap;
  }
};

/// A sum over the taps of windows, most of which are zero.
struct TransposedConvolution {
  KernelOp kernel;
  Operation *stage;
  SmallVector<StridedDim> strided;

  static std::optional<TransposedConvolution> find(KernelOp kernel);

  int64_t countPhases() const {
    int64_t phases = 1;
    for (const StridedDim &dim : strided)
      phases *= dim.stride;
    return phases;
  }
  int64_t countTaps(const StridedDim &dim, int64_t phase) const {
    if (!dim.tap)
      return (phase + dim.offset) % dim.stride == 0 ? 1 : 0;
    int64_t taps = *KernelOp(kernel).getDimSize(*dim.tap).getConstant(),
            first = dim.getFirstTap(phase);
    return first < taps ? llvm::divideCeil(taps - first, dim.stride) : 0;
  }
  KernelOp buildPhase(OpBuilder &builder, ArrayRef<int64_t> phases,
                      ValueRange outs);
};
} // namespace

/// The dimensions of `constraint` = 0 if it is (point +- tap + offset) mod
/// stride, with the tap among `over`.
static std::optional<StridedDim>
getStridedDim(KernelOp kernel, AffineExpr constraint, ArrayRef<int64_t> over) {
  auto mod = dyn_cast<AffineBinaryOpExpr>(constraint);
  if (!mod || mod.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto stride = dyn_cast<AffineConstantExpr>(mod.getRHS());
  AffineExpr index = mod.getLHS();
  const unsigned rank = kernel.getNumDims(),
                 symbols = kernel.getSymbols().size();
  if (!stride || stride.getValue() < 2)
    return std::nullopt;
  std::optional<unsigned> point, tap;
  StridedDim found{0, std::nullopt, stride.getValue(), 0, 0};
  SmallVector<AffineExpr> origin(rank,
                                 getAffineConstantExpr(0, index.getContext()));
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!index.isFunctionOfDim(dim))
      continue;
    auto step = getIndexStep(index, getAffineDimExpr(dim, index.getContext()),
                             rank, symbols);
    std::optional<unsigned> &role =
        llvm::is_contained(over, int64_t(dim)) ? tap : point;
    bool isTap = &role == &tap;
    if (role || !step || (isTap ? std::abs(*step) : *step) != 1)
      return std::nullopt;
    role = dim;
    if (isTap)
      found.sign = *step;
  }
  auto offset = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(index.replaceDims(origin), rank, symbols));
  if (!point || !offset || (tap && !kernel.getDimSize(*tap).isConstant()) ||
      kernel.getDim(*point).getIterator() != IteratorKind::Parallel)
    return std::nullopt;
  found.point = *point;
  found.tap = tap;
  found.offset = offset.getValue();
  return found;
}

/// Whether `value` is 0 where nothing is read: the read, or a product with it.
static bool isProductOf(ReadOp read, Value value) {
  if (value == read.getResult())
    return true;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<CastOp, NegOp, MulOp>(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value factor) { return isProductOf(read, factor); });
}

std::optional<TransposedConvolution>
TransposedConvolution::find(KernelOp kernel) {
  constexpr int64_t kMostPhases = 16;
  TransposedConvolution found{kernel, nullptr, {}};
  for (Operation &op : kernel.getBodyBlock()) {
    if (isWholeStage(&op) || isa<ScanStageOp>(op))
      return std::nullopt;
    if (auto write = dyn_cast<WriteOp>(op);
        write && (write.isScatter() || write.getWithin()))
      return std::nullopt;
    auto sum = dyn_cast<ReduceStageOp>(op);
    if (!isa<ReduceStageOp, ContractStageOp>(op))
      continue;
    if (found.stage || (sum && sum.getKind() != ReductionKind::Sum))
      return std::nullopt;
    found.stage = &op;
  }
  if (!found.stage)
    return std::nullopt;
  SmallVector<int64_t> over(getFoldedDims(found.stage));
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    auto within = read.getWithin();
    bool isFactor = llvm::any_of(found.stage->getOperands(), [&](Value summed) {
      return isProductOf(read, summed);
    });
    if (!isFactor)
      continue;
    for (unsigned i = 0; within && i < within->getNumConstraints(); ++i)
      if (auto dim = within->isEq(i)
                         ? getStridedDim(kernel, within->getConstraint(i), over)
                         : std::nullopt)
        found.strided.push_back(*dim);
  }
  // One read, of one element for each point and tap.
  DimSet used(kernel.getNumDims());
  for (const StridedDim &dim : found.strided) {
    SmallVector<unsigned> own{dim.point};
    if (dim.tap)
      own.push_back(*dim.tap);
    for (unsigned either : own) {
      if (used.test(either))
        return std::nullopt;
      used.set(either);
    }
  }
  if (found.strided.empty() || found.countPhases() > kMostPhases)
    return std::nullopt;
  return found;
}

/// The kernel that computes every stride-th point from `phases` on into `outs`,
/// and sums over the taps of these points alone.
KernelOp TransposedConvolution::buildPhase(OpBuilder &builder,
                                           ArrayRef<int64_t> phases,
                                           ValueRange outs) {
  MLIRContext *context = builder.getContext();
  SmallVector<DimAttr> dims;
  DomainEmbedding embedding;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    dims.push_back(kernel.getDim(dim));
    embedding.dims.push_back(getAffineDimExpr(dim, context));
  }
  bool isZero = false;
  auto resize = [&](unsigned dim, SizeExprAttr size, int64_t stride,
                    int64_t first) {
    dims[dim] = DimAttr::get(context, dims[dim].getName(),
                             dims[dim].getIterator(), size);
    embedding.dims[dim] = embedding.dims[dim] * stride + first;
  };
  for (auto [dim, phase] : llvm::zip_equal(strided, phases)) {
    const int64_t taps = countTaps(dim, phase);
    isZero |= taps == 0;
    SizeExpr points = kernel.getDimSize(dim.point);
    resize(dim.point, points.add(dim.stride - 1 - phase).floorDiv(dim.stride),
           dim.stride, phase);
    if (dim.tap)
      resize(*dim.tap, SizeExpr::constant(context, taps), dim.stride,
             dim.getFirstTap(phase));
  }
  embedding.rank = dims.size();
  embedding.numSymbols = kernel.getSymbols().size();
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(symbol, context));
  KernelOp made =
      KernelOp::create(builder, kernel.getLoc(), kernel.getName(),
                       kernel.getKernelClass(), dims, kernel.getIns(), outs);
  made.setSymbolsAttr(kernel.getSymbolsAttr());
  IRMapping values;
  for (auto [from, to] : llvm::zip_equal(kernel.getBodyBlock().getArguments(),
                                         made.getBodyBlock().getArguments()))
    values.map(from, to);
  OpBuilder body = OpBuilder::atBlockEnd(&made.getBodyBlock());
  for (Operation &op : kernel.getBodyBlock()) {
    if (&op != stage)
      cloneEmbedded(body, &op, embedding, values);
    else if (!isZero)
      body.clone(op, values); // over dimensions of the same numbers
    else
      values.map(op.getResult(0),
                 ScalarOp::create(body, op.getLoc(),
                                  body.getZeroAttr(op.getResult(0).getType())));
  }
  simplifyKernel(made);
  if (isZero)
    dropReducedDims(made);
  made.setKernelClass(classifyKernel(made));
  return made;
}

/// Whether the products with zeros of a contraction take a GPU longer than more
/// launches.
static bool isWorthLaunches(KernelOp kernel) {
  constexpr double kManyProducts = 1 << 27;
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  return llvm::hasSingleElement(stages) &&
         estimatePoints(kernel, DimSet(kernel.getNumDims()).flip()) >=
             kManyProducts;
}

namespace {
class DecomposeTransposedConvolutionPass
    : public tc::impl::TCDecomposeTransposedConvolutionPassBase<
          DecomposeTransposedConvolutionPass> {
public:
  void runOnOperation() override {
    const bool isGPU = MachineModel::get(getOperation()).isGPU;
    for (KernelOp kernel : getOutermostKernels(getOperation()))
      if (!isGPU || isWorthLaunches(kernel))
        if (auto convolution = TransposedConvolution::find(kernel))
          decompose(*convolution);
  }

private:
  void decompose(TransposedConvolution convolution);
};
} // namespace

void DecomposeTransposedConvolutionPass::decompose(
    TransposedConvolution convolution) {
  KernelOp kernel = convolution.kernel;
  OpBuilder builder(kernel);
  SmallVector<Value> results(kernel.getOuts());
  for (int64_t number = 0; number < convolution.countPhases(); ++number) {
    SmallVector<int64_t> phases;
    bool isEmpty = false;
    int64_t rest = number;
    for (const StridedDim &dim : convolution.strided) {
      phases.push_back(rest % dim.stride);
      rest /= dim.stride;
      auto points = kernel.getDimSize(dim.point).getConstant();
      isEmpty |= points && *points <= phases.back();
    }
    if (!isEmpty)
      results = llvm::to_vector_of<Value>(
          convolution.buildPhase(builder, phases, results).getResults());
  }
  kernel->replaceAllUsesWith(results);
  kernel.erase();
  ++numDecomposed;
}
