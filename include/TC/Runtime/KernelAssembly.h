//===- KernelAssembly.h - Assembling kernels ahead of launches --*- C++ -*-===//

#ifndef TC_RUNTIME_KERNELASSEMBLY_H
#define TC_RUNTIME_KERNELASSEMBLY_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tc::runtime {

/// Assembles kernels of a program while others are still being compiled, and
/// ahead of the launch that loads them: by processes of CUDA's assembler, one
/// for each kernel, at most as many at the same time as there are CPUs. A
/// program of one kernel is left to the driver.
class KernelAssembly {
public:
  /// For a program that runs on CUDA device `device`.
  explicit KernelAssembly(int32_t device);
  /// Begins nothing more, and waits for the processes that run.
  ~KernelAssembly();
  KernelAssembly(const KernelAssembly &) = delete;
  KernelAssembly &operator=(const KernelAssembly &) = delete;

  /// Begins to assemble PTX, with or without a zero behind it, unless a program
  /// has begun the same. Safe for several threads.
  void begin(std::string_view image);

  /// The cubin of PTX that a program has begun to assemble, once it is made,
  /// which it gives up; empty where the assembler makes none. Nothing where no
  /// program has begun it, or its turn has not come: the caller assembles it.
  static std::optional<std::string> take(std::string_view image);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_KERNELASSEMBLY_H
