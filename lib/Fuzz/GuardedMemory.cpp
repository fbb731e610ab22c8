//===- GuardedMemory.cpp - Memory between pages without access ------------===//

#include "GuardedMemory.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace tc;
using namespace tc::fuzz;

namespace {
struct Mapping {
  void *base;
  size_t bytes;
};
} // namespace

runtime::StorageRef tc::fuzz::allocateGuarded(size_t bytes, size_t alignment,
                                              GuardedEnd end) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t inner = llvm::alignTo(std::max<size_t>(bytes, 1), page);
  void *base = mmap(nullptr, inner + 2 * page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return {};
  char *begin = static_cast<char *>(base) + page;
  if (mprotect(begin, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, inner + 2 * page);
    return {};
  }
  std::memset(begin, 0xa5, inner);
  char *data = end == GuardedEnd::Begin
                   ? begin
                   : begin + llvm::alignDown(inner - bytes, alignment);
  return runtime::wrapForeignMemory(
      data, bytes,
      [](void *context) {
        auto *mapping = static_cast<Mapping *>(context);
        munmap(mapping->base, mapping->bytes);
        delete mapping;
      },
      new Mapping{base, inner + 2 * page});
}
