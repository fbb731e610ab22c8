//===- VectorAlignment.cpp - Vectors that one access reaches --------------===//

#include "TC/Analysis/VectorAlignment.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"

using namespace mlir;
using namespace tc;

/// Bytes that one instruction of a thread accesses.
static constexpr int64_t kMostBytes = 16;
/// Largest stride, in elements, of points that are loaded with what is between
/// them.
static constexpr int64_t kMostLoadedStride = 2;

VectorAlignment::VectorAlignment(KernelOp kernel, unsigned dim, int64_t lanes,
                                 bool allowsRest)
    : lanes(lanes), dim(dim), allowsRest(allowsRest), kernel(kernel) {
  isWhole = lanes > 1 &&
            (allowsRest || needsMultiple(kernel.getDimSize(dim), multiples));
  addAll();
}

VectorAlignment::VectorAlignment(WriteOp anchor, unsigned dim, int64_t lanes)
    : lanes(lanes), dim(dim), allowsRest(false),
      kernel(anchor->getParentOfType<KernelOp>()), anchor(anchor) {
  addAll();
}

/// Where a read or write accesses its buffer.
static std::pair<Value, AffineMap> getPlace(Operation *access) {
  if (auto read = dyn_cast<ReadOp>(access))
    return {read.getSource(), read.getMap()};
  auto write = cast<WriteOp>(access);
  return {write.getDestination(), write.getMap()};
}

Value VectorAlignment::getAnchorBuffer() const {
  return anchor ? getPlace(anchor).first : Value();
}

/// How far apart rows of lanes along `dim` are that `read` has at the points of
/// `folded`; 1 where the lanes are folded, too, and nothing where the points
/// are not consecutive in memory, or not in its order.
static std::optional<SizeExpr> getRowStride(KernelOp kernel, ReadOp read,
                                            unsigned dim,
                                            ArrayRef<unsigned> folded) {
  auto type = cast<ShapedType>(read.getSource().getType());
  auto step = getElementStride(type, read.getMap(), dim);
  if (!step || !step->isConstant(1) || read.getWithin() ||
      !read.getIndices().empty())
    return std::nullopt;
  SmallVector<unsigned> order(folded);
  if (llvm::is_contained(folded, dim)) {
    llvm::erase(order, dim);
    order.push_back(dim);
  }
  auto stride = getElementStride(type, read.getMap(), order.back());
  if (!stride || !hasStride(kernel, read, order, *stride) ||
      !llvm::is_contained(getRowMajorStrides(type), *stride))
    return std::nullopt;
  return stride;
}

VectorAlignment::VectorAlignment(KernelOp kernel, unsigned dim, int64_t lanes,
                                 ArrayRef<unsigned> folded)
    : lanes(lanes), dim(dim), allowsRest(true), kernel(kernel),
      isWhole(lanes > 1) {
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    auto stride = getRowStride(kernel, read, dim, folded);
    if (!stride || isa<ComplexType>(read.getResult().getType()))
      continue;
    if (!anchor) {
      bool isRow = !llvm::is_contained(folded, dim);
      if (isRow && !needsMultiple(*stride, multiples))
        continue;
      anchor = read;
    }
    add(read, read.getSource(), read.getMap(), /*mostStride=*/1);
  }
}

void VectorAlignment::addAll() {
  for (Operation &op : kernel.getBodyBlock()) {
    if (auto read = dyn_cast<ReadOp>(op))
      add(&op, read.getSource(), read.getMap(), anchor ? 1 : kMostLoadedStride);
    if (auto write = dyn_cast<WriteOp>(op); write && write.getIndices().empty())
      add(&op, write.getDestination(), write.getMap(), /*mostStride=*/1);
  }
}

/// Whether `size` may be a multiple of the lanes where those of `needed` are;
/// appends it where it is not constant.
bool VectorAlignment::needsMultiple(SizeExpr size,
                                    SmallVectorImpl<SizeExpr> &needed) {
  if (auto constant = size.getConstant())
    return *constant % lanes == 0;
  for (SizeExpr other : needed) {
    auto apart = size.add(other.mul(-1)).getConstant();
    if (apart)
      return *apart % lanes == 0;
  }
  needed.push_back(size);
  return true;
}

/// Elements before that of the point 0 of all dimensions; nothing where that
/// depends on what the map's symbols stand for.
static std::optional<SizeExpr> getFirstElement(ShapedType type, AffineMap map) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> zeros(map.getNumDims(),
                                getAffineConstantExpr(0, context));
  SizeExpr first = SizeExpr::constant(context, 0);
  for (auto [expr, stride] :
       llvm::zip_equal(map.getResults(), getRowMajorStrides(type))) {
    auto position = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(zeros), 0, map.getNumSymbols()));
    if (!position)
      return std::nullopt;
    first = first.add(stride.mul(position.getValue()));
  }
  return first;
}

/// `size` without its terms.
static int64_t getConstantTerm(SizeExpr size) {
  if (auto constant = size.getConstant())
    return *constant;
  for (auto [term, factor] : getTerms(size))
    size = size.add(term.mul(-factor));
  return size.getConstant().value_or(0);
}

/// `size` less `other`, if there is one.
static std::optional<SizeExpr> subtract(SizeExpr size,
                                        std::optional<SizeExpr> other) {
  if (!other)
    return std::nullopt;
  return size.add(other->mul(-1));
}

void VectorAlignment::add(Operation *op, Value buffer, AffineMap map,
                          int64_t mostStride) {
  auto type = cast<ShapedType>(buffer.getType());
  // Complex numbers may begin at their second half.
  if (anchor && isa<ComplexType>(type.getElementType()))
    return;
  auto first = getFirstElement(type, map);
  ShapedType anchorType;
  AffineMap anchorMap;
  if (anchor) {
    auto [anchored, place] = getPlace(anchor);
    anchorType = cast<ShapedType>(anchored.getType());
    anchorMap = place;
  }
  if (anchor && first)
    first = subtract(*first, getFirstElement(anchorType, anchorMap));
  if (!first)
    return;
  int64_t rest = getConstantTerm(*first) % lanes,
          shift = rest < 0 ? rest + lanes : rest;
  // What a fold loads is aligned, or loaded element by element.
  if (shift != 0 && isa_and_nonnull<ReadOp>(anchor))
    return;
  if (shift != 0)
    mostStride = isa<ReadOp>(op) ? 1 : 0;
  SmallVector<SizeExpr> needed(multiples);
  if (!needsMultiple(first->add(SizeExpr::constant(type.getContext(), -shift)),
                     needed))
    return;
  auto isLoaded = [&](SizeExpr stride) {
    int64_t step = stride.getConstant().value_or(0);
    return 1 <= step && step <= mostStride;
  };
  // The map's inputs after the dimensions are indices that are read.
  for (unsigned other = 0; other < map.getNumDims(); ++other) {
    auto stride = getElementStride(type, map, other);
    if (stride && anchor && other != dim)
      stride =
          subtract(*stride, getElementStride(anchorType, anchorMap, other));
    if (!stride ||
        (other == dim ? !isLoaded(*stride) : !needsMultiple(*stride, needed)))
      return;
  }
  if (shift != 0)
    shifts[op] = shift;
  else
    accesses.insert(op);
  buffers.insert(buffer);
  multiples = needed;
}

unsigned VectorAlignment::getBytes(Type elementType) const {
  return std::min(kMostBytes, lanes * getElementBytes(elementType));
}
