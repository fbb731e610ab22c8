//===- CompileArtefact.cpp - From a module to a file ----------------------===//

#include "TC/Compiler/CompileArtefact.h"
#include "TC/Runtime/CPUFeatures.h"
#include "TC/Runtime/CUDAAssembler.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace tc;

/// The CPU of the host functions of code for `target`; fails unless artefacts
/// can have code for it.
static llvm::Expected<CPUTarget> parseHost(const std::string &target,
                                           const std::string &hostTarget) {
  auto host =
      CPUTarget::parse(CUDATarget::isCUDA(target) ? hostTarget : target);
  if (!host)
    return host.takeError();
  // The features that code needs are known for the architecture at hand.
  bool isLinked = llvm::Triple(host->triple).getArch() == llvm::Triple::x86_64;
  if (!isLinked || !host->hasHostArchitecture())
    return llvm::createStringError(
        "target " + target +
        " is not of x86-64 or is compiled for on another "
        "architecture, expected a CPU of x86-64 on a machine of x86-64");
  return host;
}

llvm::Expected<runtime::ArtefactProgram>
tc::describeProgram(const CompiledModule &compiled, const std::string &target,
                    const std::string &hostTarget) {
  auto host = parseHost(target, hostTarget);
  if (!host)
    return host.takeError();
  runtime::ArtefactProgram program;
  program.target = target;
  program.architecture = std::string(runtime::hostArchitecture());
  program.features = host->instructionFeatures();
  program.manifest = compiled.manifest();
  for (const ObjectCode &object : compiled.objects())
    program.objects.push_back({object.bytes.data(), object.bytes.size()});
  return program;
}

static llvm::Expected<CompiledModule>
compileFor(ModuleOp module, const std::string &target,
           const CompileOptions &options) {
  CompileOptions own = options;
  own.target = target;
  own.hostTarget = "cpu:x86-64"; // which launches kernels on any machine
  own.load = false;
  own.objectCode.keepObjects = true;
  if (auto host = parseHost(target, own.hostTarget); !host)
    return host.takeError();
  OwningOpRef<ModuleOp> copy = module.clone();
  return compile(*copy, own);
}

/// The cubins of the kernels, each made by a process of its own at the same
/// time as others; empty where there is no assembler, or it refuses the PTX.
static std::vector<std::string> assemble(MLIRContext *context,
                                         const CompiledModule &compiled) {
  std::vector<std::string> cubins(compiled.kernelTexts().size());
  parallelFor(context, 0, cubins.size(), [&](size_t i) {
    cubins[i] = runtime::assembleWholeProgram(compiled.kernelTexts()[i].ptx);
  });
  return cubins;
}

/// Writes what @tc.prepare makes, where this machine can run it.
static runtime::Status prepare(runtime::ArtefactProgram &program, size_t number,
                               const ArtefactOutput &output) {
  if (!program.manifest.prepare || CUDATarget::isCUDA(program.target) ||
      !runtime::missingCPUFeatures(program.features).empty())
    return runtime::Status::success();
  auto content = runtime::makeArtefact({program});
  if (!content.ok())
    return content.takeStatus();
  auto file = runtime::ArtefactFile::read(
      runtime::wrapForeignMemory(content->data(), content->size(), nullptr,
                                 nullptr),
      output.path);
  if (!file.ok())
    return file.takeStatus();
  auto code = runtime::ArtefactCode::load(*file, {TC_DEVICE_CPU, 0});
  if (!code.ok())
    return code.takeStatus();
  auto tensors = runtime::loadParameterTensors(
      program.manifest.parameters, output.directory, output.parameters);
  if (!tensors.ok())
    return tensors.takeStatus();
  auto parameters =
      runtime::bindParameters(program.manifest, (*code)->prepare(), *tensors);
  const std::string path =
      output.preparedPath + (number ? "." + std::to_string(number) : "");
  return runtime::writePrepared(program.manifest, *parameters, *tensors, path,
                                llvm::sys::path::filename(path).str());
}

llvm::Expected<Manifest> tc::compileArtefact(ModuleOp module,
                                             ArrayRef<std::string> targets,
                                             const CompileOptions &options,
                                             const ArtefactOutput &output) {
  std::vector<CompiledModule> compiled;         // whose code programs borrow
  std::vector<std::vector<std::string>> cubins; // of each, borrowed as well
  std::vector<runtime::ArtefactProgram> programs;
  compiled.reserve(targets.size());
  cubins.reserve(targets.size());
  for (const std::string &target : targets) {
    if (output.beforeTarget)
      if (llvm::Error error = output.beforeTarget(target))
        return std::move(error);
    auto made = compileFor(module, target, options);
    if (!made)
      return made.takeError();
    if (output.afterTarget)
      if (llvm::Error error = output.afterTarget(target, *made))
        return std::move(error);
    compiled.push_back(std::move(*made));
    auto program = describeProgram(compiled.back(), target, "cpu:x86-64");
    if (!program)
      return program.takeError();
    cubins.push_back(assemble(module.getContext(), compiled.back()));
    for (auto [text, cubin] :
         llvm::zip_equal(compiled.back().kernelTexts(), cubins.back()))
      if (!cubin.empty())
        program->cubins.push_back({text.kernel, {cubin.data(), cubin.size()}});
    if (!output.preparedPath.empty())
      if (runtime::Status status = prepare(*program, programs.size(), output);
          !status.ok())
        return llvm::createStringError(status.message());
    programs.push_back(std::move(*program));
  }
  if (runtime::Status status =
          runtime::writeArtefact(output.path, programs, output.versions);
      !status.ok())
    return llvm::createStringError(status.message());
  return programs.front().manifest;
}
