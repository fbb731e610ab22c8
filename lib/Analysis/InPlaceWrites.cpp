//===- InPlaceWrites.cpp - Outputs written over inputs --------------------===//

#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/TiledAttention.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tc;

Value tc::getBufferRoot(Value buffer) {
  while (auto reshape = buffer.getDefiningOp<BufferReshapeOp>())
    buffer = reshape.getX();
  return buffer;
}

/// Whether every point of `dims` goes to an element of its own: the map's
/// results are these dimensions, each once, and constants.
static bool isOneElementAPoint(AffineMap map, const DimSet &dims) {
  if (map.getNumDims() != dims.size())
    return false; // dynamic indices
  DimSet seen(dims.size());
  for (AffineExpr result : map.getResults()) {
    if (isa<AffineConstantExpr>(result))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return seen == dims;
}

/// The one plain write to an output, or nothing.
static WriteOp getPlainWrite(BlockArgument out) {
  if (!out.hasOneUse())
    return nullptr;
  auto write = dyn_cast<WriteOp>(*out.user_begin());
  if (!write || write.getWithin() || !write.getIndices().empty() ||
      write.getCombine() != CombineKind::Replace)
    return nullptr;
  return write;
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

static bool isReadWhereWritten(KernelOp kernel, unsigned inIndex,
                               unsigned outIndex) {
  if (kernel.getIns()[inIndex].getType() !=
      kernel.getOuts()[outIndex].getType())
    return false;
  WriteOp write = getPlainWrite(kernel.getOutArgument(outIndex));
  if (!write ||
      !isOneElementAPoint(write.getMap(), DimSet(kernel.getNumDims(), true)))
    return false;
  return llvm::all_of(
      kernel.getInArgument(inIndex).getUsers(), [&](Operation *user) {
        auto read = dyn_cast<ReadOp>(user);
        return read && read.getMap() == write.getMap() && !read.getWithin();
      });
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The row-major position of the element at `map`; null where a stride that
/// counts is no constant.
static AffineExpr getPosition(MemRefType type, AffineMap map) {
  AffineExpr position = getAffineConstantExpr(0, type.getContext());
  std::optional<int64_t> stride = 1;
  Sizes sizes = getSizes(type);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    AffineExpr index = map.getResult(dim);
    if (index != getAffineConstantExpr(0, type.getContext())) {
      if (!stride)
        return nullptr;
      position = position + index * *stride;
    }
    auto size = sizes[dim].getConstant();
    stride =
        stride && size ? std::optional<int64_t>(*stride * *size) : std::nullopt;
  }
  return position;
}

/// Whether `read` is used for nothing but the queries of the scores.
static bool isOnlyOfQueries(ReadOp read, const TiledAttention &attention) {
  SmallVector<Value> pending{read.getResult()};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == ContractStageOp(attention.scores)) {
        if (value != attention.queries || value == attention.keys)
          return false;
        continue;
      }
      if (isa<ReadOp, WriteOp, ReduceStageOp, ContractStageOp>(user))
        return false;
      llvm::append_range(pending, user->getResults());
    }
  }
  return true;
}

/// Whether the write's elements of a row are the queries of that row, column by
/// column.
static bool liesOverQueries(KernelOp kernel, const TiledAttention &attention,
                            ReadOp read, WriteOp write) {
  if (attention.depth.size() != 1 || attention.column == attention.depth[0] ||
      attention.depthCount != attention.columnCount)
    return false;
  MLIRContext *context = kernel.getContext();
  AffineMap along = read.getMap();
  along = AffineMap::get(
      along.getNumDims(), along.getNumSymbols(),
      llvm::map_to_vector(along.getResults(),
                          [&](AffineExpr result) {
                            return result.replace(
                                getAffineDimExpr(attention.depth[0], context),
                                getAffineDimExpr(attention.column, context));
                          }),
      context);
  auto in = cast<MemRefType>(read.getSource().getType()),
       out = cast<MemRefType>(write.getDestination().getType());
  if (in == out && along == write.getMap())
    return true;
  AffineExpr from = getPosition(in, along),
             to = getPosition(out, write.getMap());
  return from && to &&
         simplifyAffineExpr(from - to, along.getNumDims(),
                            along.getNumSymbols()) ==
             getAffineConstantExpr(0, context);
}

static bool isOverQueries(KernelOp kernel, unsigned inIndex,
                          unsigned outIndex) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto target =
      module ? module->getAttrOfType<TargetAttr>(kTargetAttr) : TargetAttr();
  if (target && target.getKind() != "cpu")
    return false;
  auto in = cast<MemRefType>(kernel.getIns()[inIndex].getType()),
       out = cast<MemRefType>(kernel.getOuts()[outIndex].getType());
  BlockArgument source = kernel.getInArgument(inIndex);
  WriteOp write = getPlainWrite(kernel.getOutArgument(outIndex));
  auto read =
      source.hasOneUse() ? dyn_cast<ReadOp>(*source.user_begin()) : ReadOp();
  if (!write || !read || read.getWithin() || !read.getIndices().empty() ||
      in.getElementType() != out.getElementType() ||
      getElementCount(getSizes(in), kernel.getContext()) !=
          getElementCount(getSizes(out), kernel.getContext()))
    return false;
  KernelDims dims(kernel);
  auto attention = TiledAttention::find(kernel, dims);
  return attention && isOneElementAPoint(write.getMap(), dims.ofWrite(write)) &&
         isOnlyOfQueries(read, *attention) &&
         liesOverQueries(kernel, *attention, read, write);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool tc::mayWriteOver(KernelOp kernel, unsigned inIndex, unsigned outIndex) {
  return hasStages(kernel) ? isOverQueries(kernel, inIndex, outIndex)
                           : isReadWhereWritten(kernel, inIndex, outIndex);
}

LogicalResult tc::verifyInPlaceWrites(KernelOp kernel) {
  for (auto [outIndex, out] : llvm::enumerate(kernel.getOuts()))
    for (auto [inIndex, in] : llvm::enumerate(kernel.getIns()))
      if (getBufferRoot(in) == getBufferRoot(out) &&
          !mayWriteOver(kernel, inIndex, outIndex))
        return kernel.emitOpError("'")
               << kernel.getName() << "' has input " << inIndex
               << " and output " << outIndex
               << " in one buffer; expected two, as elements are read again "
                  "after others are written";
  return success();
}
