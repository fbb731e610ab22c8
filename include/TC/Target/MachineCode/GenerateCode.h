//===- GenerateCode.h - LLVM IR to code -------------------------*- C++ -*-===//

#ifndef TC_TARGET_MACHINECODE_GENERATECODE_H
#define TC_TARGET_MACHINECODE_GENERATECODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tc {

/// Generates code, an object file or text, which is added to `bytes`. Changes
/// the module.
llvm::Error generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                         llvm::CodeGenFileType type,
                         llvm::SmallVectorImpl<char> &bytes);

} // namespace tc

#endif // TC_TARGET_MACHINECODE_GENERATECODE_H
