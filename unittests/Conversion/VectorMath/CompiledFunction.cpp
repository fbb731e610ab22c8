//===- CompiledFunction.cpp - One emitted function, compiled --------------===//

#include "CompiledFunction.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace tc::test {

/// The type that code computes in for an element type of the op.
static Type computedType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

/// How arrays hold it: i1 as i8.
static Type storedType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8)
                           : computedType(type);
}

static Type withLanes(Type type, int lanes) {
  return lanes ? Type(VectorType::get({lanes}, type)) : type;
}

static Value addressOf(OpBuilder &b, Location loc, Value base, Value index,
                       Type element) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type stored = element;
  // Floats of 8 bits have no LLVM type.
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    stored = b.getI8Type();
  return LLVM::GEPOp::create(b, loc, pointer, stored, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

static Value load(OpBuilder &b, Location loc, Value base, Value index,
                  Type type, int lanes) {
  Type stored = storedType(type);
  bool isSmallFloat =
      isa<FloatType>(stored) && stored.getIntOrFloatBitWidth() == 8;
  Type loaded = isSmallFloat ? Type(b.getI8Type()) : stored;
  Value value = LLVM::LoadOp::create(b, loc, withLanes(loaded, lanes),
                                     addressOf(b, loc, base, index, loaded),
                                     /*alignment=*/1);
  if (isSmallFloat)
    value = arith::BitcastOp::create(b, loc, withLanes(stored, lanes), value);
  if (type.isInteger(1))
    value = arith::TruncIOp::create(b, loc, withLanes(type, lanes), value);
  return value;
}

static void store(OpBuilder &b, Location loc, Value value, Value base,
                  Value index, Type type, int lanes) {
  Type stored = storedType(type);
  if (type.isInteger(1))
    value = arith::ExtUIOp::create(b, loc, withLanes(stored, lanes), value);
  if (isa<FloatType>(stored) && stored.getIntOrFloatBitWidth() == 8) {
    stored = b.getI8Type();
    value = arith::BitcastOp::create(b, loc, withLanes(stored, lanes), value);
  }
  LLVM::StoreOp::create(b, loc, value, addressOf(b, loc, base, index, stored),
                        /*alignment=*/1);
}

/// Emits the op's form on `operands` by way of an op on scalars.
static Value emit(OpBuilder &builder, Location loc, const FunctionSpec &spec,
                  ValueRange operands) {
  Block block;
  OperationState state(loc, spec.op);
  for (Type type : spec.operands)
    state.addOperands(block.addArgument(type, loc));
  state.addTypes(spec.result);
  Operation *op = Operation::create(state);
  vectormath::VectorMathBuilder b(builder, spec.options);
  Value result = emitElementwise(b, op, operands);
  op->destroy();
  return result;
}

static void createFunction(OpBuilder &b, const FunctionSpec &spec) {
  Location loc = b.getUnknownLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = b.getFunctionType(
      {pointer, pointer, pointer, pointer, b.getI64Type()}, {});
  auto function = func::FuncOp::create(b, loc, spec.name, type);
  function->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(function.addEntryBlock());
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  Value step =
      arith::ConstantIntOp::create(b, loc, spec.lanes ? spec.lanes : 1, 64);
  auto loop = scf::ForOp::create(b, loc, zero, function.getArgument(4), step);
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> operands;
  for (auto [index, element] : llvm::enumerate(spec.operands))
    operands.push_back(
        load(b, loc, function.getArgument(index), loop.getInductionVar(),
             spec.holdsF32 ? Type(b.getF32Type()) : element, spec.lanes));
  Value result = emit(b, loc, spec, operands);
  ASSERT_TRUE(result) << spec.name;
  Type stored = spec.holdsF32 && !spec.result.isInteger(1)
                    ? Type(b.getF32Type())
                    : spec.result;
  store(b, loc, result, function.getArgument(3), loop.getInductionVar(), stored,
        spec.lanes);
}

std::unique_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registry.insert<TCDialect, func::FuncDialect, scf::SCFDialect>();
  vectormath::registerVectorMathDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  return context;
}

CompiledFunctions::CompiledFunctions(MLIRContext &context,
                                     const std::vector<FunctionSpec> &specs) {
  compile(context, specs);
}

CompiledFunctions::~CompiledFunctions() = default;

void CompiledFunctions::compile(MLIRContext &context,
                                const std::vector<FunctionSpec> &specs) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  for (const FunctionSpec &spec : specs)
    createFunction(b, spec);
  ASSERT_TRUE(succeeded(verify(*module)));

  PassManager passes(&context);
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  ASSERT_TRUE(succeeded(passes.run(*module)));

  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  ASSERT_TRUE(static_cast<bool>(machine));
  auto targetMachine = machine->createTargetMachine();
  ASSERT_TRUE(static_cast<bool>(targetMachine));
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                            targetMachine->get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  options.enableObjectDump = std::getenv("TC_TEST_OBJECT") != nullptr;
  auto created = ExecutionEngine::create(*module, options);
  ASSERT_TRUE(static_cast<bool>(created));
  engine = std::move(*created);
  if (const char *path = std::getenv("TC_TEST_OBJECT"))
    engine->dumpToObjectFile(path);
}

CompiledFunction CompiledFunctions::get(const std::string &name) const {
  auto symbol = engine->lookup(name);
  if (!symbol) {
    ADD_FAILURE() << name << ": " << llvm::toString(symbol.takeError());
    return nullptr;
  }
  return reinterpret_cast<CompiledFunction>(*symbol);
}

bool machineHasAvx512() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features.lookup("avx512f") && features.lookup("avx512vl") &&
         features.lookup("avx512dq");
}

} // namespace tc::test
