//===- CPUFeatures.h - What this machine's CPU can do -----------*- C++ -*-===//

#ifndef TC_RUNTIME_CPUFEATURES_H
#define TC_RUNTIME_CPUFEATURES_H

#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// "x86_64" or "aarch64": what the process runs on.
std::string_view hostArchitecture();

/// Those of `features`, as LLVM names them, that this process cannot use: the
/// CPU has no such instructions, or the system does not keep their registers,
/// or the name is not known.
std::vector<std::string>
missingCPUFeatures(const std::vector<std::string> &features);

/// Asks the system for the tile registers of AMX. A Linux process has to before
/// it first uses them (Documentation/arch/x86/xstate.rst).
bool requestTileRegisters();

} // namespace tc::runtime

#endif // TC_RUNTIME_CPUFEATURES_H
