//===- Device.h - The devices of this machine -------------------*- C++ -*-===//

#ifndef TC_RUNTIME_DEVICE_H
#define TC_RUNTIME_DEVICE_H

#include "TC/Runtime/ABI.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tc::runtime {

struct DeviceInfo {
  tc_device_kind kind = TC_DEVICE_CPU;
  int32_t index = 0;
  std::string name;          ///< as the maker calls it
  std::string target;        ///< "cpu" or "cuda:sm_90"
  std::string features;      ///< a CPU's vector extensions, by spaces
  uint64_t memoryBytes = 0;  ///< what this process may use of it
  uint32_t computeUnits = 0; ///< cores this process may use, or SMs
};

/// The CPU, and the CUDA devices if the driver is there: libcuda is opened when
/// this is first called, never linked. A process that calls this must not use
/// CUDA in children that it forks afterwards.
const std::vector<DeviceInfo> &listDevices();

/// Only the CPU; does not touch CUDA.
DeviceInfo describeCPU();

} // namespace tc::runtime

#endif // TC_RUNTIME_DEVICE_H
