//===- Storage.cpp - Shared memory of tensors -----------------------------===//

#include "TC/Runtime/Storage.h"

using namespace tc::runtime;

namespace {
struct ForeignStorage : Storage {
  void (*deleter)(void *) = nullptr;
  void *context = nullptr;
};
} // namespace

StorageRef tc::runtime::wrapForeignMemory(void *data, size_t bytes,
                                          void (*deleter)(void *),
                                          void *context) {
  auto *storage = new ForeignStorage();
  storage->data = data;
  storage->bytes = bytes;
  storage->deleter = deleter;
  storage->context = context;
  storage->release = [](Storage *base) {
    auto *foreign = static_cast<ForeignStorage *>(base);
    if (foreign->deleter)
      foreign->deleter(foreign->context);
    delete foreign;
  };
  return StorageRef(storage);
}
