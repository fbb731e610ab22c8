//===- DeviceList.cpp - tc-run --list-devices -----------------------------===//

#include "DeviceList.h"
#include "KernelReport.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/CUDAMeasurement.h"
#include "TC/Runtime/Device.h"

using namespace tc;
using namespace tc::runner;

static std::string formatGiB(uint64_t bytes) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f GiB", double(bytes) / double(1u << 30));
  return text;
}

void runner::listDevices(llvm::raw_ostream &os) {
  std::vector<std::vector<std::string>> rows{
      {"device", "target", "name", "units", "memory", "L2", "driver"}};
  bool hasCUDA = false;
  for (const runtime::DeviceInfo &info : runtime::listDevices()) {
    bool isCUDA = info.kind == TC_DEVICE_CUDA;
    hasCUDA |= isCUDA;
    std::string l2 = "-", driver = "-";
    if (isCUDA)
      if (auto properties = runtime::cuda::deviceProperties(info.index);
          properties.ok()) {
        l2 = std::to_string(properties->l2Bytes >> 20) + " MiB";
        driver = std::to_string(properties->driverVersion / 1000) + "." +
                 std::to_string(properties->driverVersion % 1000 / 10);
      }
    rows.push_back({isCUDA ? "cuda:" + std::to_string(info.index) : "cpu",
                    info.target, info.name.empty() ? "-" : info.name,
                    std::to_string(info.computeUnits),
                    formatGiB(info.memoryBytes), l2, driver});
  }
  printTable(os, rows);
  if (hasCUDA)
    return;
  if (runtime::Status status = runtime::cuda::checkDevice(0); !status.ok())
    os << "no CUDA devices: " << status.message() << "\n";
}
