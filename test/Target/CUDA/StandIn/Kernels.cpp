//===- Kernels.cpp - Modules and launches of the stand-in -----------------===//

#include "State.h"
#include "TensorMap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

using namespace standin;

namespace {
struct Link {
  std::string ptx, cubin;
};

struct LaunchAttribute {
  int id;
  char padding[4];
  unsigned value[16];
};

struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  Stream *stream;
  const LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// A parameter of an entry in PTX: ".param .u64 name" or
/// ".param .align 64 .b8 name[128]".
Parameter parseParameter(const std::string &text, size_t end) {
  Parameter result{end, 8};
  if (const size_t open = text.find('['); open != text.npos)
    result.bytes = size_t(std::atoi(text.c_str() + open + 1));
  size_t alignment = 8;
  if (const size_t at = text.find(".align "); at != text.npos)
    alignment = size_t(std::atoi(text.c_str() + at + 7));
  result.offset = (end + alignment - 1) / alignment * alignment;
  return result;
}

int launch(const std::string &function, const LaunchConfig &config,
           Kernel &kernel, void **addresses, void **block) {
  if (int error = checkStream(config.stream))
    return error;
  Launch launch;
  launch.kernel = &kernel;
  std::copy_n(config.grid, 3, launch.grid);
  std::copy_n(config.block, 3, launch.block);
  launch.sharedBytes = config.sharedBytes;
  for (unsigned i = 0; i < config.attributeCount; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    if (attribute.id == 4)
      launch.cluster = attribute.value[0];
    else if (attribute.id == 6)
      launch.programmatic = attribute.value[0];
    else
      return invalidValue;
  }
  if (int error = copyArguments(launch, addresses, block))
    return error;
  std::string text;
  const int wrong = describe(launch, text);
  if (int error = record(function, text))
    return error;
  return wrong ? wrong : run(launch);
}
} // namespace

int standin::copyArguments(Launch &launch, void **addresses, void **block) {
  if (launch.kernel->context != current())
    return invalidHandle;
  if (addresses) {
    launch.arguments.resize(launch.kernel->parameterBytes);
    for (const Parameter &parameter : launch.kernel->parameters)
      std::memcpy(&launch.arguments[parameter.offset], *addresses++,
                  parameter.bytes);
    return success;
  }
  // The first parameter of a kernel with tensor maps, which are aligned to 64
  // bytes, is not where the driver copies a block to.
  for (const Parameter &parameter : launch.kernel->parameters)
    if (parameter.bytes != 8)
      return invalidValue;
  // CU_LAUNCH_PARAM_BUFFER_POINTER, arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
  // bytes, CU_LAUNCH_PARAM_END
  if (*static_cast<size_t *>(block[3]) != launch.kernel->parameterBytes)
    return invalidValue;
  const char *arguments = static_cast<const char *>(block[1]);
  launch.arguments.assign(arguments, arguments + launch.kernel->parameterBytes);
  return success;
}

int standin::describe(const Launch &launch, std::string &text) {
  text += launch.kernel->name + ", " + std::to_string(launch.grid[0]);
  if (launch.grid[1] != 1)
    text += " x " + std::to_string(launch.grid[1]);
  text += " x " + std::to_string(launch.block[0]);
  if (launch.sharedBytes)
    text += ", shared " + std::to_string(launch.sharedBytes);
  if (launch.cluster)
    text += ", cluster " + std::to_string(launch.cluster);
  if (launch.programmatic)
    text += ", programmatic";
  for (const Parameter &parameter : launch.kernel->parameters) {
    if (parameter.bytes != 8) {
      text += ", " + std::to_string(parameter.bytes) + " bytes";
      continue;
    }
    uint64_t value = 0;
    std::memcpy(&value, &launch.arguments[parameter.offset], sizeof(value));
    const std::string place = name(value);
    text += ", " + (place == "nothing" ? std::to_string(value) : place);
    const std::lock_guard lock(state().mutex);
    const Allocation *allocation = find(value, 1);
    if (allocation && allocation->context && allocation->context != current())
      return illegalAddress;
  }
  return success;
}

int standin::run(const Launch &launch) {
  ++current()->launches;
  if (kernelsRun())
    if (int error = interpret(launch))
      return error;
  const std::string status = environment("STAND_IN_STATUS");
  if (status.empty())
    return success;
  uint64_t last = 0;
  std::memcpy(&last, &launch.arguments[launch.kernel->parameters.back().offset],
              sizeof(last));
  *reinterpret_cast<int64_t *>(last) = std::atoll(status.c_str());
  return success;
}

namespace {
/// Records the call `call`, which `text` says more of, and makes `to` a tensor
/// map of what it is given, with the window of `map`.
int encode(const char *call, void *to, int type, uint32_t rank, void *address,
           const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
           int swizzle, const std::string &text, TensorMap map = {}) {
  constexpr uint32_t bytesOfType[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  if (type < 0 || size_t(type) >= std::size(bytesOfType) || rank < 1 ||
      rank > 5 || swizzle < 0 || swizzle > 3)
    return invalidValue;
  map.isMap = TensorMap::mark;
  map.address = reinterpret_cast<uint64_t>(address);
  map.rank = rank;
  map.elementBytes = bytesOfType[type];
  map.isF32 = type == 7; // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
  map.swizzleBytes = swizzle ? 16U << swizzle : 0;
  map.strides[0] = map.elementBytes;
  bool isValid = map.address % 16 == 0;
  for (uint32_t i = 0; i < rank; ++i) {
    map.sizes[i] = uint32_t(sizes[i]);
    map.box[i] = box[i];
    isValid &= sizes[i] >= 1 && sizes[i] <= uint64_t(1) << 32;
    if (i)
      map.strides[i] = strides[i - 1];
    isValid &= !i || (map.strides[i] > 0 && map.strides[i] % 16 == 0);
  }
  const uint32_t rowBytes = box[0] * map.elementBytes;
  isValid &=
      rowBytes % 16 == 0 && (!map.swizzleBytes || rowBytes <= map.swizzleBytes);
  if (!isValid)
    return invalidValue;
  std::memset(to, 0, 128);
  std::memcpy(to, &map, sizeof(map));
  return record(call, name(map.address) + ", type " + std::to_string(type) +
                          ", swizzle " + std::to_string(swizzle) + text);
}
} // namespace

extern "C" {

int cuLinkCreate_v2(unsigned, int *, void **, void **link) {
  *link = new Link();
  return record("cuLinkCreate");
}

int cuLinkAddData_v2(void *link, int, void *data, size_t bytes, const char *,
                     unsigned, int *, void **) {
  static_cast<Link *>(link)->ptx.assign(static_cast<const char *>(data), bytes);
  return record("cuLinkAddData");
}

int cuLinkComplete(void *link, void **cubin, size_t *bytes) {
  auto &made = *static_cast<Link *>(link);
  made.cubin = cubinHeader + made.ptx;
  *cubin = made.cubin.data();
  *bytes = made.cubin.size();
  return record("cuLinkComplete");
}

int cuLinkDestroy(void *link) {
  delete static_cast<Link *>(link);
  return success;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *,
                       void **) {
  const std::string text = static_cast<const char *>(image);
  *module = new Module{current(), text, nullptr};
  return record("cuModuleLoadDataEx",
                text.starts_with(cubinHeader) ? "cubin" : "PTX");
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  auto &from = *static_cast<Module *>(module);
  const size_t entry = from.ptx.find(".entry " + std::string(name) + "(");
  if (int error = record("cuModuleGetFunction", name))
    return error;
  if (entry == std::string::npos)
    return notFound;
  const size_t end = from.ptx.find(')', entry);
  auto *kernel = new Kernel{from.context, &from, name, {}, 0};
  size_t at = from.ptx.find(".param", entry);
  while (at < end) {
    const size_t next = std::min(from.ptx.find(".param", at + 1), end);
    const Parameter parameter =
        parseParameter(from.ptx.substr(at, next - at), kernel->parameterBytes);
    kernel->parameters.push_back(parameter);
    kernel->parameterBytes = parameter.offset + parameter.bytes;
    at = next;
  }
  *function = kernel;
  return success;
}

int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 0 ? 1024 // threads
           : attribute == 3
               ? std::atoi(environment("STAND_IN_LOCAL_BYTES", "0").c_str())
           : attribute == 4 ? 32 // registers
                            : 0;
  return success;
}

int cuFuncSetAttribute(void *, int attribute, int value) {
  return record("cuFuncSetAttribute",
                std::to_string(attribute) + ", " + std::to_string(value));
}

int cuTensorMapEncodeTiled(void *to, int type, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *, int,
                           int swizzle, int, int) {
  std::string text;
  for (uint32_t i = 0; i < rank; ++i) {
    if (box[i] < 1 || box[i] > 256)
      return invalidValue;
    text += ", " + std::to_string(box[i]) + " of " + std::to_string(sizes[i]);
  }
  return encode("cuTensorMapEncodeTiled", to, type, rank, address, sizes,
                strides, box, swizzle, text);
}

int cuTensorMapEncodeIm2col(void *to, int type, uint32_t rank, void *address,
                            const uint64_t *sizes, const uint64_t *strides,
                            const int *lower, const int *upper,
                            uint32_t channels, uint32_t pixels,
                            const uint32_t *steps, int, int swizzle, int, int) {
  if (rank < 3 || channels < 1 || channels > 256 || pixels < 1 || pixels > 1024)
    return invalidValue;
  std::string text = ", " + std::to_string(channels) + " channels, " +
                     std::to_string(pixels) + " places";
  const int end = 1 << (16 / (rank - 2) - 1);
  TensorMap map{};
  map.places = uint16_t(pixels);
  for (uint32_t i = 0; i + 2 < rank; ++i) {
    if (lower[i] < -end || lower[i] >= end || upper[i] < -end ||
        upper[i] >= end || steps[i + 1] < 1 || steps[i + 1] > 8)
      return invalidValue;
    map.lower[i] = int16_t(lower[i]);
    map.upper[i] = int16_t(upper[i]);
    map.steps[i] = uint8_t(steps[i + 1]);
    text += ", " + std::to_string(lower[i]) + " to " +
            std::to_string(upper[i]) + " by " + std::to_string(steps[i + 1]);
  }
  uint32_t box[5] = {channels, 1, 1, 1, 1};
  return encode("cuTensorMapEncodeIm2col", to, type, rank, address, sizes,
                strides, box, swizzle, text, map);
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **addresses, void **block) {
  const LaunchConfig config{{gridX, gridY, gridZ},
                            {blockX, blockY, blockZ},
                            sharedBytes,
                            static_cast<Stream *>(stream),
                            nullptr,
                            0};
  return launch("cuLaunchKernel", config, *static_cast<Kernel *>(function),
                addresses, block);
}

int cuLaunchKernelEx(const void *config, void *function, void **addresses,
                     void **block) {
  return launch("cuLaunchKernelEx", *static_cast<const LaunchConfig *>(config),
                *static_cast<Kernel *>(function), addresses, block);
}

} // extern "C"
