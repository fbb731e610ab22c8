//===- ProgramHandle.h - tc_program -----------------------------*- C++ -*-===//

#ifndef TC_LIB_CAPI_PROGRAMHANDLE_H
#define TC_LIB_CAPI_PROGRAMHANDLE_H

#include "Description.h"
#include "Handles.h"
#include "Program.h"
#include "tc-c/Compiler.h"

namespace tc::capi {

/// An error of the compiler's, without the end of its last line.
inline tc_error *toError(llvm::Error error, int32_t code) {
  std::string text = llvm::toString(std::move(error));
  return tc_error_create(code, llvm::StringRef(text).rtrim().str().c_str(),
                         nullptr);
}

} // namespace tc::capi

struct tc_program {
  explicit tc_program(std::unique_ptr<tc::capi::Program> made);

  std::unique_ptr<tc::capi::Program> program;
  tc::capi::Description description;
  std::vector<tc_kernel_info> kernels;
  std::vector<tc_timing_info> timings;
};

#endif // TC_LIB_CAPI_PROGRAMHANDLE_H
