//===- ObjectCode.cpp - LLVM dialect to object code -----------------------===//

#include "TC/Target/CPU/ObjectCode.h"
#include "SignsOfDoubles.h"
#include "TC/Target/MachineCode/GenerateCode.h"
#include "TC/Target/MachineCode/LongestFirst.h"
#include "TC/Target/MachineCode/OptimizeKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace tc;

namespace {
/// The content of one object: definitions, and declarations of what they use
/// from other units.
struct Unit {
  std::string name;
  bool isHost = false;
  llvm::SetVector<Operation *> definitions;
  llvm::SetVector<Operation *> declarations;
  size_t ops = 0; ///< of the definitions
};

/// Splits a module's functions and globals into units.
class Splitter {
public:
  explicit Splitter(ModuleOp module);
  std::vector<Unit> split();

private:
  void addUses(Operation *op, Unit &unit);
  void require(Operation *op, Unit &unit);

  llvm::DenseMap<StringRef, Operation *> symbols;
  SmallVector<LLVM::LLVMFuncOp> hosts;
  SmallVector<LLVM::LLVMFuncOp> kernels;
};
} // namespace

static bool isHostFunction(Operation *op) {
  return op->hasAttr(kSignatureAttr);
}

Splitter::Splitter(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      symbols[symbol.getName()] = &op;
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      if (!function.isExternal())
        (isHostFunction(&op) ? hosts : kernels).push_back(function);
  }
}

/// Adds what `op` refers to: functions of other units as declarations,
/// everything else as definitions of this one.
void Splitter::addUses(Operation *op, Unit &unit) {
  op->walk([&](Operation *nested) {
    ++unit.ops;
    if (auto call = dyn_cast<LLVM::CallOp>(nested)) {
      if (std::optional<StringRef> callee = call.getCallee())
        require(symbols.lookup(*callee), unit);
    } else if (auto address = dyn_cast<LLVM::AddressOfOp>(nested)) {
      require(symbols.lookup(address.getGlobalName()), unit);
    }
  });
}

void Splitter::require(Operation *op, Unit &unit) {
  if (!op || unit.definitions.contains(op))
    return;
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  if (function && (function.isExternal() || unit.isHost))
    unit.declarations.insert(op);
  else if (unit.definitions.insert(op))
    addUses(op, unit);
}

std::vector<Unit> Splitter::split() {
  std::vector<Unit> units;
  if (!hosts.empty()) {
    Unit &unit = units.emplace_back();
    unit.name = hosts.front().getName().str();
    unit.isHost = true;
    for (LLVM::LLVMFuncOp host : hosts)
      unit.definitions.insert(host);
    for (LLVM::LLVMFuncOp host : hosts)
      addUses(host, unit);
  }
  // Functions that kernels call are part of each kernel's unit; what the host
  // calls is a kernel. A module without host functions has kernels only.
  llvm::SetVector<Operation *> roots;
  if (!hosts.empty())
    roots = units.front().declarations;
  else
    roots.insert(kernels.begin(), kernels.end());
  for (Operation *root : roots) {
    auto kernel = cast<LLVM::LLVMFuncOp>(root);
    if (kernel.isExternal())
      continue;
    Unit &unit = units.emplace_back();
    unit.name = kernel.getName().str();
    require(kernel, unit);
  }
  return units;
}

/// How long a unit takes, in ops of a kernel. Host code is not optimised.
static size_t getWork(const Unit &unit) {
  constexpr size_t kHostOpsPerOp = 8;
  return unit.isHost ? unit.ops / kHostOpsPerOp : unit.ops;
}

/// A module of its own with copies of the unit's content. Functions that other
/// units have too are internal, so that objects can be linked together.
static OwningOpRef<ModuleOp> copyUnit(const Unit &unit, Location loc) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  for (Operation *op : unit.definitions) {
    Operation *clone = builder.clone(*op);
    auto function = dyn_cast<LLVM::LLVMFuncOp>(clone);
    if (function && !unit.isHost && function.getName() != unit.name)
      function.setLinkage(LLVM::Linkage::Internal);
  }
  for (Operation *op : unit.declarations) {
    auto function = cast<LLVM::LLVMFuncOp>(op);
    LLVM::LLVMFuncOp::create(builder, function.getLoc(), function.getName(),
                             function.getFunctionType());
  }
  return copy;
}

namespace {
/// The outcome of one unit.
struct UnitResult {
  ObjectCode object;
  std::string llvmIR, assembly, error;
};
} // namespace

static void compileUnit(const Unit &unit, Location loc, const CPUTarget &target,
                        const ObjectCodeOptions &options, UnitResult &result) {
  OwningOpRef<ModuleOp> copy = copyUnit(unit, loc);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*copy, llvmContext, unit.name,
                              /*disableVerification=*/true);
  if (!module) {
    result.error = "'" + unit.name + "' cannot be translated to LLVM IR";
    return;
  }
  // Code generation assumes valid IR, and crashes on other.
  std::string reason;
  llvm::raw_string_ostream reasonStream(reason);
  if (llvm::verifyModule(*module, &reasonStream)) {
    result.error = "'" + unit.name + "' became invalid LLVM IR: " + reason;
    return;
  }
  auto quality = unit.isHost ? CodeQuality::Fast : CodeQuality::Best;
  auto machine = createTargetMachine(target, quality);
  if (!machine) {
    result.error = llvm::toString(machine.takeError());
    return;
  }
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *module)
    function.setDoesNotThrow();
  if (!unit.isHost) {
    optimizeKernel(*module, **machine);
    expandCopySignOfDoubles(*module);
  }
  if (options.keepLLVMIR) {
    llvm::raw_string_ostream stream(result.llvmIR);
    module->print(stream, nullptr);
  }
  if (options.keepAssembly) {
    // Code generation changes the module; the object needs it as it is.
    std::unique_ptr<llvm::Module> again = llvm::CloneModule(*module);
    llvm::SmallString<0> text;
    if (llvm::Error error = generateCode(
            *again, **machine, llvm::CodeGenFileType::AssemblyFile, text))
      llvm::consumeError(std::move(error));
    else
      result.assembly = text.str().str();
  }
  result.object.name = unit.name;
  if (llvm::Error error =
          generateCode(*module, **machine, llvm::CodeGenFileType::ObjectFile,
                       result.object.bytes))
    result.error = llvm::toString(std::move(error));
}

llvm::Expected<CompiledObjects>
tc::compileToObjects(ModuleOp module, const CPUTarget &target,
                     const ObjectCodeOptions &options) {
  initializeCPUTargets();
  std::vector<Unit> units = Splitter(module).split();
  std::vector<UnitResult> results(units.size());
  SmallVector<size_t> order =
      orderLongestFirst(llvm::map_to_vector(units, getWork));
  mlir::parallelForEach(module.getContext(), order, [&](size_t index) {
    compileUnit(units[index], module.getLoc(), target, options, results[index]);
  });
  CompiledObjects compiled;
  for (UnitResult &result : results) {
    if (!result.error.empty())
      return llvm::createStringError(result.error);
    compiled.objects.push_back(std::move(result.object));
    compiled.llvmIR += result.llvmIR;
    compiled.assembly += result.assembly;
  }
  return compiled;
}
