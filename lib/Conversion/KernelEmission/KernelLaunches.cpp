//===- KernelLaunches.cpp - Kernels become launches -----------------------===//

#include "KernelLaunches.h"
#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

namespace {
/// A function that serves every kernel equal to `kernel`.
struct Generated {
  KernelOp kernel;
  std::string function;
  LaunchShape shape;
  SmallVector<Attribute> sizes;
  bool mayFail, callsRoutines;
};

class KernelReplacer {
public:
  KernelReplacer(ModuleOp module, GenerateKernel generate)
      : module(module), generate(generate) {}

  const Generated *findOrGenerate(KernelOp kernel);

private:
  ModuleOp module;
  GenerateKernel generate;
  llvm::DenseMap<llvm::hash_code, SmallVector<Generated, 1>> known;
  unsigned count = 0;
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

/// The constant that every read of a buffer has for its first index.
static std::optional<int64_t> getFirstIndex(BlockArgument buffer) {
  std::optional<int64_t> first;
  for (Operation *user : buffer.getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    auto index = read ? dyn_cast<AffineConstantExpr>(read.getMap().getResult(0))
                      : AffineConstantExpr();
    if (!index || first.value_or(index.getValue()) != index.getValue())
      return std::nullopt;
    first = index.getValue();
  }
  return first;
}

/// Gives the kernel the part of an intermediate that it reads where that has
/// one first index: the steps of a recurrence, which differ in nothing else,
/// are then equal.
static void narrowInputs(KernelOp kernel) {
  // What the offset of a view is a multiple of.
  constexpr int64_t kAlignment = 64;
  unsigned numIns = kernel.getIns().size();
  for (BlockArgument buffer :
       kernel.getBodyBlock().getArguments().take_front(numIns)) {
    unsigned index = buffer.getArgNumber();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    auto view = kernel->getOperand(index).getDefiningOp<ArenaViewOp>();
    if (!view || !type || !type.hasStaticShape() || type.getRank() < 2)
      continue;
    auto part =
        MemRefType::get(type.getShape().drop_front(), type.getElementType());
    std::optional<int64_t> first = getFirstIndex(buffer);
    int64_t bytes =
        part.getNumElements() * getElementBytes(part.getElementType());
    if (!first || *first < 0 || *first >= type.getDimSize(0) ||
        bytes % kAlignment != 0)
      continue;
    OpBuilder builder(kernel);
    kernel->setOperand(
        index,
        ArenaViewOp::create(builder, kernel.getLoc(), part, view.getArena(),
                            view.getOffset().add(*first * bytes)));
    buffer.setType(part);
    for (Operation *user : buffer.getUsers()) {
      auto read = cast<ReadOp>(user);
      read.setMap(read.getMap().dropResult(0));
    }
  }
}

/// The kernel's dimensions under names that tell nothing.
static ArrayAttr renameDims(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> dims;
  for (unsigned index = 0; index < kernel.getNumDims(); ++index) {
    DimAttr dim = kernel.getDim(index);
    dims.push_back(DimAttr::get(context, "d" + std::to_string(index),
                                dim.getIterator(), dim.getSize()));
  }
  return ArrayAttr::get(context, dims);
}

/// Whether two kernels are the same but for their buffers. In their bodies an
/// op's operands must be what the operands of its counterpart are: x - y is
/// not y - x.
static bool areEqual(KernelOp kernel, KernelOp other) {
  llvm::DenseMap<Value, Value> counterparts;
  auto check = [&](Value value, Value counterpart) {
    bool isBuffer = value.getParentRegion() != &kernel.getBody();
    return success(isBuffer || counterparts.lookup(value) == counterpart);
  };
  auto mark = [&](Value value, Value counterpart) {
    counterparts[value] = counterpart;
  };
  return OperationEquivalence::isEquivalentTo(
      kernel, other, check, mark, OperationEquivalence::IgnoreLocations);
}

const Generated *KernelReplacer::findOrGenerate(KernelOp kernel) {
  // Names are for people; equal kernels under two names are one function.
  StringAttr name = kernel.getNameAttr();
  kernel.setName("");
  kernel.setDimsAttr(renameDims(kernel));
  llvm::hash_code hash = OperationEquivalence::computeHash(
      kernel, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  SmallVector<Generated, 1> &candidates = known[hash];
  for (Generated &candidate : candidates)
    if (areEqual(kernel, candidate.kernel))
      return &candidate;

  std::string function = getFunctionName(name.getValue(), count++);
  // Other kernels of the module may be functions already.
  while (SymbolTable::lookupSymbolIn(module, function))
    function = getFunctionName(name.getValue(), count++);
  std::unique_ptr<KernelFrame> frame;
  kernel.setNameAttr(name);
  FailureOr<LaunchShape> shape = generate(kernel, function, frame);
  if (failed(shape) || frame->hasUnboundDims())
    return nullptr;
  kernel.setName("");
  SmallVector<Attribute> sizes;
  llvm::append_range(sizes, frame->contextSizes());
  candidates.push_back({kernel, function, *shape, sizes, frame->mayFail(),
                        frame->callsRoutines()});
  return &candidates.back();
}

/// The sizes of launch number `step`.
static ArrayAttr getSizesOfStep(const Generated &generated, int64_t step) {
  MLIRContext *context = KernelOp(generated.kernel)->getContext();
  SmallVector<Attribute> sizes(generated.sizes);
  for (Attribute &size : sizes)
    if (size == KernelFrame::getStepSymbol(context))
      size = SizeExpr::constant(context, step);
  return ArrayAttr::get(context, sizes);
}

static void launch(KernelOp kernel, const Generated &generated) {
  OpBuilder builder(kernel);
  const LaunchShape &shape = generated.shape;
  auto attributeAbove = [&](int64_t value, int64_t least) {
    return value > least ? builder.getI64IntegerAttr(value) : IntegerAttr();
  };
  IntegerAttr threads = attributeAbove(shape.threads, 0);
  DenseI64ArrayAttr onHost;
  if (!threads && getTargetKind(kernel) != "cpu")
    onHost = builder.getDenseI64ArrayAttr(
        {int64_t(kernel.getIns().size()), int64_t(kernel.getOuts().size())});
  SmallVector<SizeExpr, 0> counts = shape.steps;
  if (counts.empty())
    counts.push_back(shape.count);
  for (auto [step, count] : llvm::enumerate(counts))
    LaunchOp::create(
        builder, kernel.getLoc(), generated.function, count, shape.grain,
        kernel.getOperands(), getSizesOfStep(generated, step), threads,
        generated.mayFail, generated.callsRoutines,
        attributeAbove(shape.cluster, 1), attributeAbove(shape.sharedBytes, 0),
        shape.programmatic, shape.usesCounters, shape.alignedBuffers, onHost,
        shape.tensorMaps);
}

LogicalResult tc::replaceKernels(ModuleOp module, GenerateKernel generate,
                                 function_ref<bool(KernelOp)> isWanted) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) {
    if (!isWanted || isWanted(kernel))
      kernels.push_back(kernel);
  });
  KernelReplacer replacer(module, generate);
  for (KernelOp kernel : kernels) {
    if (!kernel.hasBufferSemantics() && kernel.getNumResults() != 0)
      return kernel.emitOpError(
          "is on tensors; expected memrefs (run the bufferize phase first)");
    if (failed(verifyInPlaceWrites(kernel)))
      return failure();
    if (SmallVector<int64_t> inputs = getInputsWrittenOver(kernel);
        !inputs.empty())
      kernel.setWritesOverInput(inputs);
    narrowInputs(kernel);
    const Generated *generated = replacer.findOrGenerate(kernel);
    if (!generated)
      return failure();
    launch(kernel, *generated);
  }
  for (KernelOp kernel : kernels)
    kernel.erase();
  return success();
}
