//===- SizePreconditions.cpp - What ops need of their sizes ---------------===//

#include "TC/Dialect/TC/IR/SizePreconditions.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "TC/Dialect/TC/IR/TCOps.h"

using namespace mlir;
using namespace tc;

SizePrecondition SizePrecondition::atLeast(const Twine &subject, SizeExpr value,
                                           int64_t bound, SizeExpr where) {
  return {subject.str(),
          value,
          SizeRelation::AtLeast,
          "",
          SizeExpr::constant(value.getContext(), bound),
          where};
}

SizePrecondition SizePrecondition::atMost(const Twine &subject, SizeExpr value,
                                          const Twine &reference,
                                          SizeExpr bound, SizeExpr where) {
  return {subject.str(),   value, SizeRelation::AtMost,
          reference.str(), bound, where};
}

SizePrecondition SizePrecondition::equal(const Twine &subject, SizeExpr value,
                                         const Twine &reference,
                                         SizeExpr bound) {
  return {subject.str(), value, SizeRelation::Equal, reference.str(), bound};
}

SizePrecondition SizePrecondition::multipleOf(const Twine &subject,
                                              SizeExpr value,
                                              const Twine &reference,
                                              int64_t bound) {
  return {subject.str(), value, SizeRelation::MultipleOf, reference.str(),
          SizeExpr::constant(value.getContext(), bound)};
}

std::optional<bool> SizePrecondition::decide() const {
  if (where && where.isConstant() && where.getValue() < 1)
    return true;
  std::optional<bool> holds;
  SizeExpr difference = value.sub(bound);
  std::optional<int64_t> constant = difference.getConstant();
  if (relation == SizeRelation::MultipleOf) {
    if (std::optional<int64_t> rest = value.mod(bound).getConstant())
      holds = *rest == 0;
  } else if (constant) {
    holds = relation == SizeRelation::AtLeast  ? *constant >= 0
            : relation == SizeRelation::AtMost ? *constant <= 0
                                               : *constant == 0;
  } else if (relation == SizeRelation::Equal && isPolynomial(difference) &&
             !isDataDependent(difference)) {
    // Of what depends on data, only the call knows what is equal.
    holds = false;
  }
  // What never holds may still not be asked for.
  bool isAsked = !where || where.isConstant();
  return holds == false && !isAsked ? std::nullopt : holds;
}

bool SizePrecondition::holds(int64_t value, int64_t bound,
                             int64_t where) const {
  if (where < 1)
    return true;
  switch (relation) {
  case SizeRelation::AtLeast:
    return value >= bound;
  case SizeRelation::AtMost:
    return value <= bound;
  case SizeRelation::Equal:
    return value == bound;
  case SizeRelation::MultipleOf:
    return bound != 0 && bound != -1 ? value % bound == 0 : bound == -1;
  }
  llvm_unreachable("a relation without a meaning");
}

static StringRef getWords(SizeRelation relation) {
  switch (relation) {
  case SizeRelation::AtLeast:
    return " of at least ";
  case SizeRelation::AtMost:
    return " of at most ";
  case SizeRelation::Equal:
    return " to be ";
  case SizeRelation::MultipleOf:
    return " to be a multiple of ";
  }
  llvm_unreachable("a relation without words");
}

std::string
SizePrecondition::describe(function_ref<std::string(SizeExpr)> valueOf) const {
  auto show = [&](SizeExpr expr) {
    std::string number = expr.isConstant() ? "" : valueOf(expr);
    return number.empty() ? expr.str() : expr.str() + " = " + number;
  };
  std::string text = "expects " + subject + getWords(relation).str();
  if (!reference.empty())
    text += reference + ", ";
  return text + show(bound) + ", but it is " + show(value);
}

SmallVector<SizeExpr, 3> SizePrecondition::getExpressions() const {
  SmallVector<SizeExpr, 3> expressions{value, bound};
  if (where)
    expressions.push_back(where);
  return expressions;
}

LogicalResult tc::verifySizePreconditions(Operation *op) {
  for (const SizePrecondition &condition :
       cast<SizePreconditionsOpInterface>(op).getSizePreconditions())
    if (condition.decide() == false)
      return op->emitOpError() << condition.describe();
  return success();
}

/// Adds that every divisor in `expr` is at least 1.
static void requireDivisors(SizeExpr expr,
                            SmallVectorImpl<SizePrecondition> &conditions) {
  for (Attribute operand : expr.getOperands())
    requireDivisors(cast<SizeExpr>(operand), conditions);
  if (expr.getKind() != SizeExprKind::FloorDiv &&
      expr.getKind() != SizeExprKind::Mod)
    return;
  auto divisor = cast<SizeExpr>(expr.getOperands()[1]);
  if (!divisor.isConstant() || divisor.getValue() < 1)
    conditions.push_back(
        SizePrecondition::atLeast("the divisor in " + expr.str(), divisor, 1));
}

SmallVector<SizePrecondition> tc::getAllSizePreconditions(Operation *op) {
  SmallVector<SizePrecondition> divisors, negative;
  for (NamedAttribute attribute : op->getAttrs()) {
    if (auto expr = dyn_cast<SizeExpr>(attribute.getValue()))
      requireDivisors(expr, divisors);
    else if (auto sizes = dyn_cast<SizesAttr>(attribute.getValue()))
      for (SizeExpr size : sizes.getSizes())
        requireDivisors(size, divisors);
  }
  for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.hasStaticShape() || !hasKnownSizes(tensor))
      continue;
    std::string result = op->getNumResults() == 1
                             ? "the result"
                             : "result " + std::to_string(index);
    for (auto [dim, size] : llvm::enumerate(getSizes(tensor))) {
      if (size.isConstant() || size.getKind() == SizeExprKind::Symbol)
        continue; // a symbol's range starts at 0 or above
      requireDivisors(size, divisors);
      negative.push_back(SizePrecondition::atLeast(
          "size " + Twine(dim) + " of " + result, size, 0));
    }
  }
  // Nothing is divided by before it is checked, and what the op says of its
  // sizes says more than that they are not negative.
  SmallVector<SizePrecondition> conditions = std::move(divisors);
  if (auto user = dyn_cast<SizePreconditionsOpInterface>(op))
    llvm::append_range(conditions, user.getSizePreconditions());
  llvm::append_range(conditions, negative);
  return conditions;
}
