//===- KernelInlining.cpp - Pointwise producers in their consumers --------===//

#include "TC/Transforms/Fuse/KernelInlining.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tc;

namespace {
/// A dimension of the domain in an index of what is written: the index divided
/// by `stride`, modulo `size` unless it is the outermost.
struct WrittenDim {
  int64_t stride;
  unsigned dim;
};
} // namespace

/// The dimensions in `expr`, innermost first, if it counts their points in
/// row-major order.
static std::optional<SmallVector<WrittenDim>> splitIndex(KernelOp kernel,
                                                         AffineExpr expr) {
  SmallVector<WrittenDim> dims;
  SmallVector<AffineExpr> worklist{expr};
  while (!worklist.empty()) {
    AffineExpr part = worklist.pop_back_val();
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      dims.push_back({1, dim.getPosition()});
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary)
      return std::nullopt;
    if (binary.getKind() == AffineExprKind::Add) {
      worklist.append({binary.getLHS(), binary.getRHS()});
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
    auto stride = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (binary.getKind() != AffineExprKind::Mul || !dim || !stride)
      return std::nullopt;
    dims.push_back({stride.getValue(), dim.getPosition()});
  }
  llvm::sort(dims, [](const WrittenDim &a, const WrittenDim &b) {
    return a.stride < b.stride;
  });
  int64_t expected = 1;
  for (const WrittenDim &part : dims) {
    if (part.stride != expected)
      return std::nullopt;
    if (&part == &dims.back())
      break;
    std::optional<int64_t> size = kernel.getDimSize(part.dim).getConstant();
    if (!size)
      return std::nullopt;
    expected *= *size;
  }
  return dims;
}

/// Each dimension of the kernel is in one index of what is written, and those
/// cover the result.
static bool coversDomainOnce(KernelOp kernel, WriteOp write) {
  llvm::SmallBitVector seen(kernel.getNumDims());
  Sizes sizes = getSizes(cast<ShapedType>(write.getDestination().getType()));
  for (auto [expr, size] :
       llvm::zip_equal(write.getMap().getResults(), sizes)) {
    if (isa<AffineConstantExpr>(expr)) {
      if (!size.isConstant(1))
        return false;
      continue;
    }
    std::optional<SmallVector<WrittenDim>> dims = splitIndex(kernel, expr);
    if (!dims)
      return false;
    SizeExprAttr points = SizeExprAttr::constant(kernel.getContext(), 1);
    for (const WrittenDim &part : *dims) {
      if (seen.test(part.dim))
        return false;
      seen.set(part.dim);
      points = points.mul(kernel.getDimSize(part.dim));
    }
    if (points != size)
      return false;
  }
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (!seen.test(dim) && !kernel.getDimSize(dim).isConstant(1))
      return false;
  return true;
}

std::optional<PointwiseProducer> PointwiseProducer::get(OpResult result) {
  auto kernel = cast<KernelOp>(result.getOwner());
  BlockArgument out = kernel.getOutArgument(result.getResultNumber());
  if (!out.hasOneUse())
    return std::nullopt;
  auto write = dyn_cast<WriteOp>(*out.user_begin());
  if (!write || !write.getIndices().empty() || write.getWithin() ||
      write.getCombine() != CombineKind::Replace ||
      !coversDomainOnce(kernel, write))
    return std::nullopt;
  PointwiseProducer producer(kernel, write);
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> worklist{write.getValue()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !needed.insert(op).second)
      continue;
    if (isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op) ||
        isWholeStage(op))
      return std::nullopt;
    for (Value operand : op->getOperands())
      if (!isa<BlockArgument>(operand))
        worklist.push_back(operand);
  }
  bool isPlain = true;
  for (Operation &op : kernel.getBodyBlock()) {
    if (!needed.contains(&op))
      continue;
    producer.slice.push_back(&op);
    producer.weight += getOperationWeight(&op);
    if (auto read = dyn_cast<ReadOp>(op)) {
      producer.reads.push_back(read);
      isPlain &= !read.getWithin() && read.getIndices().empty();
    } else {
      isPlain &= isa<CastOp, ScalarOp, SizeScalarOp, DimIndexOp, WithinOp>(op);
    }
  }
  producer.view = isPlain && producer.reads.size() <= 1;
  return producer;
}

double
PointwiseProducer::getInputBytes(llvm::function_ref<bool(Value)> isRead) const {
  KernelDims values(kernel);
  double bytes = 0;
  llvm::SmallPtrSet<Value, 4> seen;
  for (ReadOp read : reads) {
    Value source = getOperandOf(kernel, read.getSource());
    if (isRead(source) || !seen.insert(source).second)
      continue;
    double points = estimatePoints(kernel, values.of(read.getResult()));
    bytes +=
        std::min(estimateBytes(kernel, source.getType()),
                 points * static_cast<double>(getElementBytes(read.getType())));
  }
  return bytes;
}

/// The producer's domain at the points of `read`, in the consumer's.
static DomainEmbedding embedAt(KernelOp producer, WriteOp write, ReadOp read) {
  auto consumer = cast<KernelOp>(read->getParentOp());
  MLIRContext *context = read.getContext();
  DomainEmbedding embedding;
  embedding.rank = consumer.getNumDims();
  embedding.indices.assign(read.getIndices().begin(), read.getIndices().end());
  embedding.within = read.getWithin();
  embedding.dims.assign(producer.getNumDims(),
                        getAffineConstantExpr(0, context));
  for (auto [index, expr] : llvm::enumerate(write.getMap().getResults()))
    if (!isa<AffineConstantExpr>(expr)) {
      SmallVector<WrittenDim> dims = *splitIndex(producer, expr);
      for (const WrittenDim &part : dims) {
        AffineExpr at = read.getMap().getResult(index).floorDiv(part.stride);
        if (&part != &dims.back())
          at = at % *producer.getDimSize(part.dim).getConstant();
        embedding.dims[part.dim] = at;
      }
    }
  // Symbols of the producer are numbered after the consumer's until the
  // inlining binds them.
  unsigned base = consumer.getSymbols().size();
  for (unsigned symbol = 0; symbol < producer.getSymbols().size(); ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(base + symbol, context));
  embedding.numSymbols = base + producer.getSymbols().size();
  return embedding;
}

/// Whether a read of `slice` is at index `dim` of the producer as it is, in a
/// dimension of the same size, and so checks its range.
static bool checksRange(KernelOp producer, ArrayRef<Operation *> slice,
                        unsigned dim) {
  for (Operation *op : slice) {
    auto read = dyn_cast<ReadOp>(op);
    if (!read || read.getWithin())
      continue;
    Sizes sizes = getSizes(cast<ShapedType>(read.getSource().getType()));
    for (auto [expr, size] :
         llvm::zip_equal(read.getMap().getResults(), sizes)) {
      auto at = dyn_cast<AffineDimExpr>(expr);
      if (at && at.getPosition() == dim && size == producer.getDimSize(dim))
        return true;
    }
  }
  return false;
}

/// Whether `index` of the body of `kernel` is read from a constant whose
/// elements all are in [0, size).
static bool isConstantWithin(KernelOp kernel, Value index, SizeExpr size) {
  while (auto cast = index.getDefiningOp<CastOp>())
    index = cast.getX();
  auto read = index.getDefiningOp<ReadOp>();
  auto constant =
      read ? getOperandOf(kernel, read.getSource()).getDefiningOp<ConstantOp>()
           : nullptr;
  auto elements =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  auto count = size.getConstant();
  return elements && count &&
         llvm::all_of(elements.getValues<APInt>(), [&](const APInt &element) {
           return !element.isNegative() && element.getSExtValue() < *count;
         });
}

/// Whether an index that `read` computes is in range, or is still checked
/// against the size of what it selects from when the producer's own reads take
/// the place of it.
static bool keepsRangeChecks(KernelOp producer, WriteOp write,
                             ArrayRef<Operation *> slice, ReadOp read) {
  auto consumer = cast<KernelOp>(read->getParentOp());
  unsigned rank = consumer.getNumDims();
  Sizes sizes = getSizes(cast<ShapedType>(read.getSource().getType()));
  for (auto [expr, target, size] : llvm::zip_equal(
           read.getMap().getResults(), write.getMap().getResults(), sizes)) {
    bool isComputed = false;
    for (auto [index, value] : llvm::enumerate(read.getIndices()))
      isComputed |= expr.isFunctionOfDim(rank + index) &&
                    !isConstantWithin(consumer, value, size);
    if (!isComputed)
      continue;
    // The outermost dimension is out of range exactly where the index is.
    if (isa<AffineConstantExpr>(target) ||
        !checksRange(producer, slice, splitIndex(producer, target)->back().dim))
      return false;
  }
  return true;
}

/// Whether the value is an element that is read, of rows that stay contiguous.
bool PointwiseProducer::movesRows() const {
  if (slice.size() != 1 || reads.size() != 1)
    return false;
  ReadOp only = reads.front();
  AffineMap from = only.getMap(), to = WriteOp(write).getMap();
  return !only.getWithin() && only.getIndices().empty() &&
         from.isProjectedPermutation() && from.getNumResults() > 0 &&
         to.getNumResults() > 0 &&
         from.getResults().back() == to.getResults().back();
}

/// Whether what is read is copied as it is in memory: the matrices that
/// gradients of attention are of.
static bool isCopied(ReadOp read) {
  return llvm::any_of(read->getUses(), [](OpOperand &use) {
    return isa<AttentionBackwardStageOp>(use.getOwner()) &&
           use.getOperandNumber() < AttentionBackwardStageOp::kMatrices;
  });
}

llvm::Error PointwiseProducer::canInline(ReadOp read) const {
  if (isCopied(read) && !movesRows())
    return refuse("the copy engine takes rows of it as they are in memory");
  if (!keepsRangeChecks(kernel, write, slice, read))
    return refuse("no read of the producer checks the range of a computed "
                  "index");
  DomainEmbedding embedding = embedAt(kernel, write, read);
  for (Operation *op : slice)
    if (!canEmbed(op, embedding))
      return refuse("a bound of the producer depends on a computed index");
  return llvm::Error::success();
}

void PointwiseProducer::inlineAt(ReadOp read) const {
  auto consumer = cast<KernelOp>(read->getParentOp());
  DomainEmbedding embedding = embedAt(kernel, write, read);
  embedding.symbols = bindSymbols(kernel, consumer);
  embedding.numSymbols = consumer.getSymbols().size();
  IRMapping values;
  for (ReadOp own : reads)
    values.map(own.getSource(),
               bindInput(consumer, getOperandOf(kernel, own.getSource())));
  OpBuilder builder(read);
  for (Operation *op : slice)
    cloneEmbedded(builder, op, embedding, values);
  Value result = values.lookup(WriteOp(write).getValue());
  // Outside the read's set the value is zero, as the reads inlined here are;
  // what is computed of them may not be.
  if (read.getWithin() && (!isView() || reads.empty())) {
    Value inside = WithinOp::create(builder, read.getLoc(), builder.getI1Type(),
                                    *read.getWithin());
    Value zero =
        ScalarOp::create(builder, read.getLoc(), getZero(result.getType()));
    result = SelectOp::create(builder, read.getLoc(), result.getType(), inside,
                              result, zero);
  }
  read.getResult().replaceAllUsesWith(result);
  read.erase();
  consumer.setName(joinNames(getKernel().getName(), consumer.getName()));
}

KernelReads KernelReads::get(Value result) {
  KernelReads found;
  for (OpOperand &use : result.getUses()) {
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    if (!kernel || use.getOperandNumber() >= kernel.getIns().size()) {
      found.hasOtherUsers = true;
      continue;
    }
    for (Operation *user :
         kernel.getInArgument(use.getOperandNumber()).getUsers())
      found.reads.push_back(cast<ReadOp>(user));
  }
  return found;
}
