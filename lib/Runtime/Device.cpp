//===- Device.cpp - The devices of this machine ---------------------------===//

#include "TC/Runtime/Device.h"
#include "CUDADriver.h"
#include "TC/Runtime/CPULimit.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace tc::runtime;

namespace {

/// Vector extensions that code generation can make use of; the rest of the long
/// list in /proc/cpuinfo would only be noise.
constexpr const char *usefulFeatures[] = {
    "sse4_2",      "avx",         "avx2",     "fma",      "f16c",
    "avx512f",     "avx512bw",    "avx512vl", "avx512dq", "avx512_vnni",
    "avx512_bf16", "avx512_fp16", "avx_vnni", "amx_tile", "amx_int8",
    "amx_bf16",    "amx_fp16",    "asimd",    "asimdhp",  "bf16",
    "i8mm",        "sve",         "sve2",     "sme",
};

// CU_DEVICE_ATTRIBUTE_*
constexpr int multiprocessorCount = 16;
constexpr int computeCapabilityMajor = 75;
constexpr int computeCapabilityMinor = 76;
/// Chips from sm_90 on have instructions of their own, named sm_90a.
constexpr int firstArchitectureSpecific = 9;

void addCUDADevices(std::vector<DeviceInfo> &devices) {
  const CUDADriver *opened = CUDADriver::get();
  int count = 0;
  if (!opened || opened->cuDeviceGetCount(&count) != 0)
    return;
  const CUDADriver &driver = *opened;
  for (int index = 0; index < count; ++index) {
    int device = 0, major = 0, minor = 0, multiprocessors = 0;
    char name[256] = "";
    size_t bytes = 0;
    if (driver.cuDeviceGet(&device, index) != 0 ||
        driver.cuDeviceGetName(name, sizeof(name), device) != 0 ||
        driver.cuDeviceTotalMem(&bytes, device) != 0 ||
        driver.cuDeviceGetAttribute(&major, computeCapabilityMajor, device) ||
        driver.cuDeviceGetAttribute(&minor, computeCapabilityMinor, device) ||
        driver.cuDeviceGetAttribute(&multiprocessors, multiprocessorCount,
                                    device))
      continue;
    DeviceInfo info;
    info.kind = TC_DEVICE_CUDA;
    info.index = index;
    info.name = name;
    info.target = "cuda:sm_" + std::to_string(10 * major + minor);
    // With the instructions that later architectures need not have.
    if (major >= firstArchitectureSpecific)
      info.target += "a";
    info.memoryBytes = bytes;
    info.computeUnits = unsigned(multiprocessors);
    devices.push_back(std::move(info));
  }
}

} // namespace

DeviceInfo tc::runtime::describeCPU() {
  DeviceInfo info;
  info.target = "cpu";
  info.memoryBytes = availableMemoryBytes();
  info.computeUnits = availableCPUCount();
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  std::set<std::string> flags;
  // Lines are "key : value", one block per CPU; the first block is enough.
  while (std::getline(file, line) && !line.empty()) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    const std::string key =
        line.substr(0, line.find_last_not_of(" \t:", colon) + 1);
    const std::string value =
        colon + 2 < line.size() ? line.substr(colon + 2) : "";
    if (key == "model name")
      info.name = value;
    if (key == "flags" || key == "Features") {
      std::istringstream words(value);
      for (std::string word; words >> word;)
        flags.insert(word);
    }
  }
  for (const char *feature : usefulFeatures)
    if (flags.count(feature))
      info.features +=
          (info.features.empty() ? "" : " ") + std::string(feature);
  return info;
}

const std::vector<DeviceInfo> &tc::runtime::listDevices() {
  static const auto *devices = [] {
    auto *result = new std::vector<DeviceInfo>{describeCPU()};
    addCUDADevices(*result);
    return result;
  }();
  return *devices;
}
