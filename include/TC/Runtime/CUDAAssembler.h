//===- CUDAAssembler.h - CUDA's assembler as a program ----------*- C++ -*-===//

#ifndef TC_RUNTIME_CUDAASSEMBLER_H
#define TC_RUNTIME_CUDAASSEMBLER_H

#include <string>
#include <string_view>

namespace tc::runtime {

/// The cubin that `ptxas` makes of PTX, as a whole program for the chip that
/// the PTX names: the driver has a lock around its own assembler, so that it
/// makes one kernel after the other, where a process for each works at the same
/// time as others. The program is the one that `TC_PTXAS` names, or the first
/// of that name on `PATH`; with `TC_PTXAS=none` there is none. Empty where
/// there is none and where it refuses the PTX. Safe for several threads.
std::string assembleWholeProgram(std::string_view image);

} // namespace tc::runtime

#endif // TC_RUNTIME_CUDAASSEMBLER_H
