//===- ObjectCode.h - LLVM dialect to object code ---------------*- C++ -*-===//

#ifndef TC_TARGET_CPU_OBJECTCODE_H
#define TC_TARGET_CPU_OBJECTCODE_H

#include "TC/Target/CPU/CPUTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace tc {

/// An object file in memory and the functions in it.
struct ObjectCode {
  std::string name; ///< its first function
  llvm::SmallVector<char, 0> bytes;
};

/// What is generated in addition to object code.
struct ObjectCodeOptions {
  bool keepLLVMIR = false;   ///< text of the optimised LLVM IR
  bool keepAssembly = false; ///< text of the assembly
  bool keepObjects = false;  ///< the object code itself, once it is loaded
};

/// All code of a module.
struct CompiledObjects {
  std::vector<ObjectCode> objects;
  std::string llvmIR;   ///< empty unless asked for
  std::string assembly; ///< empty unless asked for
};

/// Compiles a module that the emit phase has finished: host functions into one
/// object, every kernel, with what it refers to, into one of its own. Objects
/// are compiled in parallel on the threads of the module's context. A call may
/// be contracted to an FMA; nothing else of the arithmetic changes. Fails with
/// LLVM's message.
llvm::Expected<CompiledObjects>
compileToObjects(mlir::ModuleOp module, const CPUTarget &target,
                 const ObjectCodeOptions &options = {});

} // namespace tc

#endif // TC_TARGET_CPU_OBJECTCODE_H
