//===- TCDialect.cpp - Registration of the tc dialect ---------------------===//

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

#include "TC/Dialect/TC/IR/TCDialect.cpp.inc"
#include "TC/Dialect/TC/IR/TCInterfaces.cpp.inc"

void TCDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ContractionOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/DispatchOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ElementwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/IndexOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/KernelOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ModuleOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/NNOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/PoolOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/PreparationOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/RandomOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ReductionOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/RoutineOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/SortScanOps.cpp.inc"
      >();
}

Operation *TCDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (isa<RankedTensorType>(type)) {
    if (auto elements = dyn_cast<ElementsAttr>(value))
      return ConstantOp::create(builder, loc, type, elements);
    return nullptr;
  }
  if (auto typed = dyn_cast<TypedAttr>(value); typed && typed.getType() == type)
    return ScalarOp::create(builder, loc, type, typed);
  return nullptr;
}

/// `tc.symbols` of a function: an array of #tc.symbol with distinct names.
static LogicalResult verifySymbols(Operation *op, Attribute value) {
  auto symbols = dyn_cast<ArrayAttr>(value);
  if (!symbols)
    return op->emitError() << "attribute 'tc.symbols' is " << value
                           << "; expected an array of #tc.symbol";
  llvm::StringSet<> names;
  for (Attribute entry : symbols) {
    auto symbol = dyn_cast<tc::SymbolAttr>(entry);
    if (!symbol)
      return op->emitError() << "entry of 'tc.symbols' is " << entry
                             << "; expected a #tc.symbol";
    if (!names.insert(symbol.getName()).second)
      return op->emitError()
             << "'tc.symbols' declares '" << symbol.getName() << "' twice";
  }
  return verifyDataDependentSymbols(op);
}

/// `tc.specializations`: an array of arrays of #tc.symbol.
static LogicalResult verifySpecializations(Operation *op, Attribute value) {
  auto isRequest = [](Attribute entry) {
    auto symbols = dyn_cast<ArrayAttr>(entry);
    return symbols && !symbols.empty() &&
           llvm::all_of(symbols, llvm::IsaPred<tc::SymbolAttr>);
  };
  auto requests = dyn_cast<ArrayAttr>(value);
  if (requests && llvm::all_of(requests, isRequest))
    return success();
  return op->emitError() << "attribute 'tc.specializations' is " << value
                         << "; expected an array of arrays of #tc.symbol";
}

/// `tc.result_types`: an array of ranked tensor types of known sizes.
static LogicalResult verifyResultTypes(Operation *op, Attribute value) {
  auto isTensor = [](Attribute entry) {
    auto type = dyn_cast<TypeAttr>(entry);
    auto tensor =
        type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    return tensor && hasKnownSizes(tensor);
  };
  auto types = dyn_cast<ArrayAttr>(value);
  if (types && llvm::all_of(types, isTensor))
    return success();
  return op->emitError() << "attribute 'tc.result_types' is " << value
                         << "; expected an array of ranked tensor types of "
                            "known sizes";
}

/// `tc.signature`: a dictionary whose known entries have their kinds.
static LogicalResult verifySignature(Operation *op, Attribute value) {
  auto signature = dyn_cast<DictionaryAttr>(value);
  if (!signature)
    return op->emitError() << "attribute 'tc.signature' is " << value
                           << "; expected a dictionary";
  auto isListOf = [](Attribute entry, auto isOne) {
    auto list = dyn_cast<ArrayAttr>(entry);
    return list && llvm::all_of(list, isOne);
  };
  auto isTypeOrNone = [](Attribute entry) {
    auto type = dyn_cast<TypeAttr>(entry);
    return isa<UnitAttr>(entry) || (type && isa<ShapedType>(type.getValue()));
  };
  for (NamedAttribute entry : signature) {
    StringRef name = entry.getName();
    Attribute is = entry.getValue();
    bool isValid = true;
    if (name == "input_types" || name == "output_types")
      isValid = isListOf(is, isTypeOrNone);
    else if (name == "symbols")
      isValid = isListOf(is, llvm::IsaPred<tc::SymbolAttr>);
    else if (name == "parameters")
      isValid = isListOf(is, llvm::IsaPred<FlatSymbolRefAttr>);
    else if (name == "inputs" || name == "outputs" || name == "mutates")
      isValid = isa<ArrayAttr>(is);
    else if (name == "launches")
      isValid = isa<IntegerAttr>(is);
    if (!isValid)
      return op->emitError() << "entry '" << name << "' of 'tc.signature' is "
                             << is << "; expected what phase emit writes";
  }
  return success();
}

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  if (attribute.getName() == kSymbolsAttr)
    return verifySymbols(op, attribute.getValue());
  if (attribute.getName() == kSpecializationsAttr)
    return verifySpecializations(op, attribute.getValue());
  if (attribute.getName() == kResultTypesAttr)
    return verifyResultTypes(op, attribute.getValue());
  if (attribute.getName() == kSignatureAttr)
    return verifySignature(op, attribute.getValue());
  if (attribute.getName() == kVersionOfAttr &&
      !isa<FlatSymbolRefAttr>(attribute.getValue()))
    return op->emitError() << "attribute 'tc.version_of' is "
                           << attribute.getValue() << "; expected a symbol";
  if (attribute.getName() == kPhaseAttr &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitError() << "attribute 'tc.phase' is " << attribute.getValue()
                           << "; expected a string";
  if (attribute.getName() == kTargetAttr &&
      !isa<TargetAttr>(attribute.getValue()))
    return op->emitError() << "attribute 'tc.target' is "
                           << attribute.getValue() << "; expected a #tc.target";
  return success();
}
