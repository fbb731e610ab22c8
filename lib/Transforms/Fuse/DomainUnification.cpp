//===- DomainUnification.cpp - One domain for two kernels -----------------===//
//
// Both kernels' dimensions are variables of one affine space. An element that
// the second kernel reads of the first one's result gives equations between
// them; each equation is solved for one variable, which must then be a
// bijective (mixed radix) combination of others. What is left are the
// dimensions of the merged domain.
//
//===----------------------------------------------------------------------===//

#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelMerging.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

/// Dimensions, each behind its stride in a sum.
using StridedDims = SmallVector<std::pair<int64_t, unsigned>>;

namespace {
class Unification {
public:
  Unification(KernelOp first, KernelOp second)
      : first(first), second(second), numFirst(first.getNumDims()),
        numVariables(numFirst + second.getNumDims()),
        context(first.getContext()), values(numVariables) {
    for (unsigned variable = 0; variable < numVariables; ++variable)
      values[variable] = getAffineDimExpr(variable, context);
    // Both kernels' symbols, numbered together.
    for (Attribute symbol : first.getSymbols())
      symbols.push_back(symbol);
    for (Attribute symbol : second.getSymbols())
      if (!llvm::is_contained(symbols, symbol))
        symbols.push_back(symbol);
    SmallVector<IndexRange> ranges, symbolRanges;
    for (unsigned variable = 0; variable < numVariables; ++variable) {
      IndexRange size = getSizeRange(first, sizeOf(variable));
      ranges.push_back({0, size.high ? std::optional<int64_t>(
                                           std::max<int64_t>(*size.high - 1, 0))
                                     : std::nullopt});
    }
    for (Attribute symbol : symbols)
      symbolRanges.push_back(getSizeRange(first, cast<SizeExprAttr>(symbol)));
    simplifier.emplace(context, ranges, symbolRanges);
  }

  llvm::Error linkResults();
  void matchSharedReads();
  void matchRows();
  bool isFullyMatched() const {
    for (unsigned dim = 0; dim < numFirst; ++dim)
      if (!isSolved(dim))
        return false;
    for (unsigned dim = numFirst; dim < numVariables; ++dim)
      if (!isUsed(dim))
        return false;
    return true;
  }
  llvm::Expected<MergedDomain> build();

private:
  DimAttr dimOf(unsigned variable) const {
    return variable < numFirst
               ? const_cast<KernelOp &>(first).getDim(variable)
               : const_cast<KernelOp &>(second).getDim(variable - numFirst);
  }
  SizeExprAttr sizeOf(unsigned variable) const {
    return dimOf(variable).getSize();
  }
  bool isSolved(unsigned variable) const {
    return values[variable] != getAffineDimExpr(variable, context);
  }
  /// Whether a solved variable's value uses this one.
  bool isUsed(unsigned variable) const {
    for (unsigned other = 0; other < numVariables; ++other)
      if (isSolved(other) && values[other].isFunctionOfDim(variable))
        return true;
    return false;
  }

  /// An expression of one kernel in the variables, as solved so far.
  AffineExpr place(AffineExpr expr, bool isFirst) const;
  llvm::Error equate(AffineExpr left, AffineExpr right);
  bool trySolve(AffineExpr variable, AffineExpr value);
  bool trySolveDigits(AffineExpr left, AffineExpr right);
  std::optional<SizeExprAttr> getMixedRadixSize(const StridedDims &terms) const;
  bool isBijection(unsigned variable, AffineExpr value) const;

  KernelOp first, second;
  unsigned numFirst, numVariables;
  MLIRContext *context;
  SmallVector<AffineExpr> values;
  SmallVector<Attribute> symbols;
  std::optional<IndexSimplifier> simplifier;
};
} // namespace

AffineExpr Unification::place(AffineExpr expr, bool isFirst) const {
  KernelOp kernel = isFirst ? first : second;
  ArrayRef<AffineExpr> dims = isFirst ? ArrayRef(values).take_front(numFirst)
                                      : ArrayRef(values).drop_front(numFirst);
  SmallVector<AffineExpr> placed;
  for (Attribute symbol : const_cast<KernelOp &>(kernel).getSymbols())
    placed.push_back(getAffineSymbolExpr(
        llvm::find(symbols, symbol) - symbols.begin(), context));
  return simplifier->simplify(expr.replaceDimsAndSymbols(dims, placed));
}

/// `expr`, a sum of dimensions times strides, as these strides and dimensions,
/// the smallest stride first; nothing where it is something else.
static std::optional<StridedDims> getStridedDims(AffineExpr expr) {
  StridedDims terms;
  SmallVector<AffineExpr> worklist{expr};
  while (!worklist.empty()) {
    AffineExpr part = worklist.pop_back_val();
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      terms.emplace_back(1, dim.getPosition());
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary)
      return std::nullopt;
    if (binary.getKind() == AffineExprKind::Add) {
      worklist.push_back(binary.getLHS());
      worklist.push_back(binary.getRHS());
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
    auto stride = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (binary.getKind() != AffineExprKind::Mul || !dim || !stride)
      return std::nullopt;
    terms.emplace_back(stride.getValue(), dim.getPosition());
  }
  llvm::sort(terms);
  return terms;
}

/// How many numbers the sum of `terms` takes, each at one point, where each
/// stride is the product of the sizes of the dimensions before it; nothing
/// where it is not.
std::optional<SizeExprAttr>
Unification::getMixedRadixSize(const StridedDims &terms) const {
  SizeExprAttr product = SizeExprAttr::constant(context, 1);
  for (auto [stride, dim] : terms) {
    if (!product.isConstant(stride))
      return std::nullopt;
    product = product.mul(sizeOf(dim));
  }
  return product;
}

/// Whether `value` takes each number in [0, size of variable) exactly once over
/// the points of the dimensions in it.
bool Unification::isBijection(unsigned variable, AffineExpr value) const {
  if (auto dim = dyn_cast<AffineDimExpr>(value))
    return sizeOf(dim.getPosition()) == sizeOf(variable);
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return constant.getValue() == 0 && sizeOf(variable).isConstant(1);
  auto terms = getStridedDims(value);
  return terms && getMixedRadixSize(*terms) == sizeOf(variable);
}

bool Unification::trySolve(AffineExpr variable, AffineExpr value) {
  auto dim = dyn_cast<AffineDimExpr>(variable);
  if (!dim || isSolved(dim.getPosition()) || isUsed(dim.getPosition()))
    return false;
  if (value.isFunctionOfDim(dim.getPosition()) ||
      !isBijection(dim.getPosition(), value))
    return false;
  // Each dimension stands for one of the other kernel only.
  for (unsigned other = 0; other < numVariables; ++other)
    if (value.isFunctionOfDim(other) && isUsed(other))
      return false;
  unsigned position = dim.getPosition();
  values[position] = value;
  return true;
}

/// Two numbers of the same digits are equal where all digits are.
bool Unification::trySolveDigits(AffineExpr left, AffineExpr right) {
  auto first = getStridedDims(left), second = getStridedDims(right);
  if (!first || !second || first->size() != second->size() ||
      !getMixedRadixSize(*first) || !getMixedRadixSize(*second))
    return false;
  SmallVector<AffineExpr> before = values;
  for (auto [one, other] : llvm::zip_equal(*first, *second)) {
    AffineExpr a = getAffineDimExpr(one.second, context),
               b = getAffineDimExpr(other.second, context);
    if (one.first == other.first &&
        (a == b || trySolve(a, b) || trySolve(b, a)))
      continue;
    values = before;
    return false;
  }
  return true;
}

llvm::Error Unification::equate(AffineExpr left, AffineExpr right) {
  if (left == right || trySolve(left, right) || trySolve(right, left) ||
      trySolveDigits(left, right))
    return llvm::Error::success();
  return refuse("the consumer reads elements at other points than the producer "
                "computes them");
}

/// The only write of `first` to result `index`, if it is a plain one.
static WriteOp getPlainWrite(KernelOp kernel, unsigned index) {
  WriteOp found;
  for (Operation *user : kernel.getOutArgument(index).getUsers()) {
    auto write = dyn_cast<WriteOp>(user);
    if (!write || found)
      return nullptr;
    found = write;
  }
  if (!found || !found.getIndices().empty() || found.getWithin() ||
      found.getCombine() != CombineKind::Replace)
    return nullptr;
  return found;
}

llvm::Error Unification::linkResults() {
  for (auto [index, input] : llvm::enumerate(second.getIns())) {
    auto result = dyn_cast<OpResult>(input);
    if (!result || result.getOwner() != first)
      continue;
    WriteOp write = getPlainWrite(first, result.getResultNumber());
    if (!write)
      return refuse("the producer does not write each element once");
    for (Operation *user : second.getInArgument(index).getUsers()) {
      auto read = cast<ReadOp>(user);
      if (!read.getIndices().empty() || read.getWithin())
        return refuse("the consumer reads at computed indices or partly "
                      "outside");
      // Equations with one variable on the left first: the others can then be
      // checked against them.
      for (bool isSimple : {true, false})
        for (auto [left, right] : llvm::zip_equal(write.getMap().getResults(),
                                                  read.getMap().getResults())) {
          if (isa<AffineDimExpr>(left) != isSimple)
            continue;
          if (llvm::Error error =
                  equate(place(left, true), place(right, false)))
            return error;
        }
    }
  }
  for (Value out : second.getOuts())
    if (out.getDefiningOp() == first.getOperation())
      return refuse("the consumer updates the producer's result");
  // What the producer writes must be what the consumer reads, no more.
  KernelDims written(first);
  for (unsigned dim : written.written().set_bits())
    if (!isSolved(dim) && !isUsed(dim) && !sizeOf(dim).isConstant(1))
      return refuse("the consumer reads only a part of the result");
  return llvm::Error::success();
}

/// A dimension that only one kernel has is the other's where both read the same
/// buffer: then a row is read once for both.
void Unification::matchSharedReads() {
  for (ReadOp left : first.getBodyBlock().getOps<ReadOp>())
    for (ReadOp right : second.getBodyBlock().getOps<ReadOp>()) {
      if (getOperandOf(first, left.getSource()) !=
              getOperandOf(second, right.getSource()) ||
          !left.getIndices().empty() || !right.getIndices().empty())
        continue;
      SmallVector<std::pair<AffineExpr, AffineExpr>> pairs;
      bool isMatch = true;
      for (auto [a, b] : llvm::zip_equal(left.getMap().getResults(),
                                         right.getMap().getResults())) {
        AffineExpr placedA = place(a, true), placedB = place(b, false);
        if (placedA == placedB)
          continue;
        isMatch &= isa<AffineDimExpr>(placedA) && isa<AffineDimExpr>(placedB);
        pairs.emplace_back(placedA, placedB);
      }
      if (!isMatch)
        continue;
      SmallVector<AffineExpr> before = values;
      for (auto [a, b] : pairs)
        isMatch &= place(a, true) == place(b, false) || trySolve(a, b);
      if (!isMatch)
        values = before;
    }
}

/// A dimension that the first kernel folds is one along which the second has as
/// many points, for all of which the fold is the same: then a row has it once,
/// and not each of its points. The fold differs between points of a dimension
/// that a result of the first kernel has.
void Unification::matchRows() {
  DimSet written = KernelDims(second).written();
  auto isFree = [&](unsigned variable) {
    return !isSolved(variable) && !isUsed(variable);
  };
  // The last first: of two of one size, each is the one in the same order.
  for (unsigned folded = numFirst; folded-- > 0;) {
    if (dimOf(folded).getIterator() != IteratorKind::Reduced)
      continue;
    for (unsigned dim = second.getNumDims(); dim-- > 0;)
      if (written.test(dim) && isFree(numFirst + dim) &&
          sizeOf(numFirst + dim) == sizeOf(folded) &&
          trySolve(getAffineDimExpr(folded, context),
                   getAffineDimExpr(numFirst + dim, context)))
        break;
  }
}

/// Whether `op`, if it is a fold of a kernel whose dimensions are `exprs` in a
/// domain of `rank`, has other dimensions for what it folds than for what its
/// result varies over.
static bool isFoldWhole(Operation &op, const KernelDims &dims,
                        ArrayRef<AffineExpr> exprs, unsigned rank) {
  ArrayRef<int64_t> over = getFoldedDims(&op);
  if (over.empty())
    return true;
  auto getUsed = [&](auto numbers) {
    DimSet used(rank);
    for (auto number : numbers)
      for (unsigned dim = 0; dim < rank; ++dim)
        if (exprs[number].isFunctionOfDim(dim))
          used.set(dim);
    return used;
  };
  return !getUsed(over).anyCommon(getUsed(dims.of(op.getResult(0)).set_bits()));
}

/// Refuses a domain in which a stage of `kernel` would run along no dimension
/// of its own: a scan of flattened dimensions, a fold over a part of one.
static llvm::Error checkStages(KernelOp kernel, ArrayRef<AffineExpr> exprs,
                               unsigned rank) {
  DomainEmbedding embedding;
  embedding.rank = rank;
  embedding.dims.assign(exprs.begin(), exprs.end());
  embedding.numSymbols = kernel.getSymbols().size();
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(
        getAffineSymbolExpr(symbol, kernel.getContext()));
  KernelDims dims(kernel);
  for (Operation &op : kernel.getBodyBlock())
    if (!canEmbed(&op, embedding) || !isFoldWhole(op, dims, exprs, rank))
      return refuse("a stage would run along several dimensions, or a part of "
                    "one");
  return llvm::Error::success();
}

llvm::Expected<MergedDomain> Unification::build() {
  // Values may use variables that were solved later.
  for (unsigned round = 0; round < 2; ++round)
    for (AffineExpr &value : values)
      if (!isa<AffineDimExpr>(value) ||
          isSolved(cast<AffineDimExpr>(value).getPosition()))
        value = simplifier->simplify(value.replaceDims(values));
  MergedDomain merged;
  SmallVector<AffineExpr> numbers(numVariables,
                                  getAffineConstantExpr(0, context));
  llvm::StringSet<> names;
  auto add = [&](unsigned variable) {
    if (isSolved(variable))
      return;
    numbers[variable] = getAffineDimExpr(merged.dims.size(), context);
    DimAttr dim = dimOf(variable);
    std::string name = dim.getName().str();
    for (unsigned suffix = 1; !names.insert(name).second; ++suffix)
      name = dim.getName().str() + std::to_string(suffix);
    merged.dims.push_back(
        DimAttr::get(context, name, dim.getIterator(), dim.getSize()));
  };
  for (unsigned variable = numFirst; variable < numVariables; ++variable)
    add(variable);
  for (unsigned variable = 0; variable < numFirst; ++variable)
    add(variable);
  for (unsigned variable = 0; variable < numVariables; ++variable) {
    AffineExpr expr = values[variable].replaceDims(numbers);
    (variable < numFirst ? merged.first : merged.second).push_back(expr);
  }
  for (auto [kernel, exprs] :
       {std::pair(first, &merged.first), std::pair(second, &merged.second)})
    if (llvm::Error error = checkStages(kernel, *exprs, merged.dims.size()))
      return error;
  return merged;
}

DimSet MergedDomain::usedBy(ArrayRef<AffineExpr> exprs, unsigned rank) {
  DimSet used(rank);
  for (AffineExpr expr : exprs)
    for (unsigned dim = 0; dim < rank; ++dim)
      if (expr.isFunctionOfDim(dim))
        used.set(dim);
  return used;
}

DimSet MergedDomain::image(const DimSet &old, ArrayRef<AffineExpr> exprs,
                           unsigned rank) {
  DimSet used(rank);
  for (unsigned dim : old.set_bits())
    used |= usedBy(exprs[dim], rank);
  return used;
}

double MergedDomain::estimatePoints(KernelOp kernel, const DimSet &used) const {
  double points = 1;
  for (unsigned dim : used.set_bits())
    points *= estimateSize(kernel, dims[dim].getSize());
  return points;
}

llvm::Expected<MergedDomain> tc::unifyDomains(KernelOp first, KernelOp second) {
  Unification unification(first, second);
  if (llvm::Error error = unification.linkResults())
    return error;
  unification.matchSharedReads();
  unification.matchRows();
  return unification.build();
}

llvm::Expected<MergedDomain> tc::unifySiblings(KernelOp first,
                                               KernelOp second) {
  Unification unification(first, second);
  unification.matchSharedReads();
  if (!unification.isFullyMatched())
    return refuse("the kernels have different domains");
  return unification.build();
}
