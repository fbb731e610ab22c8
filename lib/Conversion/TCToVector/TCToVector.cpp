//===- TCToVector.cpp - convert-tc-to-vector ------------------------------===//

#include "KernelEmitters.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOVECTORPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A function that serves every kernel equal to `kernel`.
struct Generated {
  KernelOp kernel;
  StringAttr function;
  LaunchShape shape;
  SmallVector<Attribute> sizes;
  bool mayFail;
};

class ConvertTCToVectorPass
    : public tc::impl::ConvertTCToVectorPassBase<ConvertTCToVectorPass> {
public:
  using ConvertTCToVectorPassBase::ConvertTCToVectorPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    hasAvx512 = avx512;
    hasBF16Dot = bf16Dot;
    if (target.empty())
      return success();
    llvm::Expected<CPUTarget> cpu = CPUTarget::parse(target);
    if (!cpu)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(cpu.takeError());
    hasAvx512 = cpu->hasFeature("avx512f");
    hasBF16Dot = hasAvx512 && cpu->hasFeature("avx512bf16");
    return success();
  }

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (!kernel.hasBufferSemantics() && kernel.getNumResults() != 0) {
        kernel.emitOpError(
            "is on tensors; expected memrefs (run the bufferize phase first)");
        return signalPassFailure();
      }
      const Generated *generated = findOrGenerate(kernel);
      if (!generated)
        return signalPassFailure();
      launch(kernel, *generated);
    }
    for (KernelOp kernel : kernels)
      kernel.erase();
  }

private:
  const Generated *findOrGenerate(KernelOp kernel);
  void launch(KernelOp kernel, const Generated &generated);

  llvm::DenseMap<llvm::hash_code, SmallVector<Generated, 1>> known;
  unsigned count = 0;
  bool hasAvx512 = false, hasBF16Dot = false;
};
} // namespace

/// A name for a function: letters, digits and '_', with a number that makes it
/// unique.
static std::string getFunctionName(StringRef name, unsigned number) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result = "kernel_" + result;
  return result + "_" + std::to_string(number);
}

static FailureOr<LaunchShape> emitKernel(KernelFrame &frame) {
  if (sorts(frame.kernel))
    return emitSortKernel(frame);
  if (isTiledAttention(frame))
    return emitAttentionKernel(frame);
  if (auto plan = planContraction(frame))
    return emitContractionKernel(frame, *plan);
  if (isTiledTranspose(frame))
    return emitTransposeKernel(frame);
  return emitPointKernel(frame);
}

const Generated *ConvertTCToVectorPass::findOrGenerate(KernelOp kernel) {
  // The name is for people; equal kernels under two names are one function.
  StringAttr name = kernel.getNameAttr();
  kernel.setName("");
  auto flags = OperationEquivalence::IgnoreLocations;
  llvm::hash_code hash = OperationEquivalence::computeHash(
      kernel, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue, flags);
  SmallVector<Generated, 1> &candidates = known[hash];
  for (Generated &candidate : candidates)
    if (OperationEquivalence::isEquivalentTo(
            kernel, candidate.kernel,
            OperationEquivalence::ignoreValueEquivalence,
            /*markEquivalent=*/nullptr, flags))
      return &candidate;

  vectormath::VectorMathOptions mathOptions;
  mathOptions.hasAvx512 = hasAvx512;
  mathOptions.hasBF16Dot = hasBF16Dot;
  KernelFrame frame(kernel, getFunctionName(name.getValue(), count++),
                    getOperation(), mathOptions);
  FailureOr<LaunchShape> shape = emitKernel(frame);
  if (failed(shape))
    return nullptr;
  SmallVector<Attribute> sizes;
  for (const std::string &symbol : frame.symbolNames())
    sizes.push_back(SizeExpr::named(&getContext(), symbol));
  candidates.push_back({kernel, frame.function.getSymNameAttr(), *shape, sizes,
                        frame.mayFail()});
  return &candidates.back();
}

/// `bytes` more of the arena of the kernel's function, at its end.
static Value extendArena(KernelOp kernel, SizeExpr bytes) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  Block &body = function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  MLIRContext *context = kernel.getContext();
  auto arenas = body.getOps<ArenaOp>();
  ArenaOp arena = arenas.empty() ? ArenaOp() : *arenas.begin();
  SizeExpr start = SizeExpr::constant(context, 0);
  if (arena)
    start = arena.getBytes().ceilDiv(SizeExpr::constant(context, 64)).mul(64);
  SizeExpr total = start.add(bytes);
  auto type = MemRefType::get(
      total.getConstant().value_or(ShapedType::kDynamic), builder.getI8Type());
  if (arena) {
    arena->moveBefore(&body, body.begin());
    arena.setBytesAttr(total);
    arena.getResult().setType(type);
  } else {
    arena = ArenaOp::create(builder, function.getLoc(), type, total);
  }
  builder.setInsertionPoint(kernel);
  return ArenaViewOp::create(builder, kernel.getLoc(),
                             getMemRefType(bytes, builder.getI8Type()), arena,
                             start);
}

void ConvertTCToVectorPass::launch(KernelOp kernel,
                                   const Generated &generated) {
  OpBuilder builder(kernel);
  SmallVector<Value> buffers(kernel.getOperands());
  if (generated.shape.scratch)
    buffers.push_back(extendArena(kernel, generated.shape.scratch));
  auto launch =
      LaunchOp::create(builder, kernel.getLoc(), generated.function.getValue(),
                       generated.shape.count, generated.shape.grain, buffers,
                       builder.getArrayAttr(generated.sizes));
  if (generated.mayFail)
    launch->setAttr("may_fail", builder.getUnitAttr());
}
