//===- Program.cpp - Compiled programs behind the C API -------------------===//

#include "Program.h"
#include "TC/Compiler/CompileArtefact.h"
#include "TC/Compiler/DiagnosticText.h"
#include "TC/Frontend/PT2/ImportPT2.h"
#include "TC/Frontend/Text/ModuleText.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runner/ModuleFile.h"
#include "TC/Runner/ProgramReport.h"
#include "TC/Runner/ReferenceDevice.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Device.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace mlir;
using namespace tc;
using namespace tc::capi;
using runtime::ErrorCode;
using runtime::Status;
using runtime::Tensor;
using Tensors = std::vector<Tensor>;

Session::Session() { registerDialects(registry); }

Session::~Session() {
  // The parent process's threads do not exist here and cannot be joined.
  if (process != getpid())
    (void)threads.release();
}

llvm::ThreadPoolInterface &Session::getThreads() const {
  std::lock_guard lock(threadsMutex);
  if (process != getpid()) {
    (void)threads.release();
    threads = std::make_unique<llvm::DefaultThreadPool>();
    process = getpid();
  }
  return *threads;
}

std::unique_ptr<MLIRContext> Session::makeContext() const {
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->setThreadPool(getThreads());
  context->printOpOnDiagnostic(false);
  return context;
}

void Session::adopt(MLIRContext &context) const {
  llvm::ThreadPoolInterface &own = getThreads();
  if (&context.getThreadPool() == &own)
    return;
  context.disableMultithreading();
  context.setThreadPool(own);
}

std::unique_lock<std::mutex> Program::lockContext() const {
  std::unique_lock<std::mutex> lock(contextMutex);
  session.adopt(*context);
  return lock;
}

/// `error` with the diagnostics that came before it.
static llvm::Error withDiagnostics(llvm::Error error,
                                   const DiagnosticText &diagnostics) {
  std::string text = llvm::toString(std::move(error));
  if (!diagnostics.get().empty())
    text += ":\n" + StringRef(diagnostics.get()).rtrim().str();
  return llvm::createStringError(text);
}

/// Whether a buffer is the JSON text of a graph: text of MLIR begins with no
/// brace but that of "{-#", and bytecode with none.
static bool isGraphText(StringRef buffer) {
  StringRef text = buffer.ltrim();
  return text.starts_with("{") && !text.starts_with("{-#");
}

llvm::Error Program::read(const Source &from) {
  DiagnosticText diagnostics(context.get(), /*enabled=*/true);
  llvm::SourceMgr sources;
  if (from.buffer.data()) {
    if (isGraphText(from.buffer))
      source = pt2::importGraphText(from.buffer, from.name, context.get());
    else
      source = parseModule(
          llvm::MemoryBuffer::getMemBufferCopy(from.buffer, from.name), sources,
          ParserConfig(context.get()));
    if (!source)
      return withDiagnostics(
          llvm::createStringError("'" + from.name + "' cannot be read"),
          diagnostics);
    return llvm::Error::success();
  }
  auto module = runner::readModuleFile(from.path, sources, *context);
  if (!module)
    return withDiagnostics(module.takeError(), diagnostics);
  source = std::move(*module);
  return llvm::Error::success();
}

llvm::Error Program::compileModule() {
  OwningOpRef<ModuleOp> module = source->clone();
  CompileOptions compile = options.compile;
  compile.collectDiagnostics = true;
  if (!options.compileTo.empty() || options.device == "reference") {
    kernelList = readKernels(*module);
    compile.afterPhase = [this](const PhaseInfo &phase, ModuleOp at) {
      if (phase.phase == Phase::Fuse)
        kernelList = readKernels(at);
    };
    // The interpreter takes the module as it was read, once it is in tc ops.
    Phase to = options.compileTo.empty() ? Phase::Import
                                         : *symbolizePhase(options.compileTo);
    if (llvm::Error error = runPhases(*module, to, compile, &timingList))
      return error;
    interface = readInterface(*module);
    return checkMutations(interface);
  }
  if (runsOnCUDA()) {
    assembly = std::make_unique<runtime::KernelAssembly>(options.cudaDevice);
    compile.onPTX = [this](StringRef ptx) { assembly->begin(ptx); };
  }
  auto made = options.cacheDirectory.empty()
                  ? tc::compile(*module, compile)
                  : compileCached(*module, compile,
                                  runtime::ArtefactCache(options.cacheDirectory,
                                                         options.cacheLimit));
  if (!made)
    return made.takeError();
  compiled = std::move(*made);
  return bind();
}

/// Makes what was compiled or loaded ready for calls.
llvm::Error Program::bind() {
  interface = compiled->manifest();
  kernelList = interface.kernels;
  timingList = compiled->statistics().timings;
  for (const ManifestFunction &function : interface.functions)
    functions.push_back(compiled->function(function.name));
  if (runsOnCUDA() && options.compile.mode == Mode::ReduceOverhead)
    for (size_t i = 0; i < functions.size(); ++i)
      graphs.push_back(std::make_unique<runtime::CUDAGraphs>());
  auto loaded = loadParameterTensors(interface.parameters, options.directory,
                                     options.parameters);
  if (!loaded.ok())
    return llvm::createStringError(loaded.error().toString());
  parameters = bindParameters(*compiled, *std::move(loaded),
                              runsOnCUDA() ? TC_DEVICE_CUDA : TC_DEVICE_CPU,
                              options.cudaDevice, options.directory);
  // @tc.prepare runs here, before the first call.
  if (auto values = parameters->current(); !values.ok())
    return llvm::createStringError(values.error().toString());
  return llvm::Error::success();
}

/// The number of the CUDA device that "cuda" or "cuda:N" names; -1 for others.
static int32_t readCUDADevice(StringRef device) {
  unsigned number = 0;
  if (device == "cuda")
    return 0;
  if (!device.consume_front("cuda:") || device.getAsInteger(10, number) ||
      number >= TC_MAX_DEVICES)
    return -1;
  return int32_t(number);
}

/// Code for the CUDA device, where the options name no other chip, and whether
/// the device can run it.
static llvm::Error chooseCUDATarget(ProgramOptions &options) {
  if (options.compileTo.empty())
    if (Status status = runtime::cuda::checkDevice(options.cudaDevice);
        !status.ok())
      return llvm::createStringError(status.message());
  if (CUDATarget::isCUDA(options.compile.target))
    return llvm::Error::success();
  for (const runtime::DeviceInfo &device : runtime::listDevices())
    if (device.kind == TC_DEVICE_CUDA && device.index == options.cudaDevice)
      options.compile.target = device.target;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(const Session &session, const Source &source,
                const ProgramOptions &options) {
  int32_t cudaDevice = readCUDADevice(options.device);
  if (options.device != "cpu" && options.device != "reference" &&
      cudaDevice < 0)
    return llvm::createStringError(
        "the device is '" + options.device +
        "', expected cpu, cuda, cuda:N with N from 0 to " +
        std::to_string(TC_MAX_DEVICES - 1) + ", or reference");
  if (!options.compileTo.empty() && !symbolizePhase(options.compileTo))
    return llvm::createStringError("'" + options.compileTo +
                                   "' names no phase; the phases are " +
                                   getPhaseNames());
  std::unique_ptr<Program> program(new Program(session, options));
  program->options.cudaDevice = cudaDevice;
  if (program->runsOnCUDA())
    if (llvm::Error error = chooseCUDATarget(program->options))
      return std::move(error);
  if (program->options.directory.empty())
    program->options.directory =
        llvm::sys::path::parent_path(source.path).str();
  if (llvm::Error error = program->read(source))
    return std::move(error);
  if (llvm::Error error = program->compileModule())
    return std::move(error);
  return program;
}

llvm::Expected<std::unique_ptr<Program>>
Program::load(const Session &session, const std::string &path,
              const ProgramOptions &options) {
  const CompileOptions &compile = options.compile;
  if (compile.target != CompileOptions().target || !compile.schedules.empty() ||
      !compile.specialize.empty() || !compile.libraries.empty() ||
      !options.compileTo.empty() || options.device == "reference")
    return llvm::createStringError(
        "'" + path +
        "' is compiled, expected no target, schedules, specialize, "
        "libraries, compile_to and no device reference");
  auto device = runtime::ArtefactDevice::parse(options.device);
  if (!device.ok())
    return llvm::createStringError(device.error().message());
  auto file = runtime::ArtefactFile::open(path);
  if (!file.ok())
    return llvm::createStringError(file.error().message());
  auto code = runtime::ArtefactCode::load(*file, *device);
  if (!code.ok())
    return llvm::createStringError(code.error().message());
  std::unique_ptr<Program> program(new Program(session, options));
  if ((*code)->deviceKind() == TC_DEVICE_CUDA)
    program->options.cudaDevice = device->index;
  if (options.directory.empty())
    program->options.directory = llvm::sys::path::parent_path(path).str();
  program->versionsText = runtime::readVersions(*file);
  program->compiled = CompiledModule(std::move(*code));
  if (llvm::Error error = program->bind())
    return std::move(error);
  return program;
}

llvm::Error Program::checkModule() const {
  if (source)
    return llvm::Error::success();
  return llvm::createStringError(
      "the program was loaded from an artefact, which has no module; compile "
      "the module that it was made of");
}

llvm::Error Program::save(const std::string &path,
                          const std::string &preparedPath,
                          const std::vector<std::string> &targets) const {
  if (llvm::Error error = checkModule())
    return error;
  CompileOptions compile = options.compile;
  compile.collectDiagnostics = true;
  std::vector<std::string> wanted = targets;
  if (wanted.empty())
    wanted.push_back(compile.target);
  std::unique_lock<std::mutex> lock = lockContext();
  return compileArtefact(*source, wanted, compile,
                         {path, preparedPath, options.directory,
                          options.parameters, versionsText})
      .takeError();
}

llvm::Expected<std::string> Program::ir(const std::string &phase) const {
  if (llvm::Error error = checkModule())
    return std::move(error);
  if (!phase.empty() && !symbolizePhase(phase))
    return llvm::createStringError(
        "'" + phase + "' names no phase; the phases are " + getPhaseNames());
  std::unique_lock<std::mutex> lock = lockContext();
  OwningOpRef<ModuleOp> module = source->clone();
  if (!phase.empty()) {
    FailureOr<Phase> next = getNextPhase(*module);
    if (succeeded(next) && *next > *symbolizePhase(phase))
      return llvm::createStringError("the module was read after phase '" +
                                     phase + "', which is not run again");
    CompileOptions compile = options.compile;
    compile.collectDiagnostics = true;
    if (llvm::Error error = runPhases(*module, *symbolizePhase(phase), compile))
      return std::move(error);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope());
  os << "\n";
  return text;
}

llvm::Expected<std::string> Program::code(StringRef kind) const {
  if (llvm::Error error = checkModule())
    return std::move(error);
  CompileOptions compile = options.compile;
  compile.collectDiagnostics = true;
  compile.load = false;
  compile.objectCode.keepLLVMIR = kind == "llvm";
  compile.objectCode.keepAssembly = kind == "assembly";
  if (!compile.objectCode.keepLLVMIR && !compile.objectCode.keepAssembly)
    return llvm::createStringError("there is no code of kind '" + kind +
                                   "', expected llvm or assembly");
  std::unique_lock<std::mutex> lock = lockContext();
  OwningOpRef<ModuleOp> module = source->clone();
  auto made = tc::compile(*module, compile);
  if (!made)
    return made.takeError();
  return kind == "llvm" ? made->llvmIR() : made->assembly();
}

llvm::Expected<std::string> Program::report() const {
  if (llvm::Error error = checkModule())
    return std::move(error);
  std::unique_lock<std::mutex> lock = lockContext();
  OwningOpRef<ModuleOp> module = source->clone();
  runner::ProgramReport report(*context);
  report.addSource(*module);
  CompileOptions compile = options.compile;
  compile.collectDiagnostics = true;
  compile.afterPhase = [&](const PhaseInfo &phase, ModuleOp at) {
    report.afterPhase(phase, at);
  };
  if (llvm::Error error = runPhases(*module, Phase::Bufferize, compile))
    return std::move(error);
  return report.json();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status Program::checkInputCount(size_t index, size_t count) const {
  const ManifestFunction &function = interface.functions[index];
  if (count == function.inputs.size())
    return Status::success();
  return Status(ErrorCode::InvalidArgument,
                "'" + function.name + "' has " +
                    std::to_string(function.inputs.size()) +
                    " inputs, the call has " + std::to_string(count));
}

llvm::Expected<std::string> Program::explain(size_t index,
                                             const Tensors &inputs) const {
  if (Status status = checkInputCount(index, inputs.size()); !status.ok())
    return llvm::createStringError(status.message());
  if (llvm::Error error = checkModule())
    return std::move(error);
  std::unique_lock<std::mutex> lock = lockContext();
  OwningOpRef<ModuleOp> module = source->clone();
  DiagnosticText diagnostics(context.get(), /*enabled=*/true);
  FailureOr<Phase> next = getNextPhase(*module);
  if (succeeded(next) && *next <= Phase::Specialize)
    if (llvm::Error error =
            runPhases(*module, Phase::Specialize, options.compile))
      return withDiagnostics(std::move(error), diagnostics);
  auto text =
      runner::describeChoice(*module, interface.functions[index].name, inputs);
  if (!text)
    return withDiagnostics(text.takeError(), diagnostics);
  if (!graphs.empty())
    *text += graphs[index]->describe();
  return text;
}

Status Program::checkCallable() const {
  if (!options.compileTo.empty())
    return Status(ErrorCode::Unsupported,
                  "the program was compiled to phase '" + options.compileTo +
                      "' only and cannot be called");
  return Status::success();
}

runtime::Expected<Tensors> Program::callReference(size_t index,
                                                  const Tensors &inputs) const {
  if (Status status = checkInputCount(index, inputs.size()); !status.ok())
    return status;
  const ManifestFunction &function = interface.functions[index];
  std::unique_lock<std::mutex> lock = lockContext();
  OwningOpRef<ModuleOp> module = source->clone();
  CompileOptions compile = options.compile;
  FailureOr<Phase> next = getNextPhase(*module);
  DiagnosticText diagnostics(context.get(), /*enabled=*/true);
  auto fail = [&](llvm::Error error) {
    return Status(
        ErrorCode::InvalidArgument,
        llvm::toString(withDiagnostics(std::move(error), diagnostics)));
  };
  if (succeeded(next) && *next == Phase::Import)
    if (llvm::Error error = runPhases(*module, Phase::Import, compile))
      return fail(std::move(error));
  auto result = runner::callReference(*module, function.name, inputs,
                                      options.directory, options.parameters);
  if (!result)
    return fail(result.takeError());
  Tensors outputs = std::move(result->outputs);
  for (auto &[name, value] : result->mutations)
    outputs.push_back(std::move(value));
  return outputs;
}

runtime::Call Program::startCall(size_t index) const {
  runtime::Call call(functions[index]);
  if (runsOnCUDA())
    call.device(TC_DEVICE_CUDA, options.cudaDevice)
        .launchBlocking(options.launchBlocking);
  if (!graphs.empty())
    call.graphs(graphs[index].get());
  return call;
}

runtime::Expected<Tensors> Program::call(size_t index, const Tensors &inputs,
                                         void *stream) const {
  if (Status status = checkCallable(); !status.ok())
    return status;
  if (!compiled)
    return callReference(index, inputs);
  auto values = parameters->current();
  if (!values.ok())
    return values.takeStatus();
  return startCall(index)
      .stream(stream)
      .inputs(inputs)
      .parameters((*values)->addresses)
      .outputs(int32_t(interface.functions[index].outputs.size()))
      .run();
}

runtime::Expected<Tensors>
Program::call(size_t index, ArrayRef<tc_tensor> inputs, void *stream,
              runtime::AllocateFunction allocate, void *allocator,
              ArrayRef<std::pair<int32_t, Tensor>> memory,
              ArrayRef<std::pair<int32_t, int32_t>> targets) const {
  if (Status status = checkCallable(); !status.ok())
    return status;
  auto values = parameters->current();
  if (!values.ok())
    return values.takeStatus();
  runtime::Call call = startCall(index);
  for (const tc_tensor &input : inputs)
    call.input(input);
  call.stream(stream)
      .allocator(allocate, allocator)
      .parameters((*values)->addresses)
      .outputs(int32_t(interface.functions[index].outputs.size()));
  for (const auto &[output, tensor] : memory)
    call.outputStorage(output, tensor);
  for (const auto &[output, input] : targets)
    call.outputTarget(output, input);
  return call.run();
}

Status Program::setParameter(const std::string &name, Tensor value) {
  if (!compiled)
    return Status(ErrorCode::Unsupported,
                  "the interpreter takes parameters from files only; give "
                  "one with the option 'parameters'");
  return runtime::replaceParameter(interface, *parameters, name,
                                   std::move(value));
}
