//===- SizeOverflow.cpp - Sizes that 64 bits hold -------------------------===//

#include "SizeOverflow.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include <cmath>

using namespace mlir;
using namespace tc;

/// The bound on the magnitude of every size expression, which leaves room for
/// the roundings and ends that code adds to it.
static constexpr unsigned kMagnitudeBits = 62;

SizeOverflow::SizeOverflow(FunctionOpInterface function, HostBuilder &host,
                           SizeValues &sizes)
    : function(function), host(host), sizes(sizes) {
  if (auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
    llvm::append_range(symbols, declared.getAsRange<tc::SymbolAttr>());
  if (symbols.empty())
    return;
  for (BlockArgument argument : function.getArguments())
    addType(argument.getType(), function.getLoc());
  function->walk([&](Operation *op) {
    auto addAttribute = [&](Attribute attribute) {
      if (auto expr = dyn_cast<SizeExpr>(attribute))
        add(expr, isa<ArenaOp>(op) ? "the bytes of the intermediates, " : "",
            op->getLoc());
    };
    for (NamedAttribute attribute : op->getAttrs()) {
      addAttribute(attribute.getValue());
      if (auto array = dyn_cast<ArrayAttr>(attribute.getValue()))
        llvm::for_each(array, addAttribute);
    }
    for (Type type : op->getResultTypes())
      addType(type, op->getLoc());
  });
}

void SizeOverflow::add(SizeExpr expr, StringRef what, Location location) {
  if (!expr.isConstant() && added.insert(expr).second)
    pending.push_back({expr, what.str(), location});
}

/// Adds the sizes of a buffer and their product in bytes.
void SizeOverflow::addType(Type type, Location location) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || shaped.hasStaticShape())
    return;
  Sizes dims = getSizes(shaped);
  for (SizeExpr size : dims)
    add(size, "", location);
  add(getElementCount(dims, type.getContext())
          .mul(getElementBytes(shaped.getElementType())),
      "the bytes of a tensor, ", location);
}

/// A bound on the magnitude of `expr` and of all that is computed on the way,
/// where every symbol is below 2^`bits`; infinity where it is too large.
static double getMagnitude(SizeExpr expr,
                           const llvm::StringMap<double> &largest) {
  SmallVector<double, 4> parts;
  for (Attribute operand : expr.getOperands())
    parts.push_back(getMagnitude(cast<SizeExpr>(operand), largest));
  double result = std::abs(double(expr.getValue()));
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
    break;
  case SizeExprKind::Symbol:
    result = largest.lookup(expr.getSymbol().getValue());
    break;
  case SizeExprKind::Sum:
    for (double part : parts)
      result += part;
    break;
  case SizeExprKind::Product:
    for (double part : parts)
      result *= std::max(part, 1.0);
    break;
  default: // no larger than an operand, or the divisor
    result = *std::max_element(parts.begin(), parts.end()) + 1;
    break;
  }
  return result < std::ldexp(1.0, kMagnitudeBits) ? result : INFINITY;
}

/// Whether nothing overflows where every symbol is in its range and below
/// 2^`bits`.
bool SizeOverflow::fits(unsigned bits) const {
  llvm::StringMap<double> largest;
  for (tc::SymbolAttr symbol : symbols)
    largest[symbol.getName()] =
        std::min(double(symbol.getMax()), std::ldexp(1.0, bits));
  return llvm::all_of(uses, [&](const Use &use) {
    return std::isfinite(getMagnitude(use.expr, largest));
  });
}

void SizeOverflow::emit() {
  uses.clear();
  llvm::erase_if(pending, [&](const Use &use) {
    bool isComputed = sizes.canEvaluate(use.expr);
    if (isComputed)
      uses.push_back(use);
    return isComputed;
  });
  if (uses.empty() || fits(63))
    return;
  unsigned bits = kMagnitudeBits;
  while (bits > 0 && !fits(bits))
    --bits;
  if (bits == 0)
    return emitExact();
  Value all;
  for (tc::SymbolAttr symbol : symbols) {
    SizeExpr name = SizeExpr::named(host.context(), symbol.getName());
    if (!sizes.canEvaluate(name) || symbol.getMax() < (int64_t(1) << bits))
      continue;
    Value value = sizes.of(name);
    all = all ? Value(LLVM::OrOp::create(host.get(), host.getLoc(), all, value))
              : value;
  }
  host.branch(
      host.compare(LLVM::ICmpPredicate::ult, all, host.i64(int64_t(1) << bits)),
      [] {}, [&] { emitExact(); });
}

/// " where s0 is {0} and s1 is {1}": a report has room for two.
static std::string describeSymbols(ArrayRef<StringRef> names) {
  std::string text = " where " + names[0].str() + " is {0}";
  if (names.size() > 1)
    text += " and " + names[1].str() + " is {1}";
  return text;
}

void SizeOverflow::emitExact() {
  computed.clear(); // it is in another block
  for (const Use &use : uses) {
    host.setLoc(use.location);
    Watched watched = compute(use.expr);
    if (!watched.overflows)
      continue;
    SmallVector<StringRef> names;
    use.expr.walkSymbols([&](StringRef name) {
      if (!llvm::is_contained(names, name))
        names.push_back(name);
    });
    Value zero = LLVM::ConstantOp::create(host.get(), host.getLoc(),
                                          host.get().getI1Type(), false);
    host.check(
        host.equal(watched.overflows, zero),
        {TC_STATUS_GUARD_FAILED,
         "'" + function.getName().str() + "' computes " +
             (use.what.empty() ? "the size " : use.what) + use.expr.str() +
             ", beyond 64 bits" + describeSymbols(names),
         sizes.of(SizeExpr::named(host.context(), names[0])),
         names.size() > 1 ? sizes.of(SizeExpr::named(host.context(), names[1]))
                          : Value(),
         use.location});
  }
  host.setLoc(function.getLoc());
}

/// Adds or multiplies the operands and the value of `expr`.
SizeOverflow::Watched SizeOverflow::fold(SizeExpr expr, StringRef intrinsic) {
  OpBuilder &builder = host.get();
  Location loc = host.getLoc();
  Type pair = LLVM::LLVMStructType::getLiteral(
      host.context(), {builder.getI64Type(), builder.getI1Type()});
  SmallVector<Watched> parts;
  for (Attribute operand : expr.getOperands())
    parts.push_back(compute(cast<SizeExpr>(operand)));
  bool isSum = expr.getKind() == SizeExprKind::Sum;
  if (expr.getValue() != (isSum ? 0 : 1))
    parts.push_back({host.i64(expr.getValue()), Value()});
  Watched result = parts.front();
  for (const Watched &part : ArrayRef(parts).drop_front()) {
    Value both = LLVM::CallIntrinsicOp::create(
                     builder, loc, pair, builder.getStringAttr(intrinsic),
                     ValueRange{result.value, part.value})
                     .getResults();
    Value overflows = LLVM::ExtractValueOp::create(builder, loc, both, 1);
    for (Value before : {result.overflows, part.overflows})
      if (before)
        overflows = host.disjunction(overflows, before);
    result = {LLVM::ExtractValueOp::create(builder, loc, both, 0), overflows};
  }
  return result;
}

SizeOverflow::Watched SizeOverflow::compute(SizeExpr expr) {
  if (auto known = computed.find(expr); known != computed.end())
    return known->second;
  Watched result;
  if (expr.isConstant() || expr.getKind() == SizeExprKind::Symbol) {
    result = {sizes.of(expr), Value()};
  } else if (expr.getKind() == SizeExprKind::Sum) {
    result = fold(expr, "llvm.sadd.with.overflow");
  } else if (expr.getKind() == SizeExprKind::Product) {
    result = fold(expr, "llvm.smul.with.overflow");
  } else {
    SmallVector<Value> operands;
    for (Attribute operand : expr.getOperands()) {
      Watched part = compute(cast<SizeExpr>(operand));
      operands.push_back(part.value);
      if (part.overflows)
        result.overflows = result.overflows ? host.disjunction(result.overflows,
                                                               part.overflows)
                                            : part.overflows;
    }
    result.value = sizes.combine(expr.getKind(), operands);
  }
  return computed[expr] = result;
}
