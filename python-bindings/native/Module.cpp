//===- Module.cpp - The extension module tc._native -----------------------===//
//
// The C API of TC as Python classes. The package tc has the interface; here is
// only what crosses the border of the languages.
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "BoxedCalls.h"
#include "Dispatcher.h"
#include "Errors.h"
#include "Program.h"
#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tc::python;

NB_MODULE(_native, module) {
  module.doc() = "The C API of TC.";
  // Whoever holds compiled functions until the process ends, as PyTorch does,
  // leaks nothing.
  nb::set_leak_warnings(false);
  check(tc_check_api_version(TC_C_API_VERSION));
  module.def("version", tc_version);
  module.def("get_thread_count", tc_get_thread_count);
  module.def("set_thread_count",
             [](uint32_t count) { check(tc_set_thread_count(count)); });
  // Addresses of functions, as of OpenMP's library.
  module.def("set_host_team", [](uintptr_t run, uintptr_t number,
                                 uintptr_t size) {
    check(tc_set_host_team(reinterpret_cast<void (*)(void (*)(void *), void *,
                                                     unsigned, unsigned)>(run),
                           reinterpret_cast<int (*)()>(number),
                           reinterpret_cast<int (*)()>(size)));
  });
  module.def("synchronize", [](int32_t device, uintptr_t stream) {
    tc_error *error;
    {
      nb::gil_scoped_release release;
      error = tc_cuda_synchronize(device, reinterpret_cast<void *>(stream));
    }
    check(error);
  });
  addArrays(module);
  addPrograms(module);
  addBoxedCalls(module);
  addDispatcher(module);
}
