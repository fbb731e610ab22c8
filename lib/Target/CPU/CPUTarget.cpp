//===- CPUTarget.cpp - Which CPU code is generated for --------------------===//

#include "TC/Target/CPU/CPUTarget.h"
#include "TC/Runtime/CPUFeatures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <mutex>

using namespace tc;
using llvm::StringRef;

void tc::initializeCPUTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

static llvm::Expected<const llvm::Target *>
lookupTarget(const std::string &triple) {
  initializeCPUTargets();
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

/// The instructions that this process may execute.
static llvm::StringMap<bool> getHostFeatures() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("amx-tile") && !runtime::requestTileRegisters())
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

/// " (did you mean 'x' or 'y'?)" with the names nearest in spelling, or nothing
/// where none is near.
template <typename Entry>
static std::string suggest(StringRef name, llvm::ArrayRef<Entry> known) {
  unsigned nearest = std::max<size_t>(2, name.size() / 3);
  llvm::SmallVector<std::string> names;
  for (const Entry &entry : known) {
    unsigned distance =
        name.edit_distance(entry.Key, /*AllowReplacements=*/true, nearest + 1);
    if (distance > nearest)
      continue;
    if (distance < nearest)
      names.clear();
    nearest = distance;
    names.push_back(("'" + llvm::Twine(entry.Key) + "'").str());
  }
  constexpr size_t kMost = 4;
  names.truncate(std::min(names.size(), kMost));
  return names.empty() ? ""
                       : " (did you mean " + llvm::join(names, " or ") + "?)";
}

llvm::Error CPUTarget::checkFeatures() const {
  std::unique_ptr<llvm::MCSubtargetInfo> known = describe(*this, "", "");
  if (!known)
    return lookupTarget(triple).takeError();
  llvm::SmallVector<StringRef> flags;
  StringRef(features).split(flags, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef flag : flags) {
    StringRef name = flag;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return llvm::createStringError("the target has the feature '" + flag +
                                     "', expected +" + flag + " or -" + flag);
    if (llvm::none_of(known->getAllProcessorFeatures(),
                      [&](const auto &feature) { return name == feature.Key; }))
      return llvm::createStringError(
          "the target names the feature '" + name +
          "', which LLVM does not know for " + triple +
          suggest(name, known->getAllProcessorFeatures()));
  }
  return llvm::Error::success();
}

llvm::Error CPUTarget::check() const {
  std::unique_ptr<llvm::MCSubtargetInfo> known = describe(*this, "", "");
  if (!known)
    return lookupTarget(triple).takeError();
  if (!known->isCPUStringValid(chip))
    return llvm::createStringError(
        "the target names the cpu '" + chip +
        "', which LLVM does not know for " + triple +
        suggest(chip, known->getAllProcessorDescriptions()) +
        "; for example x86-64-v3, znver4 or host");
  if (llvm::Error error = checkFeatures())
    return error;
  // LLVM ends the process where it is to pass arguments in registers that are
  // not there.
  if (llvm::Triple(triple).isX86_64())
    for (StringRef needed : {"64bit", "64bit-mode", "x87", "sse2"})
      if (!hasFeature(needed))
        return llvm::createStringError(
            "the target's cpu '" + chip + "' lacks " + needed +
            ", which all code for " + triple + " needs");
  return llvm::Error::success();
}

/// The architectures that code can be generated for. Their names are in front
/// of a chip's.
static bool isArchitecture(StringRef name) {
  return name == "x86_64" || name == "aarch64";
}

static StringRef getArchitecture(StringRef triple) {
  return triple.split('-').first;
}

/// Another machine's code is for Linux, as TC's runtime is.
static std::string getTriple(StringRef architecture) {
  std::string own = llvm::sys::getProcessTriple();
  return architecture == getArchitecture(own)
             ? own
             : (architecture + "-unknown-linux-gnu").str();
}

/// The part of "cpu:ARCHITECTURE:NAME:FEATURES" after the architecture, which
/// is this machine's where the text names none.
static StringRef takeArchitecture(StringRef text, std::string &triple) {
  auto [first, rest] = text.split(':');
  if (!isArchitecture(first))
    return text;
  triple = getTriple(first);
  return rest;
}

llvm::Expected<CPUTarget> CPUTarget::parse(StringRef text) {
  auto [kind, rest] = text.split(':');
  if (kind != "cpu")
    return llvm::createStringError(
        "the target is '" + text +
        "', expected cpu, cpu:NAME, cpu:NAME:+FEATURE,-FEATURE or "
        "cuda:sm_NN");
  CPUTarget target = host();
  auto [chip, features] = takeArchitecture(rest, target.triple).split(':');
  if (!isHost(text)) {
    target.chip = chip.empty() ? "generic" : chip.str();
    target.features.clear();
  }
  if (!features.empty())
    target.features += (target.features.empty() ? "" : ",") + features.str();
  if (llvm::Error error = target.check())
    return std::move(error);
  return target;
}

bool CPUTarget::isHost(StringRef text) {
  auto [kind, rest] = text.split(':');
  StringRef chip = rest.split(':').first;
  return kind == "cpu" && (chip.empty() || chip == "host" || chip == "native");
}

bool CPUTarget::hasHostArchitecture() const {
  return getArchitecture(triple) == getArchitecture(host().triple);
}

CPUTarget CPUTarget::fromAttribute(TargetAttr attribute) {
  CPUTarget target = host();
  if (attribute && !attribute.getChip().empty()) {
    target.triple = getTriple("x86_64");
    target.chip = takeArchitecture(attribute.getChip(), target.triple).str();
    target.features = attribute.getFeatures().str();
  }
  return target;
}

TargetAttr CPUTarget::toAttribute(mlir::MLIRContext *context) const {
  StringRef architecture = getArchitecture(triple);
  return TargetAttr::get(
      context, "cpu",
      architecture == "x86_64" ? chip : (architecture + ":" + chip).str(),
      features);
}

bool CPUTarget::hasFeature(StringRef feature) const {
  std::unique_ptr<llvm::MCSubtargetInfo> info = describe(*this, chip, features);
  auto isNamed = [&](const auto &known) { return feature == known.Key; };
  return info && llvm::any_of(info->getAllProcessorFeatures(), isNamed) &&
         info->checkFeatures(("+" + feature).str());
}

CPUCapabilities CPUTarget::capabilities() const {
  CPUCapabilities can;
  std::unique_ptr<llvm::MCSubtargetInfo> info = describe(*this, chip, features);
  if (!info)
    return can;
  auto has = [&](const char *flags) { return info->checkFeatures(flags); };
  if (llvm::Triple(triple).isAArch64()) {
    can.vectorRegisters = 32;
    can.hasFMA = can.hasF16Conversion = true;
    return can;
  }
  can.hasFMA = has("+fma");
  can.hasF16Conversion = has("+f16c");
  if (has("+avx"))
    can.vectorBits = 256;
  // Registers of 512 bits are worth their clock rate wherever they are; a
  // chip's preference for less is about code with a vector here and there.
  can.hasAvx512 = has("+avx512f,+avx512vl,+avx512dq,+avx512bw");
  if (can.hasAvx512) {
    can.vectorBits = 512;
    can.vectorRegisters = 32;
    can.hasBF16Dot = has("+avx512bf16");
    can.hasBF16Tiles = can.hasBF16Dot && has("+amx-tile,+amx-bf16");
  }
  return can;
}

/// Whether LLVM makes instructions of the feature for nothing but calls of
/// intrinsics that TC's code has none of: those of operating systems,
/// cryptography, transactions, and hints about caches.
static bool isOutsideGeneratedCode(StringRef feature) {
  static const llvm::StringSet<> names = {"adx",
                                          "aes",
                                          "amx-avx512",
                                          "amx-complex",
                                          "amx-fp16",
                                          "amx-fp8",
                                          "amx-int8",
                                          "amx-movrs",
                                          "amx-tf32",
                                          "cldemote",
                                          "clflushopt",
                                          "clwb",
                                          "clzero",
                                          "crc32",
                                          "enqcmd",
                                          "fsgsbase",
                                          "fxsr",
                                          "hreset",
                                          "invpcid",
                                          "kl",
                                          "lwp",
                                          "movdir64b",
                                          "movdiri",
                                          "mwaitx",
                                          "pclmul",
                                          "pconfig",
                                          "pku",
                                          "prefetchi",
                                          "ptwrite",
                                          "raoint",
                                          "rdpid",
                                          "rdpru",
                                          "rdrnd",
                                          "rdseed",
                                          "rtm",
                                          "serialize",
                                          "sgx",
                                          "sha",
                                          "sha512",
                                          "shstk",
                                          "sm3",
                                          "sm4",
                                          "tsxldtrk",
                                          "uintr",
                                          "usermsr",
                                          "vaes",
                                          "vpclmulqdq",
                                          "waitpkg",
                                          "wbnoinvd",
                                          "widekl",
                                          "xsave",
                                          "xsavec",
                                          "xsaveopt",
                                          "xsaves",
                                          "avx512vp2intersect"};
  return names.contains(feature);
}

std::vector<std::string> CPUTarget::instructionFeatures() const {
  std::vector<std::string> names;
  std::unique_ptr<llvm::MCSubtargetInfo> own = describe(*this, chip, features);
  if (!own || !hasHostArchitecture())
    return names;
  // Features of instructions, as the host is asked for them; tuning flags
  // among LLVM's features do not matter.
  for (const auto &entry : getHostFeatures())
    if (!isOutsideGeneratedCode(entry.first()) &&
        own->checkFeatures(("+" + entry.first()).str()))
      names.push_back(entry.first().str());
  llvm::sort(names);
  return names;
}

std::vector<std::string> CPUTarget::featuresMissingOnHost() const {
  if (!hasHostArchitecture())
    return {getArchitecture(triple).str()};
  std::vector<std::string> missing;
  std::vector<std::string> wanted = instructionFeatures();
  std::vector<std::string> present = host().instructionFeatures();
  std::set_difference(wanted.begin(), wanted.end(), present.begin(),
                      present.end(), std::back_inserter(missing));
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
