//===- ProgramHandle.h - tc_program -----------------------------*- C++ -*-===//

#ifndef TC_LIB_CAPI_PROGRAMHANDLE_H
#define TC_LIB_CAPI_PROGRAMHANDLE_H

#include "Handles.h"
#include "Program.h"
#include "tc-c/Compiler.h"
#include <deque>

namespace tc::capi {
/// tc_tensor_info and what it points to.
struct TensorInfo {
  std::string type;
  std::vector<int64_t> sizes;
  std::vector<const char *> texts, strides;
};

/// The description of a program in C structs. Points into the manifest.
class Description {
public:
  explicit Description(const Program &program);

  std::vector<tc_function_info> functions;
  std::vector<tc_tensor_info> parameters;
  std::vector<tc_kernel_info> kernels;
  std::vector<tc_timing_info> timings;

private:
  tc_tensor_info describe(const ManifestTensor &tensor,
                          const std::string &mutates);
  tc_tensor_info describeInput(const ManifestInput &input);

  const std::string none;
  std::deque<TensorInfo> details;
  std::deque<std::string> signatures;
  std::deque<std::vector<tc_tensor_info>> tensors;
  std::deque<std::vector<tc_symbol_info>> symbols;
};

/// An error of the compiler's, without the end of its last line.
inline tc_error *toError(llvm::Error error, int32_t code) {
  std::string text = llvm::toString(std::move(error));
  return tc_error_create(code, llvm::StringRef(text).rtrim().str().c_str(),
                         nullptr);
}

} // namespace tc::capi

struct tc_program {
  explicit tc_program(std::unique_ptr<tc::capi::Program> made)
      : program(std::move(made)), description(*program) {}
  std::unique_ptr<tc::capi::Program> program;
  tc::capi::Description description;
};

#endif // TC_LIB_CAPI_PROGRAMHANDLE_H
