//===- SplitOverwrites.cpp - tc-split-overwrites --------------------------===//

#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCSPLITOVERWRITESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether `type` is of one element.
static bool isSingle(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
}

namespace {
/// A result of a function that is one element, and may be written over an
/// argument that other points are computed of as well.
struct Overwrite {
  OpOperand *returned;
  KernelOp kernel;
  WriteOp write;
  /// What computes the element, in order.
  SmallVector<Operation *> slice;

  /// Of what `returned` gives back to its caller, where it may go over
  /// `argument`.
  static std::optional<Overwrite> find(OpOperand &returned, Value argument);
};
} // namespace

/// Whether anything but `kernel` reads `argument`.
static bool isReadElsewhere(Value argument, KernelOp kernel) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    return user != kernel.getOperation();
  });
}

std::optional<Overwrite> Overwrite::find(OpOperand &returned, Value argument) {
  auto result = dyn_cast<OpResult>(returned.get());
  auto kernel = result ? dyn_cast<KernelOp>(result.getOwner()) : KernelOp();
  // Nobody but the caller reads it.
  if (!kernel || !result.hasOneUse() || !isSingle(result.getType()) ||
      result.getType() != argument.getType() ||
      (kernel.getNumDims() == 0 && !isReadElsewhere(argument, kernel)))
    return std::nullopt;
  Overwrite found{
      &returned,
      kernel,
      getPlainWrite(kernel.getOutArgument(result.getResultNumber())),
      {}};
  if (!found.write)
    return std::nullopt;
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  if (Operation *value = found.write.getValue().getDefiningOp())
    if (failed(getBackwardSlice(value, &needed, options)))
      return std::nullopt;
  KernelDims dims(kernel);
  for (Operation *op : needed) {
    auto read = dyn_cast<ReadOp>(op);
    // Reading other arguments later would keep them from being written over.
    if (read && (getOperandOf(kernel, read.getSource()) != argument ||
                 read.getWithin() || !read.getIndices().empty()))
      return std::nullopt;
    if (isWholeStage(op) ||
        isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op) ||
        llvm::any_of(op->getResults(),
                     [&](Value value) { return dims.of(value).any(); }))
      return std::nullopt;
  }
  found.slice = needed.takeVector();
  return found;
}

namespace {
class SplitOverwritesPass
    : public tc::impl::TCSplitOverwritesPassBase<SplitOverwritesPass> {
public:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    Operation *end = function.front().getTerminator();
    SmallVector<Overwrite> found;
    for (OpOperand &returned : end->getOpOperands())
      if (auto number = function.getResultAttrOfType<IntegerAttr>(
              returned.getOperandNumber(), kMayOverwriteAttr))
        if (auto one = Overwrite::find(returned,
                                       function.getArgument(number.getInt())))
          found.push_back(std::move(*one));
    OpBuilder builder(end);
    for (MutableArrayRef<Overwrite> left = found; !left.empty();) {
      const size_t count = std::min(left.size(), kMostOfKernel);
      makeKernel(builder, left.take_front(count));
      left = left.drop_front(count);
    }
    numSplit += found.size();
  }

private:
  /// Elements of a kernel, each of which has a pointer to read and one to
  /// write among the 4 KiB of parameters that a launch on a GPU has.
  static constexpr size_t kMostOfKernel = 64;

  static void makeKernel(OpBuilder &builder,
                         MutableArrayRef<Overwrite> overwrites) {
    SmallVector<Value> destinations;
    for (Overwrite &one : overwrites)
      destinations.push_back(EmptyOp::create(
          builder, one.write.getLoc(),
          cast<RankedTensorType>(one.returned->get().getType())));
    KernelBuilder b(builder, overwrites.front().kernel.getLoc(), "overwrite",
                    ArrayRef<DimAttr>(), destinations);
    for (auto [index, one] : llvm::enumerate(overwrites)) {
      IRMapping values;
      auto getPoint = [&](AffineMap map) {
        return SmallVector<AffineExpr>(map.getNumResults(), b.constant(0));
      };
      for (Operation *op : one.slice) {
        if (auto read = dyn_cast<ReadOp>(op))
          values.map(read.getResult(),
                     b.read(getOperandOf(one.kernel, read.getSource()),
                            getPoint(read.getMap())));
        else
          b.body.clone(*op, values);
      }
      b.write(values.lookupOrDefault(one.write.getValue()), unsigned(index),
              getPoint(one.write.getMap()));
    }
    KernelOp kernel = b.finish();
    for (auto [index, one] : llvm::enumerate(overwrites))
      one.returned->set(kernel->getResult(index));
  }
};
} // namespace
