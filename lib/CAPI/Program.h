//===- Program.h - Compiled programs behind the C API -----------*- C++ -*-===//

#ifndef TC_LIB_CAPI_PROGRAM_H
#define TC_LIB_CAPI_PROGRAM_H

#include "TC/Compiler/CompileCached.h"
#include "TC/Compiler/InputStrides.h"
#include "TC/Compiler/Parameters.h"
#include "TC/Runner/Execution.h"
#include "TC/Runtime/CUDAGraphs.h"
#include "TC/Runtime/Call.h"
#include "TC/Runtime/KernelAssembly.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/ThreadPool.h"
#include <mutex>

namespace tc::capi {

/// Shared by all compilations: the registered dialects and LLVM's threads.
class Session {
public:
  Session();
  ~Session();
  /// A context of its own for each program, so that programs are compiled at
  /// the same time and their diagnostics do not mix.
  std::unique_ptr<mlir::MLIRContext> makeContext() const;
  /// Lets a context that this session has made use threads of this process: a
  /// fork() copies none of the parent's.
  void adopt(mlir::MLIRContext &context) const;

private:
  llvm::ThreadPoolInterface &getThreads() const;

  mlir::DialectRegistry registry;
  mutable std::mutex threadsMutex;
  mutable std::unique_ptr<llvm::ThreadPoolInterface> threads;
  mutable pid_t process = 0; ///< the process of the threads
};

/// tc_compile_options with its strings copied.
struct ProgramOptions {
  CompileOptions compile;
  std::string device;      ///< empty for that of an artefact's code
  int32_t cudaDevice = -1; ///< number of the CUDA device that `device` names
  bool launchBlocking = false;
  std::string compileTo;
  std::vector<ParameterFile> parameters;
  std::string directory;
  std::string cacheDirectory; ///< of the cache on disk; empty for none
  uint64_t cacheLimit = runtime::ArtefactCache::kDefaultLimit;
};

/// The source of a module: a file or a buffer.
struct Source {
  std::string path; ///< a file, when `buffer` has no data
  llvm::StringRef buffer;
  std::string name; ///< of the buffer, for messages
};

/// A module that has been compiled, or is to run in the interpreter.
/// Thread-safe.
class Program {
public:
  static llvm::Expected<std::unique_ptr<Program>>
  create(const Session &session, const Source &source,
         const ProgramOptions &options);
  /// The program of the artefact `path`, whose module is not known. Fails where
  /// the options ask for something of the compilation.
  static llvm::Expected<std::unique_ptr<Program>>
  load(const Session &session, const std::string &path,
       const ProgramOptions &options);

  const Manifest &manifest() const { return interface; }
  const std::vector<ManifestKernel> &kernels() const { return kernelList; }
  const std::vector<PhaseTiming> &timings() const { return timingList; }

  /// The module after `phase`, or as it was read when that is empty.
  llvm::Expected<std::string> ir(const std::string &phase) const;

  /// What code generation makes of the module: "llvm", the optimised LLVM IR,
  /// or "assembly", that of the target, for a GPU its kernels' PTX.
  llvm::Expected<std::string> code(llvm::StringRef kind) const;
  /// What the phases make of the module, as runner::ProgramReport tells it.
  llvm::Expected<std::string> report() const;
  /// Writes an artefact of the program for the targets, or for its own when
  /// there are none; what is computed from parameters goes to `preparedPath`,
  /// unless that is empty.
  llvm::Error save(const std::string &path, const std::string &preparedPath,
                   const std::vector<std::string> &targets) const;

  /// See runtime::makeArtefact.
  const std::string &versions() const { return versionsText; }
  void setVersions(std::string text) { versionsText = std::move(text); }

  /// Which version of function `index` a call with these inputs runs, and which
  /// guards the versions before it miss; nothing for one without versions. Then
  /// the CUDA graphs that there are so far.
  llvm::Expected<std::string>
  explain(size_t index, const std::vector<runtime::Tensor> &inputs) const;

  /// What function `index` expects of the strides of its inputs where it is
  /// compiled; the interpreter takes any.
  InputStrides inputStrides(size_t index) const {
    return InputStrides(interface.functions[index]);
  }

  /// Calls function `index`, on a CUDA device in the order of `stream`. Inputs
  /// must have the strides that it expects and be where the program runs.
  runtime::Expected<std::vector<runtime::Tensor>>
  call(size_t index, const std::vector<runtime::Tensor> &inputs,
       void *stream) const;
  /// The same with descriptors, and memory from the caller's allocator, where
  /// it is not null, but for the outputs that `memory` has memory for. An
  /// output of `targets` that is the input next to it is no tensor.
  runtime::Expected<std::vector<runtime::Tensor>>
  call(size_t index, llvm::ArrayRef<tc_tensor> inputs, void *stream = nullptr,
       runtime::AllocateFunction allocate = nullptr, void *allocator = nullptr,
       llvm::ArrayRef<std::pair<int32_t, runtime::Tensor>> memory = {},
       llvm::ArrayRef<std::pair<int32_t, int32_t>> targets = {}) const;
  /// The number of the CUDA device that calls run on; -1 for the host.
  int32_t cudaDevice() const { return options.cudaDevice; }
  /// Whether calls run compiled code.
  bool isCompiled() const { return compiled.has_value(); }

  runtime::Status setParameter(const std::string &name, runtime::Tensor value);

private:
  Program(const Session &session, const ProgramOptions &options)
      : session(session), options(options), context(session.makeContext()) {}
  bool runsOnCUDA() const { return options.cudaDevice >= 0; }
  /// A call of function `index` on the program's device.
  runtime::Call startCall(size_t index) const;
  llvm::Error read(const Source &source);
  llvm::Error compileModule();
  llvm::Error bind();
  llvm::Error checkModule() const;
  runtime::Status checkInputCount(size_t index, size_t count) const;
  runtime::Status checkCallable() const;
  runtime::Expected<std::vector<runtime::Tensor>>
  callReference(size_t index, const std::vector<runtime::Tensor> &inputs) const;

  /// Holds the context while it is used after creation, in this process.
  std::unique_lock<std::mutex> lockContext() const;

  const Session &session;
  ProgramOptions options;
  std::unique_ptr<mlir::MLIRContext> context;
  mutable mlir::OwningOpRef<mlir::ModuleOp> source; ///< as it was read
  std::optional<CompiledModule> compiled;
  /// Of what is compiled for a CUDA device; null elsewhere.
  std::unique_ptr<runtime::KernelAssembly> assembly;
  std::vector<tc_function> functions; ///< as in the manifest
  /// Of each function; none in mode default.
  std::vector<std::unique_ptr<runtime::CUDAGraphs>> graphs;
  Manifest interface;
  std::vector<ManifestKernel> kernelList;
  std::vector<PhaseTiming> timingList;
  /// Held while the context is used after creation.
  mutable std::mutex contextMutex;
  std::unique_ptr<runtime::Parameters> parameters;
  std::string versionsText;
};

} // namespace tc::capi

#endif // TC_LIB_CAPI_PROGRAM_H
