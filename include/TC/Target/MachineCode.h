//===- MachineCode.h - What all code generators of LLVM share ---*- C++ -*-===//

#ifndef TC_TARGET_MACHINECODE_H
#define TC_TARGET_MACHINECODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tc {

/// Optimises kernels before code generation. Kernels arrive tiled, vectorised
/// and unrolled, so this is what is left of LLVM's -O2 for such code: values
/// into registers, redundancy, loop invariants, and the shape of loops.
void optimizeKernel(llvm::Module &module, llvm::TargetMachine &machine);

/// Generates code, an object file or text, which is added to `bytes`. Changes
/// the module.
llvm::Error generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                         llvm::CodeGenFileType type,
                         llvm::SmallVectorImpl<char> &bytes);

} // namespace tc

#endif // TC_TARGET_MACHINECODE_H
