//===- ElementwiseRows.cpp - rows of the elementwise table ----------------===//

#include "ElementwiseRows.h"
#include "Aliases.h"
#include "Elementwise.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tc;

namespace tc {
#include "TC/Dialect/TC/IR/ElementwiseAten.inc"
} // namespace tc

namespace tc::aten {

static const ElementwiseAtenRow *findRow(StringRef overload) {
  overload.consume_front("aten.");
  std::string target = "aten." + getMeaning(overload);
  const auto *row =
      llvm::lower_bound(elementwiseAtenRows, target,
                        [](const ElementwiseAtenRow &row, StringRef name) {
                          return row.overload < name;
                        });
  bool found = row != std::end(elementwiseAtenRows) && row->overload == target;
  return found ? row : nullptr;
}

/// Whether the row's op computes on this element type.
static bool takes(const ElementwiseAtenRow &row, Type element) {
  if (isa<FloatType>(element))
    return row.takesFloat;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return false;
  if (integer.getWidth() == 1)
    return row.takesBool;
  return integer.isUnsigned() ? row.takesUnsigned : row.takesSigned;
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Pattern: a call of the elementwise table -> casts, broadcasts and its op.
LogicalResult convertRow(AtenCall &call) {
  const ElementwiseAtenRow &row = *findRow(call.getTarget());
  SmallVector<Operand> operands;
  for (unsigned i = 0; i < row.operandCount; ++i)
    operands.push_back(call.getOperand(call.getSchema().arguments[i].name));
  Type element = promoteOperands(operands);
  if (!takes(row, element) && isa<IntegerType>(element))
    element = row.takesFloat && !row.takesSigned
                  ? Type(call.builder.getF32Type())
                  : Type(call.builder.getIntegerType(8));
  if (!takes(row, element))
    return call.refuse("operands of element type " + toText(element));
  Sizes sizes = getSizes(call.getResultType());
  SmallVector<Value> values;
  for (const Operand &operand : operands)
    values.push_back(call.materialize(operand, element, sizes));
  if (call.hasFailed())
    return failure();
  return call.replace(row.build(call.builder, call.location, values));
}

void addElementwiseRows(AtenTable &table) {
  for (const ElementwiseAtenRow &row : elementwiseAtenRows) {
    StringRef overload = row.overload;
    overload.consume_front("aten.");
    table.add(overload, convertRow);
  }
}

} // namespace tc::aten
