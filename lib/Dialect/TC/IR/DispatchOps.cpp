//===- DispatchOps.cpp - Choosing a version of a function -----------------===//

#include "TC/Dialect/TC/IR/Dispatch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// DispatchOp
//===----------------------------------------------------------------------===//

ParseResult DispatchOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag, std::string &) -> Type {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void DispatchOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

OtherwiseOp DispatchOp::getOtherwise() {
  return cast<OtherwiseOp>(getBody().front().getTerminator());
}

SmallVector<StringRef> DispatchOp::getVersions() {
  SmallVector<StringRef> versions;
  for (auto version : getBody().front().getOps<CaseOp>())
    versions.push_back(version.getVersion());
  versions.push_back(getOtherwise().getVersion());
  return versions;
}

LogicalResult DispatchOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.empty() || !isa<OtherwiseOp>(block.back()))
    return emitOpError("expects to end in tc.otherwise");
  for (Operation &op : block.without_terminator())
    if (!isa<GuardOp, CaseOp>(op)) {
      InFlightDiagnostic error =
          emitOpError("expects nothing but tc.guard, tc.case and tc.otherwise");
      error.attachNote(op.getLoc()) << "it has '" << op.getName() << "'";
      return error;
    }
  return success();
}

/// Whether a tensor of type `general` may be handed to a version that takes
/// `version`: what is known of both is the same.
static bool canBe(Type general, Type version) {
  auto from = dyn_cast<RankedTensorType>(general),
       to = dyn_cast<RankedTensorType>(version);
  if (!from || !to || from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank())
    return false;
  return llvm::all_of(llvm::zip_equal(from.getShape(), to.getShape()),
                      [](auto sizes) {
                        auto [a, b] = sizes;
                        return ShapedType::isDynamic(a) || a == b;
                      });
}

/// Checks one version, as long as it is a function on tensors.
static LogicalResult verifyVersion(DispatchOp dispatch, Operation *user,
                                   FlatSymbolRefAttr name,
                                   SymbolTableCollection &symbols) {
  Operation *version = symbols.lookupNearestSymbolFrom(dispatch, name);
  if (!version)
    return user->emitOpError("runs ") << name << ", which is not in the module";
  auto function = dyn_cast<func::FuncOp>(version);
  bool isBufferized = function && function->hasAttr(kResultTypesAttr);
  if (!function || isBufferized)
    return success();
  FunctionType type = function.getFunctionType(),
               expected = dispatch.getFunctionType();
  auto fit = [](TypeRange general, TypeRange specific) {
    return general.size() == specific.size() &&
           llvm::all_of(llvm::zip(general, specific), [](auto types) {
             return canBe(std::get<0>(types), std::get<1>(types));
           });
  };
  if (fit(expected.getInputs(), type.getInputs()) &&
      fit(expected.getResults(), type.getResults()))
    return success();
  InFlightDiagnostic error = user->emitOpError("runs ")
                             << name << " of type " << type
                             << ", expected a version of " << expected;
  error.attachNote(function.getLoc()) << "the version is here";
  return error;
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto version : getBody().front().getOps<CaseOp>())
    if (failed(
            verifyVersion(*this, version, version.getVersionAttr(), symbols)))
      return failure();
  return verifyVersion(*this, getOtherwise(), getOtherwise().getVersionAttr(),
                       symbols);
}

//===----------------------------------------------------------------------===//
// CaseOp
//===----------------------------------------------------------------------===//

LogicalResult CaseOp::verifyRegions() {
  for (Operation &op : getGuards().front())
    if (!isa<GuardOp>(op)) {
      InFlightDiagnostic error = emitOpError("expects nothing but tc.guard");
      error.attachNote(op.getLoc()) << "it has '" << op.getName() << "'";
      return error;
    }
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/DispatchOps.cpp.inc"
