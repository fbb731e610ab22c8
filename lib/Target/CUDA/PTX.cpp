//===- PTX.cpp - LLVM dialect to PTX --------------------------------------===//

#include "TC/Target/CUDA/PTX.h"
#include "TC/Target/MachineCode/GenerateCode.h"
#include "TC/Target/MachineCode/OptimizeKernel.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tc;

/// The name of a function that is called and not defined, or an empty string.
static std::string findMissingFunction(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return function.getName().str();
  return "";
}

llvm::Expected<std::string> tc::generatePTX(gpu::GPUModuleOp module,
                                            const CUDATarget &target) {
  llvm::LLVMContext context;
  std::string name = module.getName().str();
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, name);
  if (!translated)
    return llvm::createStringError("'" + name +
                                   "' cannot be translated to LLVM IR");
  if (std::string missing = findMissingFunction(*translated); !missing.empty())
    return llvm::createStringError("'" + name + "' calls '" + missing +
                                   "', which it does not define");
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  translated->setTargetTriple((*machine)->getTargetTriple());
  translated->setDataLayout((*machine)->createDataLayout());
  // A table of branches is read from memory.
  for (llvm::Function &function : *translated)
    if (!function.isDeclaration())
      function.addFnAttr("no-jump-tables", "true");
  optimizeKernel(*translated, **machine);
  llvm::SmallString<0> text;
  if (llvm::Error error = generateCode(
          *translated, **machine, llvm::CodeGenFileType::AssemblyFile, text))
    return std::move(error);
  return text.str().str();
}
