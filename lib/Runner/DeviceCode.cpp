//===- DeviceCode.cpp - PTX of kernels and what it takes ------------------===//

#include "DeviceCode.h"
#include "KernelReport.h"
#include "TC/Compiler/OutputFile.h"
#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TC/Runtime/CUDAMeasurement.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;
using runtime::cuda::KernelResources;

void DeviceCode::afterPhase(const PhaseInfo &phase, ModuleOp module) {
  if (phase.phase != Phase::Emit)
    return;
  kernels.clear();
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto name = global->getAttrOfType<StringAttr>(kImageAttr);
    auto image = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    if (name && image)
      kernels.push_back({name.str(), image.getValue().rtrim('\0').str()});
  }
}

llvm::Error DeviceCode::write(StringRef directory) const {
  if (directory.empty() || kernels.empty())
    return llvm::Error::success();
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return llvm::createStringError("cannot write " + directory + ": " +
                                   code.message());
  for (const Kernel &kernel : kernels) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, kernel.name + ".ptx");
    if (llvm::Error error =
            writeFile(path, [&](llvm::raw_ostream &os) { os << kernel.ptx; }))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What the code takes
//===----------------------------------------------------------------------===//

/// The number before (or, with an empty `before`, after) a text, or 0.
static int32_t numberAfter(StringRef text, StringRef before) {
  size_t at = text.find(before);
  int32_t number = 0;
  if (at != StringRef::npos)
    (void)text.drop_front(at + before.size())
        .ltrim()
        .consumeInteger(10, number);
  return number;
}

static int32_t numberBefore(StringRef text, StringRef after) {
  StringRef line = text.take_front(text.find(after)).rtrim();
  if (line.size() == text.size())
    return 0;
  int32_t number = 0;
  (void)line.take_back(line.size() - line.find_last_not_of("0123456789") - 1)
      .getAsInteger(10, number);
  return number;
}

/// What ptxas -v says of a kernel; nothing where there is none or it fails.
static std::optional<KernelResources> assemble(StringRef ptx) {
  auto program = llvm::sys::findProgramByName("ptxas");
  llvm::SmallString<64> source, output;
  if (!program ||
      llvm::sys::fs::createTemporaryFile("tc-kernel", "ptx", source))
    return std::nullopt;
  llvm::FileRemover removeSource(source);
  if (llvm::sys::fs::createTemporaryFile("tc-kernel", "txt", output))
    return std::nullopt;
  llvm::FileRemover removeOutput(output);
  llvm::Error written =
      writeFile(source, [&](llvm::raw_ostream &os) { os << ptx; });
  if (written) {
    llvm::consumeError(std::move(written));
    return std::nullopt;
  }
  StringRef chip = ptx.split(".target ").second;
  std::string arch = ("-arch=" + chip.take_while([](char c) {
                       return c == '_' || isalnum(c);
                     })).str();
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output),
                                          StringRef(output)};
  if (llvm::sys::ExecuteAndWait(
          *program, {*program, arch, "-v", "-o", "/dev/null", source},
          std::nullopt, redirects))
    return std::nullopt;
  auto text = llvm::MemoryBuffer::getFile(output);
  if (!text)
    return std::nullopt;
  StringRef said = (*text)->getBuffer();
  KernelResources resources;
  resources.registers = numberAfter(said, "Used ");
  resources.localBytes = numberBefore(said, " bytes stack frame");
  resources.sharedBytes = numberBefore(said, " bytes smem");
  return resources;
}

/// Instructions of a kernel as they are written: a line each that ends in a
/// semicolon and is no directive.
static int64_t countInstructions(StringRef ptx) {
  int64_t count = 0;
  for (StringRef line : llvm::split(ptx, '\n')) {
    line = line.trim();
    count += line.ends_with(";") && !line.starts_with(".") &&
             !line.starts_with("//");
  }
  return count;
}

void DeviceCode::print(llvm::raw_ostream &os) const {
  if (kernels.empty())
    return;
  std::vector<std::vector<std::string>> rows{{"code", "threads", "registers",
                                              "local bytes", "shared bytes",
                                              "PTX instructions"}};
  std::vector<std::string> remarks;
  std::string reason;
  for (const Kernel &kernel : kernels) {
    std::optional<KernelResources> resources;
    if (options.device == "cuda") {
      auto loaded = runtime::cuda::kernelResources(
          0, kernel.name.c_str(), kernel.ptx.c_str(), kernel.ptx.size());
      if (loaded.ok())
        resources = *loaded;
      else
        reason = loaded.error().message();
    } else {
      resources = assemble(kernel.ptx);
      if (!resources)
        reason = "no ptxas on PATH that takes the code, and no device";
    }
    auto cell = [&](int32_t KernelResources::*field) -> std::string {
      return resources ? std::to_string((*resources).*field) : "-";
    };
    rows.push_back(
        {kernel.name, std::to_string(numberAfter(kernel.ptx, ".maxntid ")),
         cell(&KernelResources::registers), cell(&KernelResources::localBytes),
         cell(&KernelResources::sharedBytes),
         std::to_string(countInstructions(kernel.ptx))});
    if (resources && resources->localBytes > 0)
      remarks.push_back("remark: each thread of '" + kernel.name + "' has " +
                        std::to_string(resources->localBytes) +
                        " bytes in local memory: registers spill, or an array "
                        "is indexed by a value");
  }
  os << "\n";
  printTable(os, rows);
  if (!reason.empty())
    os << "registers are not known: " << reason << "\n";
  for (const std::string &remark : remarks)
    os << remark << "\n";
}
