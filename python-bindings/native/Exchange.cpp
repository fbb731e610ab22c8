//===- Exchange.cpp - DLPack's table of C functions -----------------------===//

#include "Exchange.h"

namespace nb = nanobind;
using namespace tc::python;

namespace {
/// Of one type, which is held so that no other one takes its address.
struct KnownType {
  PyObject *type = nullptr;
  TensorType found;
};
} // namespace

static const ExchangeAPI *readExchange(nb::handle type) {
  nb::object capsule =
      nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return nullptr;
  auto *api = static_cast<ExchangeAPI *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api && api->major != 1)
    api = api->previous;
  return api;
}

static TensorType lookUp(nb::handle type) {
  auto getMethod = [&](const char *name) {
    return nb::getattr(type, name, nb::handle()).ptr(); // the type holds it
  };
  return {readExchange(type), getMethod("is_neg"), getMethod("is_conj")};
}

TensorType TensorType::get(nb::handle type) {
  // The GIL guards it. Programs have few types of tensors: a subclass that
  // finds no place is looked up each time.
  static KnownType known[8];
  for (KnownType &entry : known) {
    if (entry.type == type.ptr())
      return entry.found;
    if (entry.type)
      continue;
    entry.found = lookUp(type);
    entry.type = nb::handle(type).inc_ref().ptr();
    return entry.found;
  }
  return lookUp(type);
}
