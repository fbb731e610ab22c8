//===- CompileCached.cpp - Code from the cache on disk --------------------===//

#include "TC/Compiler/CompileCached.h"
#include "TC/Compiler/BuildId.h"
#include "TC/Compiler/CompileArtefact.h"
#include "TC/Runtime/CPUFeatures.h"
#include "TC/Runtime/CPULimit.h"
#include "TC/Runtime/CacheSizes.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace mlir;
using namespace tc;

/// The CPU as LLVM names it: "cpu" is another one on each machine.
static std::string describeCPU(const std::string &target) {
  auto parsed = CPUTarget::parse(CUDATarget::isCUDA(target) ? "cpu" : target);
  if (!parsed) {
    llvm::consumeError(parsed.takeError()); // compile() reports it
    return "";
  }
  return parsed->triple + " " + parsed->chip + " " + parsed->features;
}

/// Length and content, so that no two lists of texts look alike.
static void append(llvm::raw_ostream &os, StringRef name, StringRef content) {
  os << name << " " << content.size() << "\n" << content << "\n";
}

std::optional<std::string> tc::cacheKey(ModuleOp module,
                                        const CompileOptions &options) {
  const bool looksForLibraries = options.libraries == "host";
  if (looksForLibraries || runtime::hostArchitecture() != "x86_64" ||
      getBuildId().empty())
    return std::nullopt;
  std::string key;
  llvm::raw_string_ostream os(key);
  append(os, "version", runtime::artefactVersion());
  append(os, "build", getBuildId());
  append(os, "LLVM", LLVM_VERSION_STRING);
  append(os, "target", options.target);
  append(os, "CPU", describeCPU(options.target));
  append(os, "host functions", options.hostTarget);
  const runtime::CacheSizes caches = runtime::availableCaches();
  os << "cores " << runtime::availableCPUCount() << ", caches "
     << caches.coreBytes.value_or(0) << " " << caches.sharedBytes.value_or(0)
     << "\n";
  append(os, "libraries", options.libraries);
  for (const std::string &version : options.specialize)
    append(os, "specialize", version);
  if (!options.schedules.empty()) {
    auto file = llvm::MemoryBuffer::getFile(options.schedules);
    if (!file)
      return std::nullopt; // compile() reports it
    append(os, "schedules", (*file)->getBuffer());
  }
  os << "module\n";
  // Locations are in the messages that code has.
  module->print(os, OpPrintingFlags().enableDebugInfo().useLocalScope());
  return key;
}

/// The code of a cache's artefact; nothing where it does not serve, which
/// compiling makes good.
static std::optional<CompiledModule> load(const runtime::ArtefactFile &file,
                                          const std::string &target) {
  runtime::ArtefactDevice device;
  // The code is looked at by its target, where no such device may be.
  device.kind = CUDATarget::isCUDA(target) ? TC_DEVICE_CUDA : TC_DEVICE_CPU;
  auto code = runtime::ArtefactCode::load(file, device);
  if (!code.ok())
    return std::nullopt;
  return CompiledModule(std::move(*code));
}

llvm::Expected<CompiledModule>
tc::compileCached(ModuleOp module, const CompileOptions &options,
                  const runtime::ArtefactCache &cache) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<std::string> key = cacheKey(module, options);
  if (!key)
    return compile(module, options);
  if (auto file = cache.find(*key))
    if (auto loaded = load(*file, options.target)) {
      std::chrono::duration<double> elapsed =
          std::chrono::steady_clock::now() - begin;
      loaded->addTiming({"load from the cache", elapsed.count()});
      return std::move(*loaded);
    }
  CompileOptions own = options;
  own.objectCode.keepObjects = true;
  auto compiled = compile(module, own);
  if (!compiled)
    return compiled;
  auto program = describeProgram(*compiled, options.target, options.hostTarget);
  if (!program)
    return program.takeError();
  if (runtime::Status status = cache.store(*key, {*program}); !status.ok())
    module->emitWarning() << status.message();
  return compiled;
}
