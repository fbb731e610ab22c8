//===- Exchange.h - DLPack's table of C functions ---------------*- C++ -*-===//
//
// A library may offer functions for exchanging tensors that need no Python
// object on the way: `type.__dlpack_c_exchange_api__`, a capsule. PyTorch has
// them from 2.10 on. The structs are those of DLPack 1.3:
// https://dmlc.github.io/dlpack/latest/c_api.html
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_EXCHANGE_H
#define TC_PYTHON_EXCHANGE_H

#include "TC/Runtime/DLPack.h"
#include <cstdint>
#include <nanobind/nanobind.h>

struct DLManagedTensorVersioned;

namespace tc::python {

/// DLPackExchangeAPI of DLPack's ABI.
struct ExchangeAPI {
  uint32_t major, minor;
  ExchangeAPI *previous;
  int (*allocate)(runtime::DLTensor *prototype, DLManagedTensorVersioned **out,
                  void *context,
                  void (*setError)(void *context, const char *kind,
                                   const char *message));
  int (*takeManaged)(void *object, DLManagedTensorVersioned **out);
  int (*toObject)(DLManagedTensorVersioned *tensor, void **out);
  /// Describes a tensor without holding it; null where the library has none.
  int (*describe)(void *object, runtime::DLTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t device, void **out);
};

/// What is known of a type of tensors, and lives as long as it.
struct TensorType {
  /// The functions of its library; null where that offers none of version 1.
  const ExchangeAPI *exchange = nullptr;
  /// PyTorch's methods that say whether a tensor stands for the negations or
  /// the conjugates of the numbers in its memory; null where there are none.
  PyObject *isNegated = nullptr, *isConjugate = nullptr;

  /// Looked up once for each type.
  static TensorType get(nanobind::handle type);
};

} // namespace tc::python

#endif // TC_PYTHON_EXCHANGE_H
