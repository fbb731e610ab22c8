//===- HostSignature.cpp - The tc.signature of a host function ------------===//

#include "HostSignature.h"
#include "HostBuilder.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

int64_t tc::getOutputCount(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](OutputBufferOp op) {
    count = std::max<int64_t>(count, op.getIndex() + 1);
  });
  return count;
}

DictionaryAttr tc::getEmittedSignature(func::FuncOp function) {
  Builder builder(function.getContext());
  NamedAttrList signature;
  if (auto known = function->getAttrOfType<DictionaryAttr>(kSignatureAttr))
    signature.append(known.begin(), known.end());
  SmallVector<Attribute> inputs,
      outputs(getOutputCount(function), builder.getUnitAttr());
  for (Type type : function.getArgumentTypes())
    inputs.push_back(TypeAttr::get(type));
  function.walk([&](OutputBufferOp op) {
    outputs[op.getIndex()] = TypeAttr::get(op.getType());
  });
  signature.set("input_types", builder.getArrayAttr(inputs));
  SmallVector<Attribute> strides;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    Attribute own = function.getArgAttr(index, kStridesAttr);
    strides.push_back(own ? own : builder.getUnitAttr());
  }
  if (!llvm::all_of(strides, llvm::IsaPred<UnitAttr>))
    signature.set("input_strides", builder.getArrayAttr(strides));
  signature.set("output_types", builder.getArrayAttr(outputs));
  if (auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
    signature.set("symbols", symbols);
  llvm::SetVector<Attribute> parameters;
  function.walk([&](ParameterOp op) { parameters.insert(op.getSourceAttr()); });
  if (!parameters.empty())
    signature.set("parameters", builder.getArrayAttr(parameters.getArrayRef()));
  int64_t launches = 0;
  function.walk([&](Operation *op) {
    launches += isa<LaunchOp, LibraryCallOp, LibraryConvolutionOp>(op);
  });
  signature.set("launches", builder.getI64IntegerAttr(launches));
  SizeExpr arena = SizeExpr::constant(function.getContext(), 0);
  function.walk([&](ArenaOp op) { arena = arena.add(op.getBytes()); });
  if (!arena.isConstant(0))
    signature.set("arena", arena);
  return builder.getDictionaryAttr(signature);
}
