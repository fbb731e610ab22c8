//===- GenerateCode.cpp - LLVM IR to code ---------------------------------===//

#include "TC/Target/MachineCode/GenerateCode.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

llvm::Error tc::generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                             llvm::CodeGenFileType type,
                             llvm::SmallVectorImpl<char> &bytes) {
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager manager;
  if (machine.addPassesToEmitFile(manager, stream, nullptr, type,
                                  /*DisableVerify=*/true))
    return llvm::createStringError("LLVM cannot write code of this kind for " +
                                   machine.getTargetTriple().str());
  manager.run(module);
  return llvm::Error::success();
}
