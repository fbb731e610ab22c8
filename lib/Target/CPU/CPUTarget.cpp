//===- CPUTarget.cpp - Which CPU code is generated for --------------------===//

#include "TC/Target/CPU/CPUTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tc;
using llvm::StringRef;

void tc::initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

static llvm::Expected<const llvm::Target *>
lookupTarget(const std::string &triple) {
  initializeNativeTarget();
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), message);
  if (!found)
    return llvm::createStringError(message);
  return found;
}

static std::unique_ptr<llvm::MCSubtargetInfo>
describe(const CPUTarget &target, StringRef chip, StringRef features) {
  llvm::Expected<const llvm::Target *> found = lookupTarget(target.triple);
  if (!found) {
    llvm::consumeError(found.takeError());
    return nullptr;
  }
  return std::unique_ptr<llvm::MCSubtargetInfo>((*found)->createMCSubtargetInfo(
      llvm::Triple(target.triple), chip, features));
}

/// Asks the system for the tile registers of AMX. A Linux process has to before
/// it first uses them (Documentation/arch/x86/xstate.rst).
static bool requestTileRegisters() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

/// What instructions this process may execute.
static llvm::StringMap<bool> getHostFeatures() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("amx-tile") && !requestTileRegisters())
    for (auto &feature : features)
      if (feature.first().starts_with("amx-"))
        feature.second = false;
  return features;
}

/// Features of this machine that its chip's name does not imply, and those it
/// implies that the machine, perhaps a virtual one, does not have.
static std::string describeHostFeatures(const CPUTarget &target) {
  std::unique_ptr<llvm::MCSubtargetInfo> chip =
      describe(target, target.chip, "");
  llvm::SmallVector<std::string> features;
  for (const auto &feature : getHostFeatures())
    if (std::string name = feature.first().str();
        !chip || chip->checkFeatures("+" + name) != feature.second)
      features.push_back((feature.second ? "+" : "-") + name);
  llvm::sort(features);
  return llvm::join(features, ",");
}

CPUTarget CPUTarget::host() {
  static const CPUTarget machine = [] {
    CPUTarget target;
    target.triple = llvm::sys::getProcessTriple();
    target.chip = llvm::sys::getHostCPUName().str();
    target.features = describeHostFeatures(target);
    return target;
  }();
  return machine;
}

llvm::Expected<CPUTarget> CPUTarget::parse(StringRef text) {
  auto [kind, rest] = text.split(':');
  if (kind != "cpu")
    return llvm::createStringError(
        "the target is '" + text +
        "', expected cpu, cpu:NAME, cpu:NAME:+FEATURE,-FEATURE or "
        "cuda:sm_NN");
  auto [chip, features] = rest.split(':');
  CPUTarget target = host();
  if (!chip.empty() && chip != "host" && chip != "native") {
    std::unique_ptr<llvm::MCSubtargetInfo> known = describe(target, "", "");
    if (!known || !known->isCPUStringValid(chip))
      return llvm::createStringError("the target names the cpu '" + chip +
                                     "', which LLVM does not know for " +
                                     target.triple +
                                     "; for example x86-64-v3, znver4 or host");
    target.chip = chip.str();
    target.features.clear();
  }
  if (!features.empty())
    target.features += (target.features.empty() ? "" : ",") + features.str();
  return target;
}

CPUTarget CPUTarget::fromAttribute(TargetAttr attribute) {
  CPUTarget target = host();
  if (attribute && !attribute.getChip().empty()) {
    target.chip = attribute.getChip().str();
    target.features = attribute.getFeatures().str();
  }
  return target;
}

TargetAttr CPUTarget::toAttribute(mlir::MLIRContext *context) const {
  return TargetAttr::get(context, "cpu", chip, features);
}

bool CPUTarget::hasFeature(StringRef feature) const {
  std::unique_ptr<llvm::MCSubtargetInfo> info = describe(*this, chip, features);
  return info && info->checkFeatures(("+" + feature).str());
}

unsigned CPUTarget::vectorBits() const {
  for (auto [feature, bits] : {std::pair("avx512f", 512u), {"avx", 256u}})
    if (hasFeature(feature))
      return bits;
  return 128;
}

std::vector<std::string> CPUTarget::featuresMissingOnHost() const {
  CPUTarget machine = host();
  std::unique_ptr<llvm::MCSubtargetInfo> wanted =
      describe(*this, chip, features);
  std::unique_ptr<llvm::MCSubtargetInfo> present =
      describe(machine, machine.chip, machine.features);
  std::vector<std::string> missing;
  if (!wanted || !present)
    return missing;
  // Features of instructions, as the host is asked for them; tuning flags
  // among LLVM's features do not matter.
  llvm::StringMap<bool> instructionSets = getHostFeatures();
  for (const auto &entry : instructionSets)
    if (!entry.second) {
      std::string flag = ("+" + entry.first()).str();
      if (wanted->checkFeatures(flag) && !present->checkFeatures(flag))
        missing.push_back(entry.first().str());
    }
  llvm::sort(missing);
  return missing;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
tc::createTargetMachine(const CPUTarget &target, CodeQuality quality) {
  llvm::Expected<const llvm::Target *> found = lookupTarget(target.triple);
  if (!found)
    return found.takeError();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  // Nothing of LLVM reads these while the code lives in memory only.
  options.MCOptions.AsmVerbose = false;
  // Host code is long, straight and run once a call: above level None the time
  // for its registers grows faster than its length.
  auto level = quality == CodeQuality::Best ? llvm::CodeGenOptLevel::Default
                                            : llvm::CodeGenOptLevel::None;
  std::unique_ptr<llvm::TargetMachine> machine((*found)->createTargetMachine(
      llvm::Triple(target.triple), target.chip, target.features, options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!machine)
    return llvm::createStringError("LLVM has no code generator for " +
                                   target.triple);
  if (quality == CodeQuality::Fast) {
    machine->setFastISel(true);
    machine->setO0WantsFastISel(true);
  }
  return machine;
}
