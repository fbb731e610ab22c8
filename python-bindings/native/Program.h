//===- Program.h - Compiled programs in Python ------------------*- C++ -*-===//

#ifndef TC_PYTHON_PROGRAM_H
#define TC_PYTHON_PROGRAM_H

#include "tc-c/Compiler.h"
#include <cstdint>
#include <nanobind/nanobind.h>
#include <utility>

namespace tc::python {

/// A tc_program of Python's.
class Program {
public:
  explicit Program(tc_program *handle) : handle(handle) {}
  Program(Program &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  Program &operator=(Program &&) = delete;
  ~Program() { tc_program_free(handle); }

  tc_program *get() const { return handle; }

private:
  tc_program *handle;
};

/// The session of all compilations of the process; it is never freed.
tc_session *getSession();

/// Adds the class and the functions that compile.
void addPrograms(nanobind::module_ &module);

/// Adds what calls a function of a program.
void addCalls(nanobind::module_ &module, nanobind::class_<Program> &programs);

} // namespace tc::python

#endif // TC_PYTHON_PROGRAM_H
