//===- CompileArtefact.cpp - From a module to a file ----------------------===//

#include "TC/Compiler/CompileArtefact.h"
#include "TC/Runtime/Artefact.h"
#include "TC/Runtime/CPUFeatures.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace tc;

/// The CPU that `text` names; fails unless artefacts can have code for it.
static llvm::Expected<CPUTarget> parseTarget(const std::string &text) {
  if (CUDATarget::isCUDA(text))
    return llvm::createStringError(
        "target " + text +
        " is a GPU, expected a CPU: artefacts have no code for GPUs yet");
  auto target = CPUTarget::parse(text);
  if (!target)
    return target.takeError();
  // The features that code needs are known for the architecture at hand.
  bool isLinked =
      llvm::Triple(target->triple).getArch() == llvm::Triple::x86_64;
  if (!isLinked || !target->hasHostArchitecture())
    return llvm::createStringError(
        "target " + text +
        " is not of x86-64 or is compiled for on another "
        "architecture, expected a CPU of x86-64 on a machine of x86-64");
  return target;
}

static llvm::Expected<CompiledModule>
compileFor(ModuleOp module, const std::string &target,
           const CompileOptions &options) {
  CompileOptions own = options;
  own.target = target;
  own.load = false;
  own.objectCode.keepObjects = true;
  OwningOpRef<ModuleOp> copy = module.clone();
  return compile(*copy, own);
}

llvm::Error tc::compileArtefact(ModuleOp module, ArrayRef<std::string> targets,
                                const CompileOptions &options,
                                const std::string &path) {
  std::vector<CompiledModule> compiled; // which programs borrow the code of
  std::vector<runtime::ArtefactProgram> programs;
  compiled.reserve(targets.size());
  for (const std::string &text : targets) {
    auto target = parseTarget(text);
    if (!target)
      return target.takeError();
    auto made = compileFor(module, text, options);
    if (!made)
      return made.takeError();
    compiled.push_back(std::move(*made));
    runtime::ArtefactProgram &program = programs.emplace_back();
    program.target = text;
    program.architecture = std::string(runtime::hostArchitecture());
    program.features = target->instructionFeatures();
    program.manifest = compiled.back().manifest();
    for (const ObjectCode &object : compiled.back().objects())
      program.objects.push_back({object.bytes.data(), object.bytes.size()});
  }
  if (runtime::Status status = runtime::writeArtefact(path, programs);
      !status.ok())
    return llvm::createStringError(status.message());
  return llvm::Error::success();
}
