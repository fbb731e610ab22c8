//===- Compiler.cpp - From a module to code that runs ---------------------===//

#include "TC/Compiler/Compiler.h"
#include "TC/Compiler/DiagnosticText.h"
#include "TC/Runtime/Artefact.h"
#include "TC/Target/CPU/LoadedCode.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <set>

using namespace mlir;
using namespace tc;

double CompileStatistics::totalSeconds() const {
  double total = 0;
  for (const PhaseTiming &timing : timings)
    total += timing.seconds;
  return total;
}

CompiledModule::CompiledModule() = default;
CompiledModule::CompiledModule(CompiledModule &&) = default;
CompiledModule &CompiledModule::operator=(CompiledModule &&) = default;
CompiledModule::~CompiledModule() = default;

CompiledModule::CompiledModule(std::unique_ptr<runtime::ArtefactCode> given)
    : content(given->manifest()), artefact(std::move(given)),
      functions(artefact->functions()), prepare(artefact->prepare()) {
  for (const ManifestFunction &function : content.functions)
    counts.launches += function.launches;
  counts.codeBytes = artefact->codeBytes();
  std::set<std::string> names;
  for (const ManifestKernel &kernel : content.kernels)
    names.insert(kernel.name);
  counts.kernels = int64_t(names.size());
}

tc_function CompiledModule::function(const std::string &name) const {
  for (auto [index, function] : llvm::enumerate(content.functions))
    if (function.name == name && index < functions.size())
      return functions[index];
  return nullptr;
}

namespace {
/// Adds the time between its birth and its death to a list.
class Stopwatch {
public:
  Stopwatch(std::vector<PhaseTiming> *timings, StringRef name)
      : timings(timings), name(name), begin(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    if (timings)
      timings->push_back({name.str(), elapsed.count()});
  }

private:
  std::vector<PhaseTiming> *timings;
  StringRef name;
  std::chrono::steady_clock::time_point begin;
};
} // namespace

/// A name for the reproducer of a phase that no other process uses.
static std::string getReproducerPath(const CompileOptions &options,
                                     StringRef phase) {
  llvm::SmallString<128> path(options.reproducerDirectory);
  if (path.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "tc-" + phase + "-%%%%%%%%.mlir");
  llvm::SmallString<128> unique;
  llvm::sys::fs::createUniquePath(path, unique, /*MakeAbsolute=*/false);
  return unique.str().str();
}

namespace {
/// Says when a pass on the module has failed, and which: what went wrong has
/// been reported, and the next diagnostic is the pass manager's summary.
class FailureWatch : public PassInstrumentation {
public:
  explicit FailureWatch(std::string &failed) : failedPass(failed) {}
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // Passes on functions run on other threads, and others may still report.
    if (isa<ModuleOp>(op) && failedPass.empty())
      failedPass = pass->getArgument().str() + " ";
  }

private:
  std::string &failedPass;
};
} // namespace

/// Whether the input caused a failure: a graph, options, or a
/// module that was read at a later phase, where a person may have edited it.
/// Then the diagnostics suffice, and the same command repeats
/// them.
static bool isOfWhatIsGiven(Phase phase, StringRef failedPass,
                            const CompileOptions &options, bool isResumed) {
  return phase == Phase::Import || phase == Phase::Specialize || isResumed ||
         (!options.schedules.empty() &&
          failedPass.trim() == "tc-assign-schedules");
}

/// Runs a pass manager; where a pass crashes, or fails in a phase that any
/// graph should get through, it leaves a file that reproduces that. The file's
/// name becomes part of the manager's diagnostic in case of a crash, else
/// `reproducer`.
static LogicalResult runReproducibly(PassManager &manager, ModuleOp module,
                                     const PhaseInfo &phase,
                                     const CompileOptions &options,
                                     bool isResumed, std::string &reproducer) {
  std::string failedPass;
  std::string path = getReproducerPath(options, phase.name());
  manager.enableCrashReproducerGeneration(path);
  // Told of a failure before what is enabled above: the last comes first.
  manager.addInstrumentation(std::make_unique<FailureWatch>(failedPass));
  // The manager's summary of a failure that has been reported comes after a
  // pass on the module, or with one on a function.
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        return success(!failedPass.empty() ||
                       StringRef(diagnostic.str())
                           .starts_with("Failures have been detected while "
                                        "processing an MLIR pass pipeline"));
      });
  LogicalResult result = manager.run(module);
  if (failedPass.empty())
    return result;
  if (isOfWhatIsGiven(phase.phase, failedPass, options, isResumed))
    llvm::sys::fs::remove(path);
  else if (llvm::sys::fs::exists(path))
    reproducer = path;
  return result;
}

/// Fails after a diagnostic that says what a module is not, although it says
/// that `phase` has run on it: a person may have edited it since.
static LogicalResult verifyPhase(ModuleOp module, const PhaseInfo &phase) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  // A dispatch stays as it is until its last phase.
  if (phase.phase > Phase::Specialize && phase.phase < Phase::Emit)
    manager.addPass(createTCVerifySpecializePass());
  phase.verify(manager);
  return manager.run(module);
}

static LogicalResult runPhase(ModuleOp module, const PhaseInfo &phase,
                              const CompileOptions &options, bool isResumed,
                              std::string &reproducer) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  // Verifying after each pass takes as long as the passes: once a phase is
  // enough for what reads its result.
  manager.enableVerifier(false);
  PhaseOptions phaseOptions;
  phaseOptions.target = options.target;
  phaseOptions.libraries = options.libraries;
  phaseOptions.schedules = options.schedules;
  for (const std::string &request : options.specialize)
    phaseOptions.specialize.push_back(request);
  phaseOptions.onPTX = options.onPTX;
  buildPhases(manager, phase.phase, phase.phase, phaseOptions);
  if (failed(options.reproducer
                 ? runReproducibly(manager, module, phase, options, isResumed,
                                   reproducer)
                 : manager.run(module)))
    return failure();
  if (failed(verify(module)))
    return module.emitError("is not valid after phase '")
           << phase.name()
           << "'; run the phase in tc-opt, which verifies after "
           << "each pass, to see which one made it so";
  return success();
}

/// The PTX of the module's kernels.
static std::vector<KernelText> getPTX(ModuleOp module) {
  std::vector<KernelText> texts;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto name = global->getAttrOfType<StringAttr>(kImageAttr);
    auto ptx = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    if (name && ptx)
      texts.push_back({name.str(), ptx.getValue().rtrim('\0').str()});
  }
  return texts;
}

/// Each kernel after its name in a line that LLVM's split-file understands.
static std::string joinPTX(ArrayRef<KernelText> texts) {
  std::string all;
  for (const auto &[kernel, ptx] : texts)
    all += "//--- " + kernel + ".ptx\n" + ptx;
  return all;
}

llvm::Error tc::runPhases(ModuleOp module, Phase to,
                          const CompileOptions &options,
                          std::vector<PhaseTiming> *timings) {
  DiagnosticText diagnostics(module.getContext(), options.collectDiagnostics);
  auto fail = [&](const Twine &message) {
    return llvm::createStringError(
        message + (diagnostics.get().empty() ? "" : ":\n") + diagnostics.get());
  };
  FailureOr<Phase> next = getNextPhase(module);
  if (failed(next))
    return fail("the module's phase is not known");
  std::optional<Phase> last = getLastPhase(module);
  if (last && failed(verifyPhase(module, getPhaseInfo(*last))))
    return fail("the module is not what phase '" + stringifyPhase(*last) +
                "' leaves");
  if (last == Phase::Emit)
    return llvm::Error::success();
  for (const PhaseInfo &phase : getPhases()) {
    if (phase.phase < *next || phase.phase > to)
      continue;
    {
      Stopwatch watch(timings, phase.name());
      std::string reproducer;
      if (failed(
              runPhase(module, phase, options, last.has_value(), reproducer)))
        return fail("phase '" + phase.name() + "' failed" +
                    (reproducer.empty() ? ""
                                        : "; tc-opt --run-reproducer " +
                                              reproducer + " repeats it"));
    }
    if (phase.phase == Phase::Generate)
      remarkMode(module, options.mode, CUDATarget::isCUDA(options.target));
    if (options.afterPhase)
      options.afterPhase(phase, module);
  }
  return llvm::Error::success();
}

llvm::Expected<CompiledModule> tc::compile(ModuleOp module,
                                           const CompileOptions &options) {
  llvm::Expected<CPUTarget> target = CPUTarget::parse(
      CUDATarget::isCUDA(options.target) ? options.hostTarget : options.target);
  if (!target)
    return target.takeError();
  if (options.load)
    if (std::vector<std::string> missing = target->featuresMissingOnHost();
        !missing.empty())
      return llvm::createStringError(
          "the code would not run here: target " + options.target +
          " has features that this machine has not: " +
          llvm::join(missing, ", "));
  CompiledModule compiled;
  std::vector<PhaseTiming> *timings = &compiled.counts.timings;
  std::vector<ManifestKernel> kernels = readKernels(module);
  CompileOptions watched = options;
  watched.afterPhase = [&](const PhaseInfo &phase, ModuleOp at) {
    if (phase.phase == Phase::Fuse)
      kernels = readKernels(at);
    if (options.afterPhase)
      options.afterPhase(phase, at);
  };
  if (llvm::Error error = runPhases(module, Phase::Emit, watched, timings))
    return std::move(error);
  compiled.content = readManifest(module);
  compiled.content.kernels = std::move(kernels);
  if (compiled.content.functions.empty())
    return llvm::createStringError(
        "the module has no public function to compile");
  if (llvm::Error error = checkMutations(compiled.content))
    return std::move(error);
  for (const ManifestFunction &function : compiled.content.functions)
    compiled.counts.launches += function.launches;

  CompiledObjects objects;
  {
    Stopwatch watch(timings, "code generation");
    auto made = compileToObjects(module, *target, options.objectCode);
    if (!made)
      return made.takeError();
    objects = std::move(*made);
  }
  compiled.llvmIRText = std::move(objects.llvmIR);
  compiled.texts = getPTX(module);
  if (options.objectCode.keepAssembly)
    compiled.assemblyText = compiled.texts.empty() ? std::move(objects.assembly)
                                                   : joinPTX(compiled.texts);
  compiled.counts.kernels = objects.objects.size() - 1 + compiled.texts.size();
  for (const ObjectCode &object : objects.objects)
    compiled.counts.codeBytes += object.bytes.size();

  if (options.load) {
    Stopwatch watch(timings, "link");
    auto loaded = LoadedCode::load(objects.objects);
    if (!loaded)
      return loaded.takeError();
    compiled.code = std::move(*loaded);
    auto find = [&](const ManifestFunction &function, tc_function &found) {
      auto address = compiled.code->lookup(function.name);
      if (address)
        found = reinterpret_cast<tc_function>(*address);
      return address.takeError();
    };
    for (const ManifestFunction &function : compiled.content.functions)
      if (llvm::Error error = find(function, compiled.functions.emplace_back()))
        return std::move(error);
    if (const auto &prepare = compiled.content.prepare)
      if (llvm::Error error = find(*prepare, compiled.prepare))
        return std::move(error);
  }
  if (options.objectCode.keepObjects)
    compiled.objectCode = std::move(objects.objects);
  else
    compiled.texts.clear();
  return compiled;
}
