//===- KernelCubins.h - Machine code of an artefact's kernels ---*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_KERNELCUBINS_H
#define TC_LIB_RUNTIME_KERNELCUBINS_H

#include "TC/Runtime/Artefact.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tc::runtime {

/// The cubins that an artefact has beside the PTX of its kernels, for as long
/// as its code is linked. Safe for several threads.
class KernelCubins {
public:
  /// Copies of `cubins`, which were assembled for `target`, "cuda:sm_90a". The
  /// kernels' PTX is in `code`.
  KernelCubins(std::span<const char> code, std::string target,
               const std::vector<KernelCode> &cubins);
  ~KernelCubins();
  KernelCubins(const KernelCubins &) = delete;
  KernelCubins &operator=(const KernelCubins &) = delete;

  /// The cubin of the kernel of that name whose PTX is at `image`, where the
  /// device's chip, "sm_90", runs it; null where there is none.
  static std::shared_ptr<const std::string>
  find(const char *image, const std::string &kernel, const std::string &chip);

private:
  std::span<const char> code;
  std::string target;
  std::map<std::string, std::shared_ptr<const std::string>> cubins;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_KERNELCUBINS_H
