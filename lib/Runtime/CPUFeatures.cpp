//===- CPUFeatures.cpp - What this machine's CPU can do -------------------===//

#include "TC/Runtime/CPUFeatures.h"

#include <cstdint>
#include <iterator>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tc::runtime;

bool tc::runtime::requestTileRegisters() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

std::string_view tc::runtime::hostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "an architecture that TC does not know";
#endif
}

#if defined(__x86_64__)
namespace {
enum Register { EAX, EBX, ECX, EDX };

/// Registers that the system has to keep: bits of XCR0.
enum State : uint64_t { Any = 0, Avx = 0x6, Avx512 = 0xe6, Tiles = 0x60006 };

/// Where the instruction CPUID says that the CPU has a feature.
struct FeatureBit {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  State state;
};

constexpr uint32_t kExtended = 0x80000001;
constexpr FeatureBit kBits[] = {
    {"sse3", 1, 0, ECX, 0, Any},
    {"ssse3", 1, 0, ECX, 9, Any},
    {"fma", 1, 0, ECX, 12, Avx},
    {"cx16", 1, 0, ECX, 13, Any},
    {"sse4.1", 1, 0, ECX, 19, Any},
    {"sse4.2", 1, 0, ECX, 20, Any},
    {"movbe", 1, 0, ECX, 22, Any},
    {"popcnt", 1, 0, ECX, 23, Any},
    {"xsave", 1, 0, ECX, 26, Any},
    {"avx", 1, 0, ECX, 28, Avx},
    {"f16c", 1, 0, ECX, 29, Avx},
    {"rdrnd", 1, 0, ECX, 30, Any},
    {"cx8", 1, 0, EDX, 8, Any},
    {"cmov", 1, 0, EDX, 15, Any},
    {"mmx", 1, 0, EDX, 23, Any},
    {"sse", 1, 0, EDX, 25, Any},
    {"sse2", 1, 0, EDX, 26, Any},
    {"bmi", 7, 0, EBX, 3, Any},
    {"avx2", 7, 0, EBX, 5, Avx},
    {"bmi2", 7, 0, EBX, 8, Any},
    {"avx512f", 7, 0, EBX, 16, Avx512},
    {"avx512dq", 7, 0, EBX, 17, Avx512},
    {"rdseed", 7, 0, EBX, 18, Any},
    {"avx512ifma", 7, 0, EBX, 21, Avx512},
    {"avx512cd", 7, 0, EBX, 28, Avx512},
    {"avx512bw", 7, 0, EBX, 30, Avx512},
    {"avx512vl", 7, 0, EBX, 31, Avx512},
    {"avx512vbmi", 7, 0, ECX, 1, Avx512},
    {"avx512vbmi2", 7, 0, ECX, 6, Avx512},
    {"gfni", 7, 0, ECX, 8, Any},
    {"avx512vnni", 7, 0, ECX, 11, Avx512},
    {"avx512bitalg", 7, 0, ECX, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Avx512},
    {"amx-bf16", 7, 0, EDX, 22, Tiles},
    {"avx512fp16", 7, 0, EDX, 23, Avx512},
    {"amx-tile", 7, 0, EDX, 24, Tiles},
    {"avxvnni", 7, 1, EAX, 4, Avx},
    {"avx512bf16", 7, 1, EAX, 5, Avx512},
    {"cmpccxadd", 7, 1, EAX, 7, Any},
    {"avxifma", 7, 1, EAX, 23, Avx},
    {"avxvnniint8", 7, 1, EDX, 4, Avx},
    {"avxneconvert", 7, 1, EDX, 5, Avx},
    {"avxvnniint16", 7, 1, EDX, 10, Avx},
    {"avx10.1", 7, 1, EDX, 19, Avx512},
    {"sahf", kExtended, 0, ECX, 0, Any},
    {"lzcnt", kExtended, 0, ECX, 5, Any},
    {"sse4a", kExtended, 0, ECX, 6, Any},
    {"prfchw", kExtended, 0, ECX, 8, Any},
    {"xop", kExtended, 0, ECX, 11, Avx},
    {"fma4", kExtended, 0, ECX, 16, Avx},
    {"tbm", kExtended, 0, ECX, 21, Any},
    {"64bit", kExtended, 0, EDX, 29, Any},
};

/// The registers that the system keeps when it switches threads.
uint64_t keptState() {
  uint32_t registers[4] = {};
  constexpr uint32_t kSystemUsesXSave = 1u << 27;
  if (!__get_cpuid(1, &registers[EAX], &registers[EBX], &registers[ECX],
                   &registers[EDX]) ||
      !(registers[ECX] & kSystemUsesXSave))
    return 0;
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

bool hasFeature(std::string_view name) {
  static const uint64_t kept = keptState();
  for (const FeatureBit &row : kBits) {
    if (row.name != name)
      continue;
    uint32_t registers[4] = {};
    if (!__get_cpuid_count(row.leaf, row.subleaf, &registers[EAX],
                           &registers[EBX], &registers[ECX], &registers[EDX]))
      return false;
    return (registers[row.reg] >> row.bit & 1) &&
           (kept & row.state) == row.state &&
           (row.state != Tiles || requestTileRegisters());
  }
  return false;
}
} // namespace
#else
static bool hasFeature(std::string_view) { return false; }
#endif

std::vector<std::string>
tc::runtime::missingCPUFeatures(const std::vector<std::string> &features) {
  std::vector<std::string> missing;
  for (const std::string &feature : features)
    if (!hasFeature(feature))
      missing.push_back(feature);
  return missing;
}
