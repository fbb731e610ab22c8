//===- ArtefactChoice.cpp - Which program of an artefact runs -------------===//

#include "ArtefactChoice.h"
#include "TC/Runtime/CPUFeatures.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Device.h"

#include <charconv>

using namespace tc::runtime;

static constexpr std::string_view kCUDA = "cuda:sm_";

Expected<ArtefactDevice> ArtefactDevice::parse(const std::string &text) {
  if (text.empty())
    return ArtefactDevice();
  if (text == "cpu")
    return ArtefactDevice{TC_DEVICE_CPU, 0};
  ArtefactDevice device{TC_DEVICE_CUDA, 0};
  const char *end = text.data() + text.size();
  if (text == "cuda")
    return device;
  if (text.starts_with("cuda:")) {
    auto [last, error] = std::from_chars(text.data() + 5, end, device.index);
    if (error == std::errc() && last == end && device.index >= 0 &&
        device.index < TC_MAX_DEVICES)
      return device;
  }
  return Status(ErrorCode::InvalidArgument,
                "the device is '" + text +
                    "', expected cpu, cuda or cuda:N with N from 0 to " +
                    std::to_string(TC_MAX_DEVICES - 1));
}

bool tc::runtime::isCUDATarget(const std::string &target) {
  return target.starts_with("cuda");
}

namespace {
/// "cuda:sm_90a" as 90 and 'a'.
struct Chip {
  int number = 0;
  char suffix = 0;

  explicit Chip(const std::string &target) {
    if (!target.starts_with(kCUDA))
      return;
    const char *end = target.data() + target.size();
    auto [last, error] =
        std::from_chars(target.data() + kCUDA.size(), end, number);
    if (error == std::errc() && last != end)
      suffix = *last;
  }
};

/// The best so far, and why the others do not run.
struct Choice {
  std::optional<size_t> number;
  std::string refusals;

  void refuse(const ArtefactProgram &program, const std::string &why) {
    refusals += (refusals.empty() ? "" : "; ") + program.target + " " + why;
  }
};
} // namespace

bool tc::runtime::runsCUDATarget(const std::string &target,
                                 const std::string &device) {
  const Chip needed(target), own(device);
  if (needed.number == 0 || own.number == 0)
    return false;
  if (needed.suffix == 'a')
    return needed.number == own.number;
  if (needed.suffix == 'f' && needed.number / 10 != own.number / 10)
    return false;
  return needed.number <= own.number;
}

bool tc::runtime::runsCubin(const std::string &target,
                            const std::string &device) {
  return runsCUDATarget(target, device) &&
         Chip(target).number / 10 == Chip(device).number / 10;
}

static std::string join(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// What the machine lacks to run host functions: an architecture or features.
static std::vector<std::string> whatIsMissing(const ArtefactProgram &program) {
  if (program.architecture != hostArchitecture())
    return {program.architecture};
  return missingCPUFeatures(program.features);
}

static void chooseCPUProgram(const std::vector<ArtefactProgram> &programs,
                             Choice &choice) {
  for (size_t number = 0; number < programs.size(); ++number) {
    const ArtefactProgram &program = programs[number];
    if (isCUDATarget(program.target)) {
      choice.refuse(program, "is for another device");
      continue;
    }
    const std::vector<std::string> missing = whatIsMissing(program);
    if (!missing.empty())
      choice.refuse(program, "needs what is not here: " + join(missing));
    else if (!choice.number ||
             program.features.size() > programs[*choice.number].features.size())
      choice.number = number;
  }
}

static void chooseCUDAProgram(const std::vector<ArtefactProgram> &programs,
                              const std::string &device, Choice &choice) {
  for (size_t number = 0; number < programs.size(); ++number) {
    const ArtefactProgram &program = programs[number];
    if (!isCUDATarget(program.target)) {
      choice.refuse(program, "is for another device");
      continue;
    }
    const std::vector<std::string> missing = whatIsMissing(program);
    const Chip chip(program.target);
    if (!runsCUDATarget(program.target, device))
      choice.refuse(program, "does not run on " + device);
    else if (!missing.empty())
      choice.refuse(program, "needs what is not here: " + join(missing));
    else if (!choice.number ||
             std::pair(chip.number, chip.suffix) >
                 std::pair(Chip(programs[*choice.number].target).number,
                           Chip(programs[*choice.number].target).suffix))
      choice.number = number;
  }
}

/// The target of the CUDA device with that number.
static Expected<std::string> cudaDeviceTarget(int32_t index) {
  if (Status status = cuda::checkDevice(index); !status.ok())
    return status;
  for (const DeviceInfo &device : listDevices())
    if (device.kind == TC_DEVICE_CUDA && device.index == index)
      return device.target;
  return Status(ErrorCode::Unsupported,
                "there is no CUDA device number " + std::to_string(index));
}

Expected<size_t>
tc::runtime::chooseProgram(const std::string &name,
                           const std::vector<ArtefactProgram> &programs,
                           const ArtefactDevice &device) {
  bool isForCUDA = device.kind == TC_DEVICE_CUDA;
  if (!device.kind) {
    isForCUDA = true;
    for (const ArtefactProgram &program : programs)
      isForCUDA &= isCUDATarget(program.target);
  }
  Choice choice;
  std::string machine = std::string(hostArchitecture()) + " machine";
  if (isForCUDA) {
    Expected<std::string> target = cudaDeviceTarget(device.index);
    if (!target.ok())
      return target.takeStatus();
    machine = "CUDA device (" + *target + ")";
    chooseCUDAProgram(programs, *target, choice);
  } else {
    chooseCPUProgram(programs, choice);
  }
  if (choice.number)
    return *choice.number;
  return Status(ErrorCode::Unsupported,
                "'" + name + "' has no target that this " + machine +
                    " can run: " + choice.refusals);
}
