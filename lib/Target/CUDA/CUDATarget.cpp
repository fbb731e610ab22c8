//===- CUDATarget.cpp - Which GPU code is generated for -------------------===//

#include "TC/Target/CUDA/CUDATarget.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

using namespace tc;
using llvm::StringRef;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

/// The oldest architecture that generated code suits: the conversions of bf16
/// and the maximum that keeps NaN are instructions from here on.
static constexpr unsigned kOldestArchitecture = 80;

/// The first architecture with asynchronous products of matrices (wgmma) and
/// copies of tensors (TMA); PTX 8.6 has all of their forms.
static constexpr unsigned kHopper = 90;

/// Architectures that PTX 8.0 does not know yet. LLVM ends the process for a
/// version that is too old for the architecture; for these it chooses one.
static constexpr unsigned kBlackwell = 100;

/// The version of PTX that is written where the target names none.
static llvm::StringRef getDefaultFeatures(unsigned architecture) {
  if (architecture >= kBlackwell)
    return "";
  return architecture >= kHopper ? "+ptx86" : "+ptx80";
}

static llvm::Expected<const llvm::Target *> lookupTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string message;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(
      llvm::Triple(CUDATarget::kTriple), message);
  if (!found)
    return llvm::createStringError(message);
  return found;
}

bool CUDATarget::isCUDA(StringRef text) {
  return text == "cuda" || text.starts_with("cuda:");
}

/// The number in `sm_90a`, of a chip that TC generates code for.
static llvm::Expected<unsigned> parseChip(StringRef chip) {
  auto target = lookupTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> known((*target)->createMCSubtargetInfo(
      llvm::Triple(CUDATarget::kTriple), "", ""));
  unsigned number = 0;
  StringRef digits = chip;
  if (!known || !digits.consume_front("sm_") ||
      digits.consumeInteger(10, number) || !known->isCPUStringValid(chip))
    return llvm::createStringError("the target names chip '" + chip +
                                   "', expected one that LLVM knows, for "
                                   "example sm_80, sm_90 or sm_90a");
  if (number < kOldestArchitecture)
    return llvm::createStringError("the target names chip '" + chip +
                                   "', expected sm_80 or a later one");
  return number;
}

/// Refuses a PTX version, `+ptx63`, that an architecture may be too new for.
static llvm::Error checkFeatures(StringRef features, unsigned architecture) {
  unsigned oldest = architecture < kBlackwell ? 80 : 90;
  for (StringRef feature : llvm::split(features, ',')) {
    unsigned version = 0;
    if (feature.consume_front("+ptx") && !feature.getAsInteger(10, version) &&
        version < oldest)
      return llvm::createStringError(
          "the target asks for ptx" + llvm::Twine(version) + ", expected ptx" +
          llvm::Twine(oldest) + " or a later one for sm_" +
          llvm::Twine(architecture));
  }
  return llvm::Error::success();
}

llvm::Expected<CUDATarget> CUDATarget::parse(StringRef text) {
  auto [kind, rest] = text.split(':');
  auto [chip, features] = rest.split(':');
  if (kind != "cuda" || chip.empty())
    return llvm::createStringError(
        "the target is '" + text +
        "', expected cuda:CHIP or cuda:CHIP:+ptxNN, for example cuda:sm_90a");
  llvm::Expected<unsigned> architecture = parseChip(chip);
  if (!architecture)
    return architecture.takeError();
  if (llvm::Error error = checkFeatures(features, *architecture))
    return std::move(error);
  if (features.empty())
    features = getDefaultFeatures(*architecture);
  return CUDATarget{chip.str(), features.str()};
}

llvm::Expected<CUDATarget> CUDATarget::fromAttribute(TargetAttr attribute) {
  std::string text = "cuda:" + attribute.getChip().str();
  if (!attribute.getFeatures().empty())
    text += ":" + attribute.getFeatures().str();
  return parse(text);
}

TargetAttr CUDATarget::toAttribute(mlir::MLIRContext *context) const {
  return TargetAttr::get(context, "cuda", chip, features);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
tc::createTargetMachine(const CUDATarget &target) {
  auto found = lookupTarget();
  if (!found)
    return found.takeError();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  options.MCOptions.AsmVerbose = false;
  std::unique_ptr<llvm::TargetMachine> machine((*found)->createTargetMachine(
      llvm::Triple(CUDATarget::kTriple), target.chip, target.features, options,
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("LLVM has no code generator for " +
                                   target.chip);
  return machine;
}
