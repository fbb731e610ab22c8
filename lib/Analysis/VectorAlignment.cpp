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

static ShapedType getType(WriteOp write) {
  return cast<ShapedType>(write.getDestination().getType());
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
  if (anchor && first)
    first = subtract(*first, getFirstElement(getType(anchor), anchor.getMap()));
  if (!first)
    return;
  int64_t rest = getConstantTerm(*first) % lanes,
          shift = rest < 0 ? rest + lanes : rest;
  if (shift != 0)
    mostStride = isa<ReadOp>(op) ? 1 : 0;
  SmallVector<SizeExpr> needed(multiples);
  if (!needsMultiple(
          first->add(SizeExpr::constant(type.getContext(), -shift)), needed))
    return;
  auto isLoaded = [&](SizeExpr stride) {
    int64_t step = stride.getConstant().value_or(0);
    return 1 <= step && step <= mostStride;
  };
  // The map's inputs after the dimensions are indices that are read.
  for (unsigned other = 0; other < map.getNumDims(); ++other) {
    auto stride = getElementStride(type, map, other);
    if (stride && anchor && other != dim)
      stride = subtract(
          *stride, getElementStride(getType(anchor), anchor.getMap(), other));
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
