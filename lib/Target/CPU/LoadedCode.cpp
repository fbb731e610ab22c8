//===- LoadedCode.cpp - Object code in this process -----------------------===//

#include "TC/Target/CPU/LoadedCode.h"
#include "TC/Runtime/OutsideFunctions.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tc;
using namespace llvm;

struct LoadedCode::Session {
  orc::ExecutionSession execution;
  std::unique_ptr<orc::ObjectLinkingLayer> layer;
  orc::JITDylib *dylib = nullptr;
  /// The errors that led to a failed look-up, such as a missing symbol.
  std::string reported;

  explicit Session(std::unique_ptr<orc::ExecutorProcessControl> control)
      : execution(std::move(control)) {}
  ~Session() { cantFail(execution.endSession()); }
};

LoadedCode::LoadedCode() = default;
LoadedCode::~LoadedCode() = default;

Expected<std::unique_ptr<LoadedCode>>
LoadedCode::load(ArrayRef<ObjectCode> objects) {
  auto control = orc::SelfExecutorProcessControl::Create();
  if (!control)
    return control.takeError();
  std::unique_ptr<LoadedCode> loaded(new LoadedCode());
  loaded->session = std::make_unique<Session>(std::move(*control));
  Session &session = *loaded->session;
  // The default prints failures; lookup() returns them.
  session.execution.setErrorReporter([&session](Error error) {
    session.reported += "; " + toString(std::move(error));
  });
  session.dylib = &session.execution.createBareJITDylib("tc");
  auto outside = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      /*GlobalPrefix=*/'\0', [](const orc::SymbolStringPtr &name) {
        return runtime::isOutsideFunction({(*name).data(), (*name).size()});
      });
  if (!outside)
    return outside.takeError();
  session.dylib->addGenerator(std::move(*outside));
  session.layer = std::make_unique<orc::ObjectLinkingLayer>(session.execution);
  for (const ObjectCode &object : objects) {
    StringRef bytes(object.bytes.data(), object.bytes.size());
    if (Error error = session.layer->add(
            *session.dylib, MemoryBuffer::getMemBufferCopy(bytes, object.name)))
      return std::move(error);
  }
  return loaded;
}

Expected<void *> LoadedCode::lookup(StringRef name) {
  auto symbol = session->execution.lookup({session->dylib},
                                          session->execution.intern(name));
  if (!symbol)
    return createStringError(toString(symbol.takeError()) + session->reported);
  return symbol->getAddress().toPtr<void *>();
}
