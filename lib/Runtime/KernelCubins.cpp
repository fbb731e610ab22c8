//===- KernelCubins.cpp - Machine code of an artefact's kernels -----------===//

#include "KernelCubins.h"
#include "ArtefactChoice.h"

#include <functional>
#include <mutex>

using namespace tc::runtime;

namespace {
/// All that there are, by the end of their code.
struct Registry {
  std::mutex mutex;
  std::map<const char *, const KernelCubins *, std::less<>> byEnd;
};

Registry &registry() {
  static auto *all = new Registry();
  return *all;
}

const char *endOf(std::span<const char> code) {
  return code.data() + code.size();
}
} // namespace

KernelCubins::KernelCubins(std::span<const char> code, std::string target,
                           const std::vector<KernelCode> &given)
    : code(code), target(std::move(target)) {
  for (const KernelCode &cubin : given)
    cubins.emplace(cubin.kernel, std::make_shared<const std::string>(
                                     cubin.code.data(), cubin.code.size()));
  const std::lock_guard lock(registry().mutex);
  registry().byEnd.emplace(endOf(code), this);
}

KernelCubins::~KernelCubins() {
  const std::lock_guard lock(registry().mutex);
  registry().byEnd.erase(endOf(code));
}

std::shared_ptr<const std::string> KernelCubins::find(const char *image,
                                                      const std::string &kernel,
                                                      const std::string &chip) {
  const std::lock_guard lock(registry().mutex);
  auto entry = registry().byEnd.upper_bound(image);
  if (entry == registry().byEnd.end() ||
      std::less<>()(image, entry->second->code.data()))
    return nullptr;
  const KernelCubins &own = *entry->second;
  if (!runsCubin(own.target, "cuda:" + chip))
    return nullptr;
  auto found = own.cubins.find(kernel);
  return found == own.cubins.end() ? nullptr : found->second;
}
