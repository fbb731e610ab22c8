//===- Array.h - Arrays of TC's in Python -----------------------*- C++ -*-===//

#ifndef TC_PYTHON_ARRAY_H
#define TC_PYTHON_ARRAY_H

#include "tc-c/Runtime.h"
#include <cstdint>
#include <nanobind/nanobind.h>
#include <utility>

namespace tc::python {

/// A tc_array of Python's, and the stream in whose order it is made.
class Array {
public:
  explicit Array(tc_array *handle, uintptr_t stream = 0)
      : handle(handle), stream(stream) {}
  Array(Array &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), stream(other.stream) {}
  Array &operator=(Array &&) = delete;
  ~Array() { tc_array_free(handle); }

  tc_array *get() const { return handle; }
  uintptr_t getStream() const { return stream; }

private:
  tc_array *handle;
  uintptr_t stream;
};

/// Adds the class and its functions to the module.
void addArrays(nanobind::module_ &module);

} // namespace tc::python

#endif // TC_PYTHON_ARRAY_H
