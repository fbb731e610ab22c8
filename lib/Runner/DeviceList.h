//===- DeviceList.h - tc-run --list-devices ---------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_DEVICELIST_H
#define TC_LIB_RUNNER_DEVICELIST_H

#include "llvm/Support/raw_ostream.h"

namespace tc::runner {

/// Prints a table of the CPU and the CUDA devices, or why there are none.
void listDevices(llvm::raw_ostream &os);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_DEVICELIST_H
