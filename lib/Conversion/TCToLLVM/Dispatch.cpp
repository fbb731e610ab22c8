//===- Dispatch.cpp - Choosing a version in the C ABI ---------------------===//

#include "Dispatch.h"

#include "InputChecks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

/// The signature that callers see: that of the general version, with the
/// parameters that any version reads.
static DictionaryAttr getSignature(DispatchOp dispatch) {
  auto module = dispatch->getParentOfType<ModuleOp>();
  NamedAttrList signature;
  llvm::SetVector<Attribute> parameters;
  for (StringRef name : dispatch.getVersions()) {
    auto own = module.lookupSymbol(name)->getAttrOfType<DictionaryAttr>(
        kSignatureAttr);
    signature = NamedAttrList(own);
    if (auto read = own.getAs<ArrayAttr>("parameters"))
      parameters.insert(read.begin(), read.end());
  }
  Builder builder(dispatch.getContext());
  if (!parameters.empty())
    signature.set("parameters", builder.getArrayAttr(parameters.getArrayRef()));
  return signature.getDictionary(dispatch.getContext());
}

LogicalResult tc::emitDispatch(DispatchOp dispatch,
                               const llvm::StringMap<int64_t> &parameterNumbers,
                               StringTable &strings) {
  OpBuilder builder(dispatch);
  auto emitted = LLVM::LLVMFuncOp::create(
      builder, dispatch.getLoc(), dispatch.getSymName(),
      LLVM::LLVMFunctionType::get(
          builder.getI32Type(),
          {LLVM::LLVMPointerType::get(dispatch.getContext())}));
  emitted->setAttr(kSignatureAttr, getSignature(dispatch));
  HostBuilder host(emitted, strings);
  SizeValues sizes(host);
  InputChecks checks(dispatch, host, sizes);
  if (failed(checks.emit(dispatch.getNumResults(), parameterNumbers.size())))
    return failure();
  bool isDecided = false;
  for (auto version : dispatch.getBody().front().getOps<CaseOp>()) {
    FailureOr<Value> holds =
        checks.getGuards().predicate(version.getGuards().front());
    if (failed(holds))
      return failure();
    host.returnCall(*holds, version.getVersion());
    // Without a condition, nothing after it is reached.
    isDecided = !*holds;
    if (isDecided)
      break;
  }
  if (!isDecided)
    host.returnCall(Value(), dispatch.getOtherwise().getVersion());
  host.finish();
  dispatch.erase();
  return success();
}
