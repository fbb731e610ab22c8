//===- OptimizeKernel.h - LLVM passes on kernels ----------------*- C++ -*-===//

#ifndef TC_TARGET_MACHINECODE_OPTIMIZEKERNEL_H
#define TC_TARGET_MACHINECODE_OPTIMIZEKERNEL_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tc {

/// Optimises kernels before code generation. Kernels arrive tiled, vectorised
/// and unrolled, so this is what is left of LLVM's -O2 for such code: values
/// into registers, redundancy, loop invariants, and the shape of loops.
void optimizeKernel(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tc

#endif // TC_TARGET_MACHINECODE_OPTIMIZEKERNEL_H
