//===- TaskPlan.cpp - Tasks of sorts and routines -------------------------===//

#include "TC/Analysis/TaskPlan.h"
#include "TC/Analysis/FoldParts.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"

using namespace mlir;
using namespace tc;

static RoutineSizes findSizes(RoutineStageOp stage) {
  auto kernel = cast<KernelOp>(stage->getParentOp());
  SmallVector<Sizes> matrices;
  for (unsigned index = 0; index < stage.getNumOperands(); ++index) {
    Sizes &list = matrices.emplace_back();
    for (int64_t dim : stage.getOverDims(index))
      list.push_back(kernel.getDimSize(dim));
  }
  return *getRoutineSizes(stage.getContext(), stage.getKind(), matrices,
                          [](const Twine &) {});
}

RoutineLayout::RoutineLayout(RoutineStageOp stage)
    : sizes(findSizes(stage)),
      total(SizeExpr::constant(stage.getContext(), 0)) {
  RoutineSignature signature = getRoutineSignature(stage.getKind());
  for (ArrayRef<StringLiteral> group : {signature.operands, signature.results})
    for (StringLiteral letters : group) {
      offsets.push_back(total);
      total = total.add(sizes.count(letters));
    }
  total = total.add(getRoutineWorkspace(stage.getKind(), sizes));
}

/// Sets the workspace of a task and the work of an iteration.
static void addStages(TaskPlan &plan, KernelOp kernel) {
  // An element of a row that is sorted costs several of a pointwise kernel; a
  // routine takes about as many multiplications as its matrices have elements,
  // times the longer side.
  constexpr int64_t kWorkPerSorted = 8, kWorkPerMultiplication = 4;
  plan.bytes = plan.work = SizeExpr::constant(kernel.getContext(), 0);
  Block &body = kernel.getBodyBlock();
  for (auto stage : body.getOps<SortStageOp>()) {
    SizeExpr length = kernel.getDimSize(stage.getAlong());
    plan.bytes = plan.bytes.add(length.mul(kSortBytesPerElement));
    plan.work = length.mul(kWorkPerSorted);
  }
  if (!body.getOps<SortStageOp>().empty())
    return;
  for (auto stage : body.getOps<RoutineStageOp>()) {
    RoutineLayout layout(stage);
    plan.bytes = plan.bytes.add(layout.total.mul(int64_t(sizeof(double))));
    plan.work =
        plan.work.add(layout.total.mul(layout.sizes.m.max(layout.sizes.n))
                          .mul(kWorkPerMultiplication));
  }
}

std::optional<TaskPlan> tc::planTasks(KernelOp kernel) {
  bool isWhole = llvm::any_of(kernel.getBodyBlock(), [](Operation &op) {
    return isa<SortStageOp, RoutineStageOp>(op);
  });
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  auto tasks = dyn_cast_or_null<TaskScheduleAttr>(schedule);
  if (!isWhole || (schedule && !tasks))
    return std::nullopt;
  MLIRContext *context = kernel.getContext();
  SizeExpr one = SizeExpr::constant(context, 1);
  TaskPlan plan;
  plan.iterations = one;
  DimSet outer = getOuterDims(kernel, KernelDims(kernel));
  for (unsigned dim : outer.set_bits()) {
    plan.dims.push_back(dim);
    plan.iterations = plan.iterations.mul(kernel.getDimSize(dim));
  }
  plan.tasks = plan.iterations.min(
      SizeExpr::constant(context, tasks ? tasks.getTasks() : 1));
  plan.perTask = plan.iterations.ceilDiv(plan.tasks.max(one));
  addStages(plan, kernel);
  return plan;
}

static bool replacesAtIndices(WriteOp write) {
  return write.isScatter() && write.getCombine() == CombineKind::Replace;
}

bool tc::replacesAtomically(KernelOp kernel) {
  return llvm::any_of(kernel.getBodyBlock().getOps<WriteOp>(),
                      replacesAtIndices);
}

/// The bytes of a number for each element that a write replaces.
static std::optional<SizeExpr> getPointNumberBytes(KernelOp kernel) {
  if (!replacesAtomically(kernel))
    return std::nullopt;
  SizeExpr bytes = SizeExpr::constant(kernel.getContext(), 0);
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>())
    if (replacesAtIndices(write)) {
      auto type = cast<ShapedType>(write.getDestination().getType());
      bytes = bytes.add(getElementCount(getSizes(type), kernel.getContext())
                            .mul(int64_t(sizeof(int64_t))));
    }
  return bytes;
}

std::optional<SizeExpr> tc::getWorkspaceBytes(KernelOp kernel) {
  if (std::optional<TaskPlan> plan = planTasks(kernel))
    return plan->getWorkspace();
  if (std::optional<FoldParts> plan = FoldParts::find(kernel))
    return plan->getWorkspaceBytes();
  Attribute schedule = kernel.getScheduleAttr();
  auto constantBytes = [&](int64_t bytes) {
    return bytes == 0 ? std::optional<SizeExpr>()
                      : SizeExpr::constant(kernel.getContext(), bytes);
  };
  if (auto library = dyn_cast_or_null<LibraryScheduleAttr>(schedule))
    return constantBytes(library.getWorkspace());
  if (auto library = dyn_cast_or_null<ConvolutionLibraryScheduleAttr>(schedule))
    return constantBytes(library.getWorkspace());
  if (auto product = dyn_cast_or_null<GPUContractionScheduleAttr>(schedule))
    return product.getTailBlocks() == 0
               ? std::optional<SizeExpr>()
               : SizeExpr::constant(kernel.getContext(),
                                    product.getTailBytes());
  if (auto scatter = dyn_cast_or_null<GPUScatterScheduleAttr>(schedule))
    return scatter.getAtomic() ? getPointNumberBytes(kernel) : std::nullopt;
  auto scan = dyn_cast_or_null<GPUScanScheduleAttr>(schedule);
  if (!isa_and_nonnull<GPUSortScheduleAttr>(schedule) &&
      !(scan && scan.getSegments() > 1))
    return std::nullopt;
  SizeExpr rows = SizeExpr::constant(kernel.getContext(), 1);
  DimSet outer = getOuterDims(kernel, KernelDims(kernel));
  for (unsigned dim : outer.set_bits())
    rows = rows.mul(kernel.getDimSize(dim));
  if (scan)
    return rows.mul(scan.getSegments() * kScanBytesPerSegment);
  SizeExpr bytes = SizeExpr::constant(kernel.getContext(), 0);
  for (auto stage : kernel.getBodyBlock().getOps<SortStageOp>())
    bytes = bytes.add(
        kernel.getDimSize(stage.getAlong()).mul(kSortBytesPerElement));
  return rows.mul(bytes);
}

LogicalResult tc::verifyWorkspace(KernelOp kernel, const SizeFacts &facts) {
  std::optional<SizeExpr> wanted = getWorkspaceBytes(kernel);
  Value workspace = kernel.getWorkspace();
  if (!wanted && !workspace)
    return success();
  if (!wanted)
    return kernel.emitOpError("'")
           << kernel.getName() << "' has a workspace of type "
           << workspace.getType()
           << "; expected none, as its schedule needs none";
  if (workspace) {
    SizeExpr bytes = getSizes(cast<ShapedType>(workspace.getType())).front();
    if (SizeProver(facts).isAtMost(*wanted, bytes))
      return success();
  }
  InFlightDiagnostic error = kernel.emitOpError("'")
                             << kernel.getName() << "' has ";
  if (workspace)
    error << "a workspace of type " << workspace.getType();
  else
    error << "no workspace";
  error << "; expected one of at least " << wanted->str()
        << " bytes, as its schedule needs";
  error.attachNote() << "tc-assign-workspaces gives it one";
  return error;
}
