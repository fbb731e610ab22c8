//===- Artefact.h - Compiled programs in a file -----------------*- C++ -*-===//
//
// An artefact has a program compiled for one target or several. Loading it
// takes this library alone: the code is linked, the weights are mapped.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ARTEFACT_H
#define TC_RUNTIME_ARTEFACT_H

#include "TC/Runtime/ArtefactFile.h"
#include "TC/Runtime/Manifest.h"
#include "TC/Runtime/ParameterFiles.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tc::runtime {

class KernelCubins;
class LinkedObjects;

/// Machine code of one kernel of a GPU.
struct KernelCode {
  std::string kernel;
  std::span<const char> code; ///< borrowed
};

/// A program compiled for one target, as an artefact has it.
struct ArtefactProgram {
  std::string target;       ///< "cpu:x86-64-v3", or "cuda:sm_90a"
  std::string architecture; ///< "x86_64": of the host functions
  /// What the host must have, as LLVM names it: "avx2".
  std::vector<std::string> features;
  Manifest manifest;
  /// ELF object files; borrowed. PTX is in that of the host functions.
  std::vector<std::span<const char>> objects;
  /// Cubins for the chip of the target, of kernels whose PTX an assembler has
  /// been there for.
  std::vector<KernelCode> cubins;
};

/// The sections of an artefact with the program for each of the targets, as
/// the bytes of a file. `versions`, unless it is empty, is JSON that says which
/// calls of a function of Python's the program's functions are for. Fails when
/// there is no program, and when two have one name.
Expected<std::string> makeArtefact(const std::vector<ArtefactProgram> &programs,
                                   const std::string &versions = "");

/// Writes an artefact. Fails as makeArtefact does, and when the file cannot be
/// written.
Status writeArtefact(const std::string &path,
                     const std::vector<ArtefactProgram> &programs,
                     const std::string &versions = "");

/// What makeArtefact was given as `versions`.
std::string readVersions(const ArtefactFile &file);

/// What a file has for one target.
struct ArtefactSummary {
  std::string target;
  std::string functions; ///< "main, step"
};

/// What an artefact has, without linking it.
Expected<std::vector<ArtefactSummary>> summarize(const ArtefactFile &file);

/// Where a program is to run.
struct ArtefactDevice {
  /// Nothing: the CPU if there is a program for one, else CUDA device `index`.
  std::optional<tc_device_kind> kind;
  int32_t index = 0;

  /// Reads "cpu", "cuda" or "cuda:N"; nothing for an empty text.
  static Expected<ArtefactDevice> parse(const std::string &text);
};

/// The code of a program, linked in this process, without its weights.
class ArtefactCode {
public:
  /// Links the program for the device: of those for a CPU the one with the most
  /// features that this machine has all of, of those for GPUs the one for the
  /// latest chip whose code the device runs. Where none fits, the error says
  /// what each needs and what there is.
  static Expected<std::unique_ptr<ArtefactCode>>
  load(const ArtefactFile &file, const ArtefactDevice &device);
  ~ArtefactCode();

  const Manifest &manifest() const { return content; }
  const std::string &target() const { return targetName; }
  tc_device_kind deviceKind() const { return kind; }
  /// As in the manifest.
  const std::vector<tc_function> &functions() const { return addresses; }
  /// @tc.prepare; null when the program has none.
  tc_function prepare() const { return preparation; }
  /// Of the objects and the cubins.
  uint64_t codeBytes() const { return bytes; }

private:
  ArtefactCode() = default;
  Status link(const ArtefactProgram &program);

  std::string targetName;
  tc_device_kind kind = TC_DEVICE_CPU;
  Manifest content;
  std::unique_ptr<LinkedObjects> code;
  std::unique_ptr<KernelCubins> cubins;
  std::vector<tc_function> addresses;
  tc_function preparation = nullptr;
  uint64_t bytes = 0;
};

/// A program that an artefact holds, ready to run in this process. Thread-safe.
class Artefact {
public:
  /// Where the program runs, and where its weights are.
  struct Options {
    ArtefactDevice device;
    /// Of files that the program names; empty for the artefact's own.
    std::string directory;
    std::vector<ParameterFile> parameters;
  };

  /// Loads the program that fits this machine. Fails as ArtefactFile::open and
  /// ArtefactCode::load do, and when a weight is missing.
  static Expected<std::unique_ptr<Artefact>> load(const std::string &path,
                                                  const Options &options);
  /// The same of a file in memory, which may go away afterwards.
  static Expected<std::unique_ptr<Artefact>> load(const ArtefactFile &file,
                                                  const Options &options);

  const Manifest &manifest() const { return code->manifest(); }
  const std::string &target() const { return code->target(); }

  /// Calls function `index` of the manifest, on a CUDA device in the order of
  /// `stream`. Inputs are where the program runs; one in host memory that is
  /// to be row-major is copied where it is not, others must have the strides
  /// that the function expects.
  Expected<std::vector<Tensor>> call(size_t index,
                                     std::span<const Tensor> inputs,
                                     void *stream = nullptr) const;
  /// Puts a new value of the same type in the place of a parameter.
  Status setParameter(const std::string &name, Tensor value);

private:
  Artefact() = default;

  std::unique_ptr<ArtefactCode> code;
  std::unique_ptr<Parameters> parameters;
  int32_t deviceIndex = 0;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_ARTEFACT_H
