//===- Runner.cpp - Compiling and running a file --------------------------===//

#include "TC/Runner/Runner.h"
#include "Benchmark.h"
#include "DeviceCode.h"
#include "DeviceList.h"
#include "Inputs.h"
#include "KernelProfile.h"
#include "KernelReport.h"
#include "ObjectFiles.h"
#include "Outputs.h"
#include "ProgramLog.h"
#include "Progress.h"
#include "RunArtefact.h"
#include "RunInputs.h"
#include "RunTarget.h"
#include "TC/Compiler/OutputFile.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runner/ModuleFile.h"
#include "TC/Runner/ReferenceDevice.h"
#include "TC/Runtime/ThreadPool.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;

namespace {
/// One run of the tool.
class Runner {
public:
  explicit Runner(const RunOptions &options);
  /// The exit status, or an error that has not been printed.
  llvm::Expected<int> run();

private:
  llvm::Error checkOptions();
  llvm::Error makeDumpDirectory();
  llvm::Error load();
  llvm::Expected<int> compileOnly();
  llvm::Expected<int> runReference();
  llvm::Expected<int> runCompiled();
  llvm::Expected<int> printCode();
  llvm::Expected<int> printKernels();
  void printKernelTables();
  llvm::Expected<RunResult> call(const CompiledModule &compiled,
                                 const std::string &function,
                                 const RunData &data);
  /// Prints the tables that options ask for.
  void printReports(const CompiledModule &compiled, const RunData &data);
  llvm::Error dumpPhase(const PhaseInfo &phase, ModuleOp at);
  void explainChoice(ModuleOp at);
  llvm::Error finishLog(ArrayRef<PhaseTiming> timings,
                        const CompiledModule *compiled = nullptr);
  CompileOptions compileOptions();

  const RunOptions &options;
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics;
  OwningOpRef<ModuleOp> module;
  KernelReport report;
  ProgramLog log;
  DeviceCode deviceCode;
  MemoryReport memory;
  FirstResult first;
  Progress progress;
  std::string dumpError;
  /// What is logged is of this function.
  std::string title;
  /// For --explain: the function that is called, and its version that runs.
  std::string calledFunction, choice;
  Tensors calledWith;
};
} // namespace

static DialectRegistry &getRegistry() {
  static DialectRegistry registry;
  static bool filled = (registerDialects(registry), true);
  (void)filled;
  return registry;
}

Runner::Runner(const RunOptions &options)
    : options(options), context(getRegistry()), diagnostics(sources, &context),
      report(options),
      log(options.log, context,
          [this](const RemarkLine &remark) { report.addRemark(remark); }),
      deviceCode(options) {
  // The source line says more than the generic form of the op.
  context.printOpOnDiagnostic(false);
  if (options.explain)
    collectRemarks(context, [this](const RemarkLine &remark) {
      report.addRemark(remark);
    });
}

llvm::Error Runner::checkOptions() {
  auto requireOneOf = [](StringRef option, StringRef value,
                         ArrayRef<StringRef> allowed) -> llvm::Error {
    if (llvm::is_contained(allowed, value))
      return llvm::Error::success();
    return llvm::createStringError("--" + option + "=" + value +
                                   " is not known, expected " +
                                   llvm::join(allowed, " or "));
  };
  if (llvm::Error error =
          requireOneOf("device", options.device, {"cpu", "cuda", "reference"}))
    return error;
  if (llvm::Error error = requireOneOf(
          "benchmark_format", options.benchmarkFormat, {"text", "json"}))
    return error;
  if (auto mode = parseMode(options.mode); !mode)
    return mode.takeError();
  SmallVector<StringRef> libraries;
  StringRef(options.libraries).split(libraries, ',');
  for (StringRef library : libraries)
    if (!options.libraries.empty())
      if (llvm::Error error = requireOneOf(
              "libraries", library, {"none", "host", "cublaslt", "cudnn"}))
        return error;
  if (options.file.empty())
    return llvm::createStringError(
        "no file is named, expected MLIR text or bytecode, a .pt2 archive, or "
        "- for standard input");
  if (options.device == "reference" && options.timesKernels())
    return llvm::createStringError(
        "--profile and --trace time kernels, which --device=reference has "
        "none of: use --device=cpu or cuda");
  constexpr double kLongest = 24 * 60 * 60;
  if (!(options.benchmarkSeconds >= 0 && options.benchmarkSeconds <= kLongest))
    return llvm::createStringError(
        "--benchmark_min_time=" + std::to_string(options.benchmarkSeconds) +
        " is not from 0 to " + std::to_string(int64_t(kLongest)) + " seconds");
  if (auto tolerance = parseTolerance(options.tolerance); !tolerance)
    return tolerance.takeError();
  if (!options.compileTo.empty() && !symbolizePhase(options.compileTo))
    return llvm::createStringError("--compile-to=" + options.compileTo +
                                   " names no phase; the phases are " +
                                   getPhaseNames());
  return options.dumpPhases.empty() ? llvm::Error::success()
                                    : makeDumpDirectory();
}

llvm::Error Runner::makeDumpDirectory() {
  std::error_code code = llvm::sys::fs::create_directories(options.dumpPhases);
  if (!code && !llvm::sys::fs::is_directory(options.dumpPhases))
    code = std::make_error_code(std::errc::not_a_directory);
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError("cannot make the directory " +
                                 options.dumpPhases + ": " + code.message());
}

/// What TC_DUMP notes of the source, and how its phases run on.
static DumpedSource describeSource(const RunOptions &options) {
  DumpedSource source{options.file, "", ""};
  auto add = [](std::string &to, StringRef option, StringRef value,
                StringRef common = "") {
    if (value != common)
      to += (" --" + option + "=" + value).str();
  };
  add(source.options, "target", options.target, "cpu");
  add(source.options, "device", options.device, "cpu");
  add(source.options, "function", options.function);
  add(source.options, "libraries", options.libraries);
  add(source.more, "schedules", options.schedules);
  for (const std::string &version : options.specialize)
    add(source.more, "specialize", version);
  return source;
}

llvm::Error Runner::load() {
  Stopwatch watch(first.read);
  auto read = readModuleFile(options.file, sources, context);
  if (!read)
    return read.takeError();
  module = std::move(*read);
  if (failed(getNextPhase(*module)))
    return llvm::createStringError("'" + options.file +
                                   "' is at a phase that is not known");
  title = options.file;
  if (auto entry = findEntry(*module, options.function))
    title = entry->signature();
  else
    llvm::consumeError(entry.takeError()); // whoever needs one says so
  return log.begin(describeSource(options), *module);
}

/// Logs and dumps what became of the module.
llvm::Error Runner::finishLog(ArrayRef<PhaseTiming> timings,
                              const CompiledModule *compiled) {
  if (!dumpError.empty())
    return llvm::createStringError(dumpError);
  if (const ManifestFunction *function =
          compiled ? compiled->manifest().find(calledFunction) : nullptr)
    title = function->signature();
  SmallVector<StringRef> lines;
  StringRef(choice).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  log.write(Log::Recompiles, title,
            std::vector<std::string>(lines.begin(), lines.end()));
  return log.finish(title, timings, compiled,
                    CUDATarget::isCUDA(getTarget(options)));
}

llvm::Error Runner::dumpPhase(const PhaseInfo &phase, ModuleOp at) {
  llvm::SmallString<128> path(options.dumpPhases);
  llvm::sys::path::append(path, std::to_string(int(phase.phase)) + "-" +
                                    phase.name() + ".mlir");
  llvm::Error error = writeModule(path, at);
  if (!error && phase.phase == Phase::Emit)
    return deviceCode.write(options.dumpPhases);
  return error;
}

/// Says which version runs, for a module that has versions.
void Runner::explainChoice(ModuleOp at) {
  if ((!options.explain && !options.log.has(Log::Recompiles)) ||
      calledFunction.empty())
    return;
  // The call itself reports errors of the inputs.
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  auto text = describeChoice(at, calledFunction, calledWith);
  if (!text)
    return llvm::consumeError(text.takeError());
  if (!text->empty())
    choice = *text;
}

CompileOptions Runner::compileOptions() {
  CompileOptions compile;
  compile.target = getTarget(options);
  compile.mode = llvm::cantFail(parseMode(options.mode)); // it was checked
  compile.libraries = options.libraries;
  compile.schedules = options.schedules;
  compile.specialize = options.specialize;
  compile.objectCode.keepLLVMIR = options.printLLVM;
  compile.objectCode.keepAssembly = options.printAssembly;
  compile.objectCode.keepObjects = !options.objectFiles.empty();
  log.addTo(compile.objectCode);
  compile.load = !options.showsCode();
  compile.afterPhase = [this](const PhaseInfo &phase, ModuleOp at) {
    progress.setActivity("compiling: " + phase.name().str() + " is done");
    report.afterPhase(phase, at);
    log.afterPhase(phase, at);
    deviceCode.afterPhase(phase, at);
    memory.afterPhase(phase, at);
    if (phase.phase == Phase::Specialize)
      explainChoice(at);
    if (!options.dumpPhases.empty() && dumpError.empty())
      if (llvm::Error error = dumpPhase(phase, at))
        dumpError = llvm::toString(std::move(error));
  };
  return compile;
}

llvm::Expected<int> Runner::compileOnly() {
  std::vector<PhaseTiming> timings;
  if (llvm::Error error = runPhases(*module, *symbolizePhase(options.compileTo),
                                    compileOptions(), &timings))
    return std::move(error);
  if (llvm::Error error = finishLog(timings))
    return std::move(error);
  if (llvm::Error error = deviceCode.write(options.objectFiles))
    return std::move(error);
  printKernelTables();
  module->print(llvm::outs());
  llvm::outs() << "\n"; // as tc-opt does
  return 0;
}

llvm::Expected<int> Runner::runReference() {
  auto entry = findEntry(*module, options.function);
  if (!entry)
    return entry.takeError();
  auto inputs = makeInputs(*entry, options);
  if (!inputs)
    return inputs.takeError();
  FailureOr<Phase> next = getNextPhase(*module);
  // Captured calls have no meaning of their own before import has run.
  std::vector<PhaseTiming> timings;
  if (succeeded(next) && *next == Phase::Import)
    if (llvm::Error error =
            runPhases(*module, Phase::Import, compileOptions(), &timings))
      return std::move(error);
  if (llvm::Error error = finishLog(timings))
    return std::move(error);
  progress.setActivity("interpreting");
  auto result =
      callReference(*module, entry->name, *inputs, getDirectory(options),
                    getParameterFiles(options));
  if (!result)
    return result.takeError();
  auto asExpected = handleOutputs(*result, options);
  if (!asExpected)
    return asExpected.takeError();
  return *asExpected ? 0 : 1;
}

/// The tables of --print-kernels.
void Runner::printKernelTables() {
  report.print(llvm::outs());
  if (options.printKernels || options.explain)
    deviceCode.print(llvm::outs());
}

void Runner::printReports(const CompiledModule &compiled, const RunData &data) {
  printKernelTables();
  if (options.explain)
    llvm::outs() << choice << "memory of this call: " << memory.str() << "\n";
  if (options.explain && data.graphs)
    llvm::outs() << "CUDA graphs:\n" << data.graphs->describe();
  if (options.printTimings)
    for (const PhaseTiming &timing : compiled.statistics().timings)
      llvm::outs() << llvm::format("%8.3f ms  ", timing.seconds * 1e3)
                   << timing.name << "\n";
}

/// The code does not depend on the function called and on its inputs.
llvm::Expected<int> Runner::printCode() {
  progress.setActivity("compiling");
  auto compiled = compile(*module, compileOptions());
  if (!compiled)
    return compiled.takeError();
  if (llvm::Error error = finishLog(compiled->statistics().timings, &*compiled))
    return std::move(error);
  if (options.printLLVM)
    llvm::outs() << compiled->llvmIR();
  if (options.printAssembly)
    llvm::outs() << compiled->assembly();
  if (llvm::Error error =
          writeObjectFiles(compiled->objects(), options.objectFiles))
    return std::move(error);
  if (llvm::Error error = deviceCode.write(options.objectFiles))
    return std::move(error);
  return 0;
}

/// The table of kernels alone, when there is nothing to call them with.
llvm::Expected<int> Runner::printKernels() {
  // What the code of a GPU takes is known once there is some.
  Phase last =
      CUDATarget::isCUDA(getTarget(options)) ? Phase::Emit : Phase::Bufferize;
  std::vector<PhaseTiming> timings;
  if (llvm::Error error = runPhases(*module, last, compileOptions(), &timings))
    return std::move(error);
  if (llvm::Error error = finishLog(timings))
    return std::move(error);
  printKernelTables();
  return 0;
}

/// Calls the function: in mode reduce-overhead three times, of which the second
/// records a CUDA graph and the third one, which gives the result, replays it.
llvm::Expected<RunResult> Runner::call(const CompiledModule &compiled,
                                       const std::string &function,
                                       const RunData &data) {
  auto result = [&] {
    Stopwatch watch(first.call);
    return callCompiled(compiled, function, data);
  }();
  for (int repeat = 0; result && data.graphs && repeat < 2; ++repeat)
    result = callCompiled(compiled, function, data);
  return result;
}

llvm::Expected<int> Runner::runCompiled() {
  auto entry = findEntry(*module, options.function);
  if (!entry)
    return entry.takeError();
  calledFunction = entry->name;
  if (options.showsCode())
    return printCode();
  bool isCalled = options.randomInputs || !options.inputs.empty() ||
                  entry->inputTypes.empty();
  if (options.printKernels && !isCalled && !options.needsCall())
    return printKernels();
  auto inputs = makeInputs(*entry, options);
  if (!inputs)
    return inputs.takeError();
  if (llvm::Error error = checkDevice(options))
    return std::move(error);
  OwningOpRef<ModuleOp> original;
  if (options.check)
    original = module->clone();
  calledWith = *inputs;
  explainChoice(*module);
  memory.setCall(*module, *entry, *inputs);
  progress.setActivity("compiling");
  auto compiled = [&] {
    Stopwatch watch(first.compile);
    return compile(*module, compileOptions());
  }();
  if (!compiled)
    return compiled.takeError();
  if (llvm::Error error = finishLog(compiled->statistics().timings, &*compiled))
    return std::move(error);
  auto data = bindRun(*compiled, calledFunction, *inputs, options, first);
  if (!data)
    return data.takeError();
  progress.setActivity("running");
  auto result = call(*compiled, entry->name, *data);
  if (!result)
    return result.takeError();
  printReports(*compiled, *data);
  bool good = true;
  if (options.check) {
    CompileOptions referenceOptions;
    referenceOptions.target = getTarget(options);
    if (llvm::Error error =
            runPhases(*original, Phase::Import, referenceOptions))
      return std::move(error);
    progress.setActivity("interpreting");
    auto interpret = [&](reference::Precision precision) {
      return callReference(*original, entry->name, *inputs,
                           getDirectory(options), getParameterFiles(options),
                           precision);
    };
    auto close = compareWithReference(*result, interpret, options);
    if (!close)
      return close.takeError();
    good = *close;
  }
  if (options.benchmark || options.check) {
    progress.setActivity("measuring");
    data->operations = report.countOperations(
        entry->name, [&](StringRef name) { return memory.getSymbol(name); });
    if (llvm::Error error =
            benchmark(*compiled, entry->name, *data, memory, first, options))
      return std::move(error);
  }
  if (options.timesKernels())
    if (llvm::Error error = profile(*compiled, entry->name, *data, options))
      return std::move(error);
  if ((options.benchmark || options.timesKernels()) &&
      options.outputs.empty() && options.expectedOutputs.empty())
    return good ? 0 : 1;
  auto asExpected = handleOutputs(*result, options);
  if (!asExpected)
    return asExpected.takeError();
  return good && *asExpected ? 0 : 1;
}

llvm::Expected<int> Runner::run() {
  if (llvm::Error error = checkOptions())
    return std::move(error);
  if (options.threads)
    runtime::ThreadPool::global().setThreadCount(options.threads);
  if (isArtefact(options))
    return runArtefact(options);
  progress.setActivity("reading " + options.file);
  if (llvm::Error error = load())
    return std::move(error);
  if (!options.compileTo.empty())
    return compileOnly();
  return options.device == "reference" ? runReference() : runCompiled();
}

int runner::run(const RunOptions &options) {
  if (options.listDevices) {
    listDevices(llvm::outs());
    return 0;
  }
  Runner runner(options);
  llvm::Expected<int> status = runner.run();
  if (status)
    return *status;
  llvm::WithColor::error(llvm::errs(), "tc-run")
      << llvm::toString(status.takeError()) << "\n";
  return 1;
}
