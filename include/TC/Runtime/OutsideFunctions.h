//===- OutsideFunctions.h - What emitted code may call ----------*- C++ -*-===//

#ifndef TC_RUNTIME_OUTSIDEFUNCTIONS_H
#define TC_RUNTIME_OUTSIDEFUNCTIONS_H

#include <string_view>

namespace tc::runtime {

/// Whether emitted code may call the function although it does not define it:
/// functions of the C library that LLVM calls for intrinsics without an
/// instruction, those that move memory and of the mathematical part.
bool isOutsideFunction(std::string_view name);

} // namespace tc::runtime

#endif // TC_RUNTIME_OUTSIDEFUNCTIONS_H
