//===- DecomposeStridedInputs.cpp - tc-decompose-strided-inputs -----------===//

#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSESTRIDEDINPUTSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

//===----------------------------------------------------------------------===//
// Divisors of strides
//===----------------------------------------------------------------------===//

/// A product: its constant and the other factors.
static std::pair<int64_t, SmallVector<Attribute>> getProduct(SizeExpr expr) {
  if (expr.isConstant())
    return {expr.getValue(), {}};
  if (expr.getKind() == SizeExprKind::Product)
    return {expr.getValue(), llvm::to_vector(expr.getOperands())};
  return {1, {expr}};
}

/// `dividend / divisor` where that has no remainder for any values of the
/// symbols; nothing where it may have one.
static std::optional<SizeExpr> divideExactly(SizeExpr dividend,
                                             SizeExpr divisor) {
  if (divisor == dividend)
    return SizeExpr::constant(dividend.getContext(), 1);
  auto [constant, factors] = getProduct(dividend);
  auto [divisorConstant, divisorFactors] = getProduct(divisor);
  if (divisorConstant < 1)
    return std::nullopt;
  if (divisorFactors.empty()) {
    SizeExpr quotient = dividend.floorDiv(divisorConstant);
    return quotient.mul(divisorConstant) == dividend ? std::optional(quotient)
                                                     : std::nullopt;
  }
  for (Attribute factor : divisorFactors) {
    auto *found = llvm::find(factors, factor);
    if (found == factors.end())
      return std::nullopt;
    factors.erase(found);
  }
  if (constant % divisorConstant != 0)
    return std::nullopt;
  SizeExpr quotient =
      SizeExpr::constant(dividend.getContext(), constant / divisorConstant);
  for (Attribute factor : factors)
    quotient = quotient.mul(cast<SizeExpr>(factor));
  return quotient;
}

/// A divisor of both, the greatest that is known.
static std::optional<SizeExpr> getCommonDivisor(SizeExpr a, SizeExpr b) {
  if (divideExactly(b, a))
    return a;
  if (a.isConstant() && b.isConstant())
    return SizeExpr::constant(a.getContext(),
                              std::gcd(a.getValue(), b.getValue()));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The memory of an input
//===----------------------------------------------------------------------===//

namespace {
/// How a strided input is in its memory, a row-major tensor: the dimensions of
/// the memory are those of the input from the largest stride to the smallest,
/// then perhaps one more, of which the input has the first element.
class StorageLayout {
public:
  StorageLayout(BlockArgument input, ArrayRef<SizeExpr> strides,
                SizeFacts facts)
      : input(input), sizes(getSizes(cast<ShapedType>(input.getType()))),
        strides(strides), facts(withElements(std::move(facts), sizes)),
        prover(this->facts), one(SizeExpr::constant(input.getContext(), 1)) {}

  /// Whether strides say nothing, as the input has one element or none, or say
  /// that it is row-major.
  bool isRowMajor() const;
  /// Finds the layout; else `reason` says why there is none.
  LogicalResult find();
  /// The input's elements in its order.
  Value createViews(OpBuilder &builder) const;

  std::string reason;

private:
  /// The facts, and that the input has elements.
  static SizeFacts withElements(SizeFacts facts, ArrayRef<SizeExpr> sizes);
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }
  LogicalResult sortDims();
  LogicalResult addDim(unsigned position);
  bool isGivenByStrides(SizeExpr expr) const;

  BlockArgument input;
  Sizes sizes;
  ArrayRef<SizeExpr> strides;
  SizeFacts facts;
  SizeProver prover;
  SizeExpr one;
  /// Dimensions of the input, from the largest stride to the smallest, without
  /// those of size 1.
  SmallVector<unsigned> order;
  /// Of the memory: its sizes, the number of elements that the input has along
  /// each dimension, and its step there.
  Sizes widths, counts;
  SmallVector<int64_t> steps;
  /// Expressions that are at least 0 where elements do not overlap.
  SmallVector<SizeExpr> guards;
  /// The stride of the last of `widths`.
  SizeExpr unit;
};
} // namespace

SizeFacts StorageLayout::withElements(SizeFacts facts,
                                      ArrayRef<SizeExpr> sizes) {
  for (SizeExpr size : sizes)
    if (!size.isConstant())
      facts.assume({"", size, SizeRelation::AtLeast, "",
                    SizeExpr::constant(size.getContext(), 1), SizeExpr()});
  return facts;
}

bool StorageLayout::isRowMajor() const {
  SizeExpr expected = one;
  bool matches = true;
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(sizes, strides))) {
    if (size.isConstant(0))
      return true;
    matches &= size.isConstant(1) || stride == expected;
    expected = expected.mul(size);
  }
  return matches;
}

/// Sorts by strides, of which any two are comparable.
LogicalResult StorageLayout::sortDims() {
  for (auto [dim, size, stride] : llvm::enumerate(sizes, strides)) {
    if (size.isConstant(1))
      continue;
    if (stride.isConstant(0))
      return fail("stride 0 of dimension " + Twine(dim) +
                  " repeats elements, which not every input does");
    auto *place = order.end();
    while (place != order.begin()) {
      SizeExpr inner = strides[*std::prev(place)];
      if (prover.isAtMost(stride, inner))
        break;
      if (!prover.isAtMost(inner, stride))
        return fail("which of the strides " + stride.str() + " and " +
                    inner.str() + " is larger is not known");
      --place;
    }
    order.insert(place, dim);
  }
  return success();
}

/// The symbols of the sizes of all arguments.
static llvm::StringSet<> getSizeSymbols(Block &entry) {
  llvm::StringSet<> symbols;
  for (BlockArgument argument : entry.getArguments())
    for (SizeExpr size : getSizes(cast<ShapedType>(argument.getType())))
      size.walkSymbols([&](StringRef name) { symbols.insert(name); });
  return symbols;
}

/// Whether a symbol of the expression is in no size of an argument.
bool StorageLayout::isGivenByStrides(SizeExpr expr) const {
  llvm::StringSet<> ofSizes = getSizeSymbols(*input.getOwner());
  bool isGiven = false;
  expr.walkSymbols([&](StringRef name) { isGiven |= !ofSizes.contains(name); });
  return isGiven;
}

/// Adds the dimension of the input at `position` of the order, within one
/// element of the dimension before it.
LogicalResult StorageLayout::addDim(unsigned position) {
  unsigned dim = order[position];
  SizeExpr size = sizes[dim], stride = strides[dim];
  bool isLast = position + 1 == order.size();
  auto next = getCommonDivisor(stride, unit);
  if (!next && isLast && stride.isConstant())
    next = one;
  auto width = next ? divideExactly(unit, *next) : std::nullopt;
  auto step = next ? divideExactly(stride, *next) : std::nullopt;
  if (!width || !step || !step->isConstant())
    return fail("stride " + unit.str() + " is not known to be a multiple of " +
                stride.str());
  int64_t every = step->getValue();
  SizeExpr room = width->add(every - 1).sub(size.mul(every));
  bool fits = prover.isAtMost(size.mul(every), width->add(every - 1));
  if (!fits && isGivenByStrides(*width))
    guards.push_back(room); // a copy of the input can have such a stride
  else if (!fits)
    return fail(size.str() + " elements of stride " + stride.str() +
                " are not known to fit into a stride of " +
                strides[order[position - 1]].str());
  widths.push_back(*width);
  counts.push_back(size);
  steps.push_back(every);
  unit = *next;
  return success();
}

LogicalResult StorageLayout::find() {
  if (failed(sortDims()))
    return failure();
  if (order.empty())
    return success();
  widths.push_back(sizes[order.front()]);
  counts.push_back(sizes[order.front()]);
  steps.push_back(1);
  unit = strides[order.front()];
  for (unsigned position = 1; position < order.size(); ++position)
    if (failed(addDim(position)))
      return failure();
  if (unit == one)
    return success();
  // The first of as many elements.
  widths.push_back(unit);
  counts.push_back(one);
  steps.push_back(1);
  return success();
}

Value StorageLayout::createViews(OpBuilder &builder) const {
  Location loc = input.getLoc();
  Type element = cast<ShapedType>(input.getType()).getElementType();
  TensorBuilder b(builder, loc);
  for (SizeExpr room : guards)
    GuardOp::create(builder, loc, GuardKind::Scalar, ValueRange(),
                    IntegerAttr(), Attribute(), room,
                    builder.getI64IntegerAttr(0),
                    builder.getI64IntegerAttr(INT64_MAX), IntegerAttr(),
                    builder.getStringAttr("strides of argument " +
                                          Twine(input.getArgNumber())));
  Value view = InputStorageOp::create(builder, loc,
                                      getTensorType(widths, element), input);
  if (widths != counts || !llvm::all_equal(steps) ||
      (!steps.empty() && steps.front() != 1)) {
    Sizes offsets(widths.size(), SizeExpr::constant(builder.getContext(), 0));
    view =
        SliceOp::create(builder, loc, getTensorType(counts, element), view,
                        SizesAttr::get(builder.getContext(), offsets), steps);
  }
  view = b.reshape(view, ArrayRef(counts).take_front(order.size()));
  SmallVector<int64_t> dims(order.begin(), order.end());
  llvm::sort(dims);
  view = b.transpose(view, llvm::map_to_vector(dims, [&](int64_t dim) {
                       return int64_t(llvm::find(order, dim) - order.begin());
                     }));
  return b.reshape(view, sizes); // with the dimensions of size 1
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class DecomposeStridedInputsPass
    : public tc::impl::TCDecomposeStridedInputsPassBase<
          DecomposeStridedInputsPass> {
public:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    for (BlockArgument argument : function.getArguments())
      decompose(argument);
  }

private:
  void decompose(BlockArgument argument) {
    func::FuncOp function = getOperation();
    unsigned number = argument.getArgNumber();
    std::optional<Sizes> strides = getInputStrides(function, number);
    if (!strides)
      return;
    StorageLayout layout(argument, *strides, SizeFacts(function));
    bool isRowMajor = layout.isRowMajor();
    if (isRowMajor || failed(layout.find())) {
      if (!isRowMajor)
        remark::missed(function.getLoc(), getRemarkOptions())
            << ("argument " + Twine(number) +
                " is expected in row-major order: " + layout.reason)
                   .str();
      removeStrides(argument, *strides);
      return;
    }
    if (isDecomposed(argument))
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
    Value view = layout.createViews(builder);
    argument.replaceUsesWithIf(view, [](OpOperand &use) {
      return !isa<GuardOp, InputStorageOp>(use.getOwner());
    });
    remark::passed(function.getLoc(), getRemarkOptions())
        << ("argument " + Twine(number) + " is read where it is").str();
  }

  remark::RemarkOpts getRemarkOptions() {
    return remark::RemarkOpts::name("tc-decompose-strided-inputs")
        .category("tc-decompose")
        .function(getOperation().getName());
  }

  /// Removes the strides, and the symbols that only they give a value.
  void removeStrides(BlockArgument argument, ArrayRef<SizeExpr> strides) {
    func::FuncOp function = getOperation();
    function.removeArgAttr(argument.getArgNumber(), kStridesAttr);
    auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
    if (!declared)
      return;
    llvm::StringSet<> given = getSizeSymbols(*argument.getOwner()), lost;
    auto addTo = [](llvm::StringSet<> &symbols, ArrayRef<SizeExpr> of) {
      for (SizeExpr stride : of)
        stride.walkSymbols([&](StringRef name) { symbols.insert(name); });
    };
    for (unsigned other = 0; other < function.getNumArguments(); ++other)
      if (std::optional<Sizes> kept = getInputStrides(function, other))
        addTo(given, *kept);
    addTo(lost, strides);
    SmallVector<Attribute> symbols;
    for (auto symbol : declared.getAsRange<tc::SymbolAttr>())
      if (given.contains(symbol.getName()) || !lost.contains(symbol.getName()))
        symbols.push_back(symbol);
    function->removeAttr(kSymbolsAttr);
    if (!symbols.empty())
      function->setAttr(kSymbolsAttr,
                        ArrayAttr::get(function.getContext(), symbols));
  }

  /// Whether there is nothing to do, as after the pass has run.
  static bool isDecomposed(BlockArgument argument) {
    return llvm::all_of(argument.getUsers(),
                        llvm::IsaPred<GuardOp, InputStorageOp>);
  }
};
} // namespace
