//===- Artefact.h - Compiled programs in a file -----------------*- C++ -*-===//
//
// An artefact has a program compiled for one target or several. Loading it
// takes this library alone: the code is linked, the weights are mapped.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ARTEFACT_H
#define TC_RUNTIME_ARTEFACT_H

#include "TC/Runtime/Manifest.h"
#include "TC/Runtime/ParameterFiles.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tc::runtime {

class LinkedObjects;

/// A program compiled for one target, as an artefact has it.
struct ArtefactProgram {
  std::string target;       ///< "cpu:x86-64-v3"
  std::string architecture; ///< "x86_64"
  /// What the machine must have, as LLVM names it: "avx2".
  std::vector<std::string> features;
  Manifest manifest;
  /// ELF object files; borrowed.
  std::vector<std::span<const char>> objects;
};

/// Writes an artefact of the program for each of the targets. Fails when there
/// is none, when two have one name, and when the file cannot be written.
Status writeArtefact(const std::string &path,
                     const std::vector<ArtefactProgram> &programs);

/// A program that an artefact holds, ready to run in this process. Thread-safe.
class Artefact {
public:
  /// Where the program's weights are.
  struct Options {
    /// Of files that the program names; empty for the artefact's own.
    std::string directory;
    std::vector<ParameterFile> parameters;
  };

  /// Loads the program for the target with the most features that this machine
  /// has all of. Fails as ArtefactFile::open does, on a machine that fits no
  /// target, saying what each needs, and when a weight is missing.
  static Expected<std::unique_ptr<Artefact>> load(const std::string &path,
                                                  const Options &options);
  ~Artefact();

  const Manifest &manifest() const { return content; }
  const std::string &target() const { return targetName; }

  /// Calls function `index` of the manifest. Inputs must have the strides that
  /// it expects.
  Expected<std::vector<Tensor>> call(size_t index,
                                     std::span<const Tensor> inputs) const;
  /// Puts a new value in the place of a parameter.
  Status setParameter(const std::string &name, Tensor value);

private:
  Artefact() = default;
  Status link(const ArtefactProgram &program);

  std::string targetName;
  Manifest content;
  std::unique_ptr<LinkedObjects> code;
  std::vector<tc_function> functions; ///< as in the manifest
  std::unique_ptr<Parameters> parameters;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_ARTEFACT_H
