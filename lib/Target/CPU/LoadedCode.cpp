//===- LoadedCode.cpp - Object code in this process -----------------------===//

#include "TC/Target/CPU/LoadedCode.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tc;
using namespace llvm;

/// Functions that LLVM calls for intrinsics without an instruction.
static bool isAllowedOutside(StringRef name) {
  static const StringSet<> exact = {
      "memcpy", "memset",    "memmove",    "fmod",      "fmodf",  "exp",
      "expf",   "log",       "logf",       "pow",       "powf",   "sin",
      "sinf",   "cos",       "cosf",       "tan",       "tanf",   "tanh",
      "tanhf",  "exp2",      "exp2f",      "log2",      "log2f",  "log10",
      "log10f", "fma",       "fmaf",       "floor",     "floorf", "ceil",
      "ceilf",  "round",     "roundf",     "trunc",     "truncf", "rint",
      "rintf",  "roundeven", "roundevenf", "nearbyint", "asin",   "asinf",
      "acos",   "acosf",     "atan",       "atanf",     "atan2",  "atan2f",
      "sinh",   "sinhf",     "cosh",       "coshf",     "ldexp",  "ldexpf",
      "sqrt",   "sqrtf",     "nearbyintf"};
  return exact.contains(name);
}

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
      /*GlobalPrefix=*/'\0',
      [](const orc::SymbolStringPtr &name) { return isAllowedOutside(*name); });
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
