//===- AssignChannelsLast.cpp - tc-assign-channels-last -------------------===//

#include "TC/Analysis/ConvolutionReads.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNCHANNELSLASTPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The value outside of `kernel` that `buffer` of its body is: what it reads,
/// or one of its results.
static Value getValueOf(KernelOp kernel, BlockArgument buffer) {
  unsigned number = buffer.getArgNumber(), ins = kernel.getIns().size();
  return number < ins ? kernel.getIns()[number]
                      : Value(kernel->getResult(number - ins));
}

/// The dimensions of parallel points that each index of `map` uses, without
/// those of index `left`.
static SmallVector<DimSet> getOtherIndices(KernelOp kernel, AffineMap map,
                                           unsigned left) {
  const unsigned rank = kernel.getNumDims();
  DimSet parallel(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (kernel.getDim(dim).getIterator() == IteratorKind::Parallel)
      parallel.set(dim);
  SmallVector<DimSet> indices;
  for (unsigned index = 0; index < map.getNumResults(); ++index)
    if (index != left) {
      indices.push_back(KernelDims::ofMap(map.getSubMap({index}), rank));
      indices.back() &= parallel;
    }
  return indices;
}

namespace {
class ChannelsLast {
public:
  explicit ChannelsLast(ArrayRef<KernelOp> kernels) : kernels(kernels) {}

  /// Chooses values, beginning with those of convolutions.
  void choose();
  /// Stores the chosen ones with their channels last. Returns how many.
  int64_t apply();

private:
  void add(Value value, std::optional<unsigned> channel);
  void copyOperand(KernelOp kernel, ReadOp read, unsigned channel);
  void copyImages(KernelOp kernel, const ConvolutionReads &reads);
  void chooseForGradient(KernelOp kernel, const ConvolutionReads &reads,
                         unsigned channel);
  void chooseForConvolution(KernelOp kernel);
  void spread(KernelOp kernel, Value value);

  ArrayRef<KernelOp> kernels;
  /// The index of each value that the channels are.
  llvm::MapVector<Value, unsigned> channels;
  /// Copies of values whose order is not free, by the index that is last.
  llvm::DenseMap<std::pair<Value, unsigned>, Value> copies;
};
} // namespace

void ChannelsLast::add(Value value, std::optional<unsigned> channel) {
  if (channel && hasFreeOrder(value))
    channels.insert({value, *channel});
}

/// Writes the kernel that stores `value` anew, in an order that is free.
static KernelOp buildCopy(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Sizes sizes = getSizes(type);
  KernelBuilder copy(builder, loc, "reorder",
                     SmallVector<SizeExprAttr>(sizes.begin(), sizes.end()),
                     TypeRange(type));
  auto at = copy.dims(sizes.size());
  copy.write(copy.read(value, at), 0, at);
  KernelOp made = copy.finish();
  made.setKernelClass(classifyKernel(made));
  return made;
}

/// Has `kernel` read a copy of what `read` reads, of which index `channel`
/// should be the last, where that stays in its own order and channels are rows
/// of whole units of 16 bytes.
void ChannelsLast::copyOperand(KernelOp kernel, ReadOp read, unsigned channel) {
  constexpr int64_t kUnit = 8; // elements of 16 bits in 16 bytes
  auto buffer = cast<BlockArgument>(read.getSource());
  Value value = getValueOf(kernel, buffer);
  auto type = cast<RankedTensorType>(value.getType());
  auto channels = getSizes(type)[channel].getConstant();
  if (channel + 1 == type.getRank() || hasFreeOrder(value) ||
      !buffer.hasOneUse() || !channels || *channels % kUnit != 0)
    return;
  // Kernels that need the same copy are in the order of the program.
  Value &copy = copies[{value, channel}];
  if (!copy) {
    OpBuilder builder(kernel);
    copy = buildCopy(builder, kernel.getLoc(), value).getResult(0);
  }
  kernel->setOperand(buffer.getArgNumber(), copy);
}

/// Has `kernel` read a copy of images that stay in their own order, where so
/// much is computed of each element that this is worth it.
void ChannelsLast::copyImages(KernelOp kernel, const ConvolutionReads &reads) {
  ReadOp read = reads.images;
  Value images = getValueOf(kernel, cast<BlockArgument>(read.getSource()));
  auto channel = reads.findChannel(kernel);
  KernelDims values(kernel);
  DimSet all = values.of(read.getResult());
  all |= values.of(ReadOp(reads.weights).getResult());
  if (channel &&
      estimatePoints(kernel, all) >=
          kUsesWorthCopy * estimateElements(kernel, images.getType()))
    copyOperand(kernel, read, *channel);
}

/// Whether the images of a convolution have their channels last, or may have
/// them, and so may its results.
static bool mayHaveChannelsLast(KernelOp kernel,
                                const ConvolutionReads &reads) {
  auto buffer = cast<BlockArgument>(ReadOp(reads.images).getSource());
  auto type = cast<ShapedType>(buffer.getType());
  auto channel = reads.findChannel(kernel);
  return channel &&
         (*channel + 1 == type.getRank() ||
          hasFreeOrder(getValueOf(kernel, buffer))) &&
         llvm::all_of(kernel->getResults(), hasFreeOrder);
}

/// The index of `map` that has dimensions of `dims`, if one has.
static std::optional<unsigned> findIndexOf(AffineMap map, const DimSet &dims) {
  for (unsigned index = 0; index < map.getNumResults(); ++index)
    if (KernelDims::ofMap(map.getSubMap({index}), dims.size()).anyCommon(dims))
      return index;
  return std::nullopt;
}

/// The gradient of weights sums over places of rows of channels, of images and
/// of results, and has channels last itself: where the function gives it in
/// another order, a kernel behind it stores it so.
void ChannelsLast::chooseForGradient(KernelOp kernel,
                                     const ConvolutionReads &reads,
                                     unsigned channel) {
  ReadOp images = reads.images, weights = reads.weights;
  const unsigned rank = kernel.getNumDims();
  DimSet channels =
             KernelDims::ofMap(images.getMap().getSubMap({channel}), rank),
         filters = KernelDims::ofMap(weights.getMap(), rank);
  filters.reset(KernelDims::ofMap(images.getMap(), rank));
  auto filter = findIndexOf(weights.getMap(), filters);
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  if (!filter || !llvm::hasSingleElement(writes))
    return;
  WriteOp write = *writes.begin();
  auto last = findIndexOf(write.getMap(), channels);
  if (!last)
    return;
  copyOperand(kernel, weights, *filter);
  add(getValueOf(kernel, cast<BlockArgument>(images.getSource())), channel);
  add(getValueOf(kernel, cast<BlockArgument>(weights.getSource())), filter);
  Value result =
      getValueOf(kernel, cast<BlockArgument>(write.getDestination()));
  if (*last + 1 < write.getMap().getNumResults() && !hasFreeOrder(result)) {
    OpBuilder builder(kernel->getContext());
    builder.setInsertionPointAfter(kernel);
    KernelOp copy = buildCopy(builder, kernel.getLoc(), result);
    result.replaceAllUsesExcept(copy.getResult(0), copy);
  }
  add(result, last);
}

/// Tensor cores multiply rows of channels.
void ChannelsLast::chooseForConvolution(KernelOp kernel) {
  auto reads = ConvolutionReads::find(kernel);
  if (!reads || !reads->isForTensorCores())
    return;
  // A library reads images in the order of its results.
  if (!isConvolutionForLibrary(kernel, MachineModel::get(kernel)))
    copyImages(kernel, *reads);
  else if (!mayHaveChannelsLast(kernel, *reads))
    return;
  if (auto channel = reads->findGradientChannel(kernel))
    return chooseForGradient(kernel, *reads, *channel);
  add(getValueOf(kernel, cast<BlockArgument>(reads->images.getSource())),
      reads->findChannel(kernel));
  const unsigned rank = kernel.getNumDims();
  DimSet weights = KernelDims::ofMap(reads->weights.getMap(), rank),
         images = KernelDims::ofMap(reads->images.getMap(), rank);
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    std::optional<unsigned> channel;
    for (unsigned index = 0; index < write.getMap().getNumResults(); ++index) {
      DimSet used = KernelDims::ofMap(write.getMap().getSubMap({index}), rank);
      if (used.any() && !used.test(weights) && used.test(images))
        channel = index;
    }
    add(getValueOf(kernel, cast<BlockArgument>(write.getDestination())),
        channel);
  }
}

/// Whether each index of one access has the dimensions that it has in the
/// other. With `picks`, indices of the other may be values in place of one
/// dimension each, as those of a gather of pixels are.
static bool areOfSamePoints(ArrayRef<DimSet> points, ArrayRef<DimSet> others,
                            bool picks) {
  bool anyEqual = false;
  for (auto [point, other] : llvm::zip_equal(points, others)) {
    bool isPicked = picks && other.none() && point.count() == 1;
    if (point != other && !isPicked)
      return false;
    anyEqual |= point == other && point.any();
  }
  return anyEqual || !picks;
}

/// Chooses what `kernel` reads or writes point for point next to `value`.
void ChannelsLast::spread(KernelOp kernel, Value value) {
  SmallVector<KernelAccess> accesses;
  for (Operation &op : kernel.getBodyBlock())
    if (auto access = getAccess(op))
      accesses.push_back(*access);
  const unsigned channel = channels.lookup(value);
  for (const KernelAccess &access : accesses) {
    if (getValueOf(kernel, access.buffer) != value)
      continue;
    auto points = getOtherIndices(kernel, access.map, channel);
    for (const KernelAccess &other : accesses) {
      if (other.map.getNumResults() != access.map.getNumResults())
        continue;
      for (unsigned index = 0; index < other.map.getNumResults(); ++index)
        if (areOfSamePoints(points, getOtherIndices(kernel, other.map, index),
                            !other.indices.empty())) {
          add(getValueOf(kernel, other.buffer), index);
          break;
        }
    }
  }
}

void ChannelsLast::choose() {
  for (KernelOp kernel : kernels)
    chooseForConvolution(kernel);
  // Values are added behind those that are there.
  for (size_t next = 0; next < channels.size(); ++next) {
    Value value = channels.begin()[next].first;
    spread(value.getDefiningOp<KernelOp>(), value);
    for (Operation *user : value.getUsers())
      spread(cast<KernelOp>(user), value);
  }
  channels.remove_if([](const auto &chosen) {
    auto type = cast<RankedTensorType>(chosen.first.getType());
    return chosen.second + 1 == type.getRank();
  });
}

/// The indices of a value of `rank` indices in the order in which it is stored.
static SmallVector<unsigned> getOrder(unsigned rank, unsigned channel) {
  SmallVector<unsigned> order;
  for (unsigned index = 0; index < rank; ++index)
    if (index != channel)
      order.push_back(index);
  order.push_back(channel);
  return order;
}

/// Gives what `kernel` has at `operand` its indices in `order`.
static void reorderBuffer(KernelOp kernel, unsigned operand,
                          RankedTensorType type, ArrayRef<unsigned> order) {
  BlockArgument buffer = kernel.getBodyBlock().getArgument(operand);
  buffer.setType(type);
  auto reorder = [&](auto access) {
    access.setMap(access.getMap().getSubMap(order));
  };
  for (Operation *user : buffer.getUsers())
    llvm::TypeSwitch<Operation *>(user).Case<ReadOp, WriteOp>(reorder);
}

/// Walks `kernel` as `buffer` of its body is in memory.
static void orderDims(KernelOp kernel, BlockArgument buffer) {
  MLIRContext *context = kernel.getContext();
  llvm::SetVector<unsigned> order;
  for (Operation *user : buffer.getUsers()) {
    std::optional<KernelAccess> access = getAccess(*user);
    for (AffineExpr index : access->map.getResults())
      for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
        if (index.isFunctionOfDim(dim) &&
            (kernel.getDim(dim).getIterator() == IteratorKind::Parallel ||
             !hasContraction(kernel)))
          order.insert(dim);
  }
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    order.insert(dim);
  SmallVector<DimAttr> dims;
  SmallVector<AffineExpr> exprs(kernel.getNumDims());
  for (auto [place, dim] : llvm::enumerate(order)) {
    dims.push_back(kernel.getDim(dim));
    exprs[dim] = getAffineDimExpr(place, context);
  }
  if (!llvm::is_sorted(order))
    (void)changeDomain(kernel, dims, exprs);
}

/// The result of another kernel, which nobody has as the function's, that a
/// kernel copies as it is; null where it does something else.
static Value findCopied(KernelOp kernel) {
  Value source = getCopiedInput(kernel);
  bool isOwn = source && source.getDefiningOp<KernelOp>() &&
               llvm::all_of(source.getUsers(), llvm::IsaPred<KernelOp>);
  return isOwn ? source : nullptr;
}

/// Has what reads a result of `kernel` read an equal one instead, which the
/// function may give: two orders of one tensor may have become one.
static void mergeEqualResults(KernelOp kernel) {
  SmallVector<WriteOp> writes(kernel.getBodyBlock().getOps<WriteOp>());
  for (auto [number, write] : llvm::enumerate(writes)) {
    WriteOp later = write;
    Value result =
        getValueOf(kernel, cast<BlockArgument>(later.getDestination()));
    for (WriteOp earlier : ArrayRef(writes).take_front(number)) {
      auto buffer = cast<BlockArgument>(earlier.getDestination());
      if (earlier.getValue() != later.getValue() ||
          earlier.getMap() != later.getMap() || earlier.isScatter() ||
          later.isScatter() || earlier.getWithin() || later.getWithin() ||
          buffer.getType() != later.getDestination().getType())
        continue;
      Value before = getValueOf(kernel, buffer);
      if (hasFreeOrder(result))
        result.replaceAllUsesWith(before);
      else if (hasFreeOrder(before))
        before.replaceAllUsesWith(result);
      else
        continue;
      break;
    }
  }
  eliminateDeadOutputs(kernel);
}

int64_t ChannelsLast::apply() {
  llvm::MapVector<KernelOp, BlockArgument> changed;
  for (auto [value, channel] : channels) {
    auto kernel = value.getDefiningOp<KernelOp>();
    auto type = cast<RankedTensorType>(value.getType());
    auto order = getOrder(type.getRank(), channel);
    Sizes sizes = getSizes(type), stored;
    for (unsigned index : order)
      stored.push_back(sizes[index]);
    RankedTensorType last = getTensorType(stored, type.getElementType());
    unsigned number = cast<OpResult>(value).getResultNumber(),
             operand = kernel.getIns().size() + number;
    OpBuilder builder(kernel);
    kernel->setOperand(operand,
                       EmptyOp::create(builder, kernel.getLoc(), last));
    reorderBuffer(kernel, operand, last, order);
    // What a kernel writes comes before what it reads.
    changed[kernel] = kernel.getBodyBlock().getArgument(operand);
    for (OpOperand &use : value.getUses()) {
      auto user = cast<KernelOp>(use.getOwner());
      reorderBuffer(user, use.getOperandNumber(), last, order);
      changed.insert(
          {user, user.getBodyBlock().getArgument(use.getOperandNumber())});
    }
    value.setType(last);
  }
  for (auto [kernel, buffer] : changed)
    orderDims(kernel, buffer);
  // What a function gives with channels last is what is stored so now.
  SmallVector<KernelOp> kept;
  for (auto &[kernel, buffer] : changed)
    if (Value copied = findCopied(kernel)) {
      kernel->getResult(0).replaceAllUsesWith(copied);
      KernelOp(kernel).erase();
    } else {
      kept.push_back(kernel);
    }
  for (KernelOp kernel : llvm::reverse(kept)) // users first
    mergeEqualResults(kernel);
  return channels.size();
}

namespace {
class AssignChannelsLastPass
    : public tc::impl::TCAssignChannelsLastPassBase<AssignChannelsLastPass> {
public:
  void runOnOperation() override {
    if (!MachineModel::get(getOperation()).isGPU)
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<KernelOp> kernels = getOutermostKernels(function);
      ChannelsLast last(kernels);
      last.choose();
      numStored += last.apply();
    }
  }
};
} // namespace
