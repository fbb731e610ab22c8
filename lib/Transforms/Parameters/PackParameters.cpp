//===- PackParameters.cpp - tc-pack-parameters ----------------------------===//

#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPACKPARAMETERSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// How the operand with the lanes is read, and the panels it is packed into.
struct PanelLayout {
  ReadOp read;
  SmallVector<unsigned> laneDims, pointDims;
  int64_t lanes = 1, points = 1;
  int64_t width = 1; ///< lanes of a panel
  int64_t pair = 1;  ///< points that are next to each other in a lane

  int64_t panels() const { return llvm::divideCeil(lanes, width); }
  int64_t groups() const { return llvm::divideCeil(points, pair); }
  SmallVector<int64_t> sizes() const {
    SmallVector<int64_t> sizes{panels(), groups(), width};
    if (pair > 1)
      sizes.push_back(pair);
    return sizes;
  }
  RankedTensorType type() {
    return RankedTensorType::get(
        sizes(), cast<ShapedType>(read.getSource().getType()).getElementType());
  }
  /// Lane and point of an element, in the dimensions of the panels.
  AffineExpr laneIn(MLIRContext *context) const {
    return getAffineDimExpr(0, context) * width + getAffineDimExpr(2, context);
  }
  AffineExpr pointIn(MLIRContext *context) const {
    AffineExpr group = getAffineDimExpr(1, context);
    return pair == 1 ? group : group * pair + getAffineDimExpr(3, context);
  }
};
} // namespace

/// The layout that the schedule of `kernel` asks for, or why there is none.
static FailureOr<PanelLayout>
findLayout(KernelOp kernel, const MachineModel &machine, std::string &reason) {
  auto fail = [&](const Twine &text) {
    reason = text.str();
    return failure();
  };
  auto schedule =
      dyn_cast_or_null<ContractionScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return fail("it has no #tc.contraction_schedule");
  if (schedule.readsPanelsInPlace())
    return fail("its tiles read the operand with the lanes in place");
  std::optional<ContractionRoles> roles = ContractionRoles::find(
      kernel, KernelDims(kernel), schedule.getVectorDim());
  if (!roles)
    return fail("it is no contraction of rows and lanes");
  PanelLayout layout;
  layout.read = roles->panel.getDefiningOp<ReadOp>();
  if (!layout.read || layout.read.getWithin() ||
      !layout.read.getIndices().empty() ||
      layout.read.getMap().getNumSymbols() != 0)
    return fail("its operand with the lanes is computed or read in part");
  layout.laneDims = roles->lanes;
  layout.pointDims = roles->reduced;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (layout.read.getMap().isFunctionOfDim(dim) &&
        !llvm::is_contained(layout.laneDims, dim) &&
        !llvm::is_contained(layout.pointDims, dim))
      return fail("its operand with the lanes differs between batches");
  std::optional<int64_t> lanes = countPoints(kernel, layout.laneDims),
                         points = countPoints(kernel, layout.pointDims);
  if (!lanes || !points || *lanes == 0 || *points == 0 ||
      layout.pointDims.empty())
    return fail("its sizes are not constant");
  layout.lanes = *lanes;
  layout.points = *points;
  layout.width =
      llvm::alignTo(schedule.getTile().getLanes(), schedule.getVectorWidth());
  if (machine.hasBF16Dot && schedule.getVectorWidth() == 16 &&
      multipliesBF16(roles->stage))
    layout.pair = 2;
  if (layout.panels() * layout.width > 2 * layout.lanes)
    return fail("panels of " + Twine(layout.width) +
                " lanes would be mostly "
                "padding for " +
                Twine(layout.lanes));
  return layout;
}

/// The element of the weight that each element of the panels is.
static AffineMap getSourceMap(KernelOp kernel, PanelLayout layout) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> values(kernel.getNumDims(),
                                 getAffineConstantExpr(0, context));
  unflattenDims(kernel, layout.laneDims, layout.laneIn(context), values);
  unflattenDims(kernel, layout.pointDims, layout.pointIn(context), values);
  return layout.read.getMap().replaceDimsAndSymbols(values, {},
                                                    layout.sizes().size(), 0);
}

/// Writes the kernel that puts `weight` into panels, and zeros after its end.
static Value buildPanels(OpBuilder &builder, PanelLayout layout, AffineMap map,
                         Value weight) {
  MLIRContext *context = builder.getContext();
  SmallVector<SizeExprAttr> sizes;
  for (int64_t size : layout.sizes())
    sizes.push_back(SizeExprAttr::constant(context, size));
  KernelBuilder pack(builder, layout.read.getLoc(), "pack", sizes,
                     TypeRange(layout.type()));
  AffineExpr lane = layout.laneIn(context), point = layout.pointIn(context);
  SmallVector<AffineExpr> inside;
  if (layout.panels() * layout.width != layout.lanes)
    inside.push_back(layout.lanes - 1 - lane);
  if (layout.groups() * layout.pair != layout.points)
    inside.push_back(layout.points - 1 - point);
  std::optional<IntegerSet> within;
  if (!inside.empty())
    within = pack.setOf(inside);
  Value element = pack.read(weight, map.getResults(), {}, within);
  pack.write(element, 0, pack.dims(sizes.size()));
  KernelOp made = pack.finish();
  IndexSimplifier simplifier(made);
  for (auto read : made.getBodyBlock().getOps<ReadOp>())
    read.setMap(simplifier.simplify(read.getMap()));
  made.setKernelClass(classifyKernel(made));
  return made.getResult(0);
}

/// Makes `read` read `packed`, which becomes an input of the kernel in the
/// place of what it has read.
static void readPanels(KernelOp kernel, PanelLayout layout, Value packed) {
  ReadOp read = layout.read;
  readInstead(kernel, read, packed);
  AffineExpr lane = flattenDims(kernel, layout.laneDims),
             point = flattenDims(kernel, layout.pointDims);
  SmallVector<AffineExpr> at{lane.floorDiv(layout.width),
                             point.floorDiv(layout.pair), lane % layout.width};
  if (layout.pair > 1)
    at.push_back(point % layout.pair);
  read.setMap(AffineMap::get(kernel.getNumDims(), 0, at, kernel.getContext()));
  // Calls pack nothing that points would save.
  auto schedule = cast<ContractionScheduleAttr>(kernel.getScheduleAttr());
  kernel.setScheduleAttr(schedule.withPointsBelow(0));
}

namespace {
class PackParametersPass
    : public tc::impl::TCPackParametersPassBase<PackParametersPass> {
public:
  using TCPackParametersPassBase::TCPackParametersPassBase;

  void runOnOperation() override {
    MachineModel machine = MachineModel::get(getOperation());
    if (machine.isGPU)
      return;
    PreparedValues prepared(getOperation());
    packed.clear();
    layouts.clear();
    prepared.rewriteFunctions([&](func::FuncOp function) {
      function.walk([&](KernelOp kernel) {
        if (kernel.getKernelClass() == KernelClass::Contraction)
          pack(kernel, machine, prepared);
        return WalkResult::skip();
      });
    });
  }

private:
  void pack(KernelOp kernel, const MachineModel &machine,
            PreparedValues &prepared) {
    std::string reason;
    FailureOr<PanelLayout> layout = findLayout(kernel, machine, reason);
    if (succeeded(layout))
      reason = packOperand(kernel, *layout, prepared);
    if (reason.empty())
      return;
    remark::missed(
        kernel.getLoc(),
        remark::RemarkOpts::name("tc-pack-parameters").category("tc-pack"))
        << "'" << kernel.getName()
        << "' reads its weight as it is stored: " << reason;
  }

  /// Packs the operand that `layout` is of. Returns why not, or nothing.
  std::string packOperand(KernelOp kernel, PanelLayout layout,
                          PreparedValues &prepared) {
    Value weight = getOperandOf(kernel, layout.read.getSource());
    if (!prepared.isOfParameters(weight))
      return "it is no parameter";
    auto type = cast<RankedTensorType>(weight.getType());
    int64_t bytes =
        type.getNumElements() * getElementBytes(type.getElementType());
    if (bytes < minBytes)
      return "of " + std::to_string(bytes) +
             " bytes its rows are close in memory";
    SmallVector<ParameterOp> parameters = prepared.getParameters(weight);
    if (parameters.empty())
      return "it is no parameter";
    Value copied = prepared.copy(weight);
    AffineMap map = getSourceMap(kernel, layout);
    Value &panels = packed[{copied, AffineMapAttr::get(map), layout.type()}];
    if (!panels) {
      if (layouts[copied] == maxLayouts)
        return "it is packed in " + std::to_string(maxLayouts) +
               " other layouts already";
      ++layouts[copied];
      OpBuilder builder = prepared.getBuilder();
      panels = buildPanels(builder, layout, map, copied);
    }
    StringRef name = parameters.front().getSource();
    PreparedOp declaration = prepared.publish(panels, name, "packed");
    ++packings;
    remark::passed(
        kernel.getLoc(),
        remark::RemarkOpts::name("tc-pack-parameters").category("tc-pack"))
        << "'" << kernel.getName() << "' reads @" << declaration.getSymName()
        << ", panels of " << std::to_string(layout.width) << " lanes";
    readPanels(kernel, layout, PreparedValues::read(declaration, kernel));
    return "";
  }

  /// Panels in @tc.prepare by what they are made from, how it was read, and
  /// their type.
  llvm::DenseMap<std::tuple<Value, Attribute, Type>, Value> packed;
  /// How many layouts of a weight there are.
  llvm::DenseMap<Value, int64_t> layouts;
};
} // namespace
