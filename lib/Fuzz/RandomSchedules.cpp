//===- RandomSchedules.cpp - Schedules that a person may write ------------===//

#include "TC/Fuzz/RandomSchedules.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {
/// Draws fields: each keeps its value or gets another, some of which are not
/// legal.
class FieldDraws {
public:
  FieldDraws(KernelOp kernel, Random &random)
      : kernel(kernel), random(random) {}

  ScheduleAttrInterface drawLoops(LoopScheduleAttr old);
  ScheduleAttrInterface drawContraction(ContractionScheduleAttr old);
  ScheduleAttrInterface drawAttention(AttentionScheduleAttr old);
  ScheduleAttrInterface drawTranspose(TransposeScheduleAttr old);
  ScheduleAttrInterface drawTasks(TaskScheduleAttr old);

private:
  /// One of `choices`, or `old` in most cases.
  int64_t draw(int64_t old, std::initializer_list<int64_t> choices) {
    return random.chance(40) ? random.pick<int64_t>(choices) : old;
  }
  int64_t drawDim(int64_t old) {
    return random.chance(25) ? random.between(-1, int64_t(kernel.getNumDims()))
                             : old;
  }
  int64_t drawWidth(int64_t old) {
    return draw(old, {1, 1, 2, 4, 8, 16, 32, 64, 3, 12, 128, 512});
  }
  int64_t drawTileSize(int64_t old) {
    return draw(old, {1,  2,  3,  4,  5,  6,   7,   8,   12,   16,     24,
                      31, 32, 33, 48, 64, 100, 128, 256, 1000, 1 << 20});
  }
  /// A size that keeps a tile within the registers, in most cases.
  int64_t drawSmallSize(int64_t old) {
    return draw(old, {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64});
  }
  ContractionTileAttr drawTile(ContractionTileAttr old) {
    PanelKind panel = old.getPanel();
    if (random.chance(30))
      panel = random.pick<PanelKind>(
          {PanelKind::Packed, PanelKind::Lanes, PanelKind::Points});
    return ContractionTileAttr::getChecked(
        emitError(), kernel.getContext(), drawSmallSize(old.getRows()),
        drawSmallSize(old.getLanes()), drawTileSize(old.getReduced()),
        drawTileSize(old.getBlockRows()), drawTileSize(old.getBlockLanes()),
        panel, draw(old.getPanelBlocks(), {1, 2, 3, 16, 1 << 20, 0}));
  }
  int64_t drawTaskPoints(int64_t old) {
    return draw(old, {1, 7, 100, 4096, int64_t(1) << 40, 0});
  }
  int64_t drawMultiplyAdds(int64_t old) {
    return draw(old, {1, 100, 65536, 1 << 21, int64_t(1) << 40, 0});
  }
  bool drawFlag(bool old) { return random.chance(40) ? !old : old; }
  std::function<InFlightDiagnostic()> emitError() {
    return [kernel = kernel]() mutable { return kernel.emitError(); };
  }

  KernelOp kernel;
  Random &random;
};
} // namespace

ScheduleAttrInterface FieldDraws::drawLoops(LoopScheduleAttr old) {
  return LoopScheduleAttr::getChecked(
      emitError(), kernel.getContext(), drawDim(old.getVectorDim()),
      drawWidth(old.getVectorWidth()),
      draw(old.getUnroll(), {1, 2, 4, 8, 16, 32, 3, 5, 64, 1000}),
      draw(old.getBlock(), {0, 1, 3, 8, 100, 4096, 1 << 30, -1}),
      draw(old.getGrain(), {1, 2, 3, 7, 1000, int64_t(1) << 62,
                            std::numeric_limits<int64_t>::max(), 0}),
      drawTaskPoints(old.getTaskPoints()),
      draw(old.getKeptPoints(), {0, 1, 16, 64, 1 << 17, 1 << 18}),
      draw(old.getKeptWeight(), {1, 4, 5, 20, 100, 1000, 0}),
      draw(old.getMaxStride(), {1, 2, 3, 8, 0, 9}),
      drawFlag(old.getNontemporal()));
}

ScheduleAttrInterface FieldDraws::drawContraction(ContractionScheduleAttr old) {
  ContractionTileAttr tile = drawTile(old.getTile());
  // Every call writes less than the last, some less than the first.
  int64_t fewBelow = draw(old.getFewBelow(), {0, 64, 512, 4096, 1 << 20, -1});
  ContractionTileAttr fewTile = old.getFewTile();
  if (tile && fewBelow > 0 && (!fewTile || random.chance(60)))
    fewTile = drawTile(tile);
  if (fewBelow == 0 && random.chance(95))
    fewTile = {};
  if (!tile)
    return {};
  return ContractionScheduleAttr::getChecked(
      emitError(), kernel.getContext(), drawDim(old.getVectorDim()),
      drawWidth(old.getVectorWidth()), tile, fewBelow, fewTile,
      draw(old.getPointsBelow(), {0, 1, 1000, 8192, int64_t(1) << 62, -1}),
      drawMultiplyAdds(old.getTaskMultiplyAdds()),
      drawMultiplyAdds(old.getStackMultiplyAdds()),
      draw(old.getFetchParts(), {0, 1, 2, 3, 64, 65, -1}),
      draw(old.getFetchPoints(), {0, 1, 16, 64, 65, -1}));
}

ScheduleAttrInterface FieldDraws::drawAttention(AttentionScheduleAttr old) {
  auto drawLanes = [&](int64_t lanes) {
    return draw(lanes, {16, 32, 64, 16, 32, 64, 8, 48, 128});
  };
  MultiplyAddKind kind = old.getMultiplyAdds();
  if (random.chance(40))
    kind = random.pick<MultiplyAddKind>({MultiplyAddKind::Vector,
                                         MultiplyAddKind::VectorBF16,
                                         MultiplyAddKind::AMX});
  int64_t rows = draw(old.getRows(), {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 0}),
          fewRows = draw(old.getFewRows(), {1, 1, 1, 2, 3, 4, 8, 0}),
          fewBelow = draw(old.getFewBelow(),
                          {0, 0, 1, 1000, 100000, int64_t(1) << 40, -1});
  // Tile registers hold multiples of 16 rows, and take the last with fewer.
  if (kind == MultiplyAddKind::AMX && random.chance(80)) {
    rows = random.pick<int64_t>({16, 32});
    fewRows = 1;
    fewBelow = 0;
  } else if (kind != MultiplyAddKind::AMX && rows > 0 && random.chance(80)) {
    fewRows = std::min(fewRows, rows);
  }
  return AttentionScheduleAttr::getChecked(
      emitError(), kernel.getContext(), kind, rows,
      drawLanes(old.getKeyLanes()), drawLanes(old.getColumnLanes()),
      drawLanes(old.getSoftmaxLanes()),
      draw(old.getRowBlock(), {0, 1, 2, 5, 8, 20, 32, 96, 1 << 20, -1}),
      fewRows, fewBelow, drawMultiplyAdds(old.getTaskMultiplyAdds()),
      drawMultiplyAdds(old.getStackMultiplyAdds()));
}

ScheduleAttrInterface FieldDraws::drawTranspose(TransposeScheduleAttr old) {
  return TransposeScheduleAttr::getChecked(
      emitError(), kernel.getContext(), drawDim(old.getVectorDim()),
      draw(old.getVectorWidth(), {1, 2, 4, 8, 16, 32, 6}),
      drawTileSize(old.getTileRows()), drawTileSize(old.getTileLanes()),
      drawTaskPoints(old.getTaskPoints()), drawFlag(old.getNontemporal()));
}

ScheduleAttrInterface FieldDraws::drawTasks(TaskScheduleAttr old) {
  return TaskScheduleAttr::getChecked(
      emitError(), kernel.getContext(),
      draw(old.getTasks(), {1, 2, 3, 5, 16, 1000, 65536, 0, 1 << 20}),
      drawTaskPoints(old.getTaskPoints()));
}

ScheduleAttrInterface tc::fuzz::drawSchedule(KernelOp kernel, Random &random) {
  FieldDraws fields(kernel, random);
  MLIRContext *context = kernel.getContext();
  // Now and then of another kind: loops do for any kernel but sorts and
  // routines, the others are refused where they do not fit.
  if (random.chance(12))
    switch (random.below(8)) {
    case 0:
      return AttentionScheduleAttr::get(context, MultiplyAddKind::Vector, 4, 16,
                                        16, 16, 0, 1, 0, kUsualTaskMultiplyAdds,
                                        kUsualStackMultiplyAdds);
    case 1:
      return TransposeScheduleAttr::get(context, 0, 4, 16, 16, kUsualTaskPoints,
                                        false);
    case 2:
      return TaskScheduleAttr::get(context, 2, kUsualTaskPoints);
    case 3:
      return ContractionScheduleAttr::get(
          context, 0, 8,
          ContractionTileAttr::get(context, 4, 8, 16, 8, 16, PanelKind::Packed,
                                   1),
          0, ContractionTileAttr(), 0, kUsualTaskMultiplyAdds,
          kUsualStackMultiplyAdds, 0, 0);
    case 4:
      return GPULoopScheduleAttr::get(context, 0, 1, 1, true, 64);
    default:
      return fields.drawLoops(LoopScheduleAttr::get(
          context, 0, 8, 1, kUsualBlock, 1, kUsualTaskPoints, kUsualKeptPoints,
          kUsualKeptWeight, kUsualMaxStride, false));
    }
  return llvm::TypeSwitch<Attribute, ScheduleAttrInterface>(
             kernel.getScheduleAttr())
      .Case([&](LoopScheduleAttr old) { return fields.drawLoops(old); })
      .Case([&](ContractionScheduleAttr old) {
        return fields.drawContraction(old);
      })
      .Case(
          [&](AttentionScheduleAttr old) { return fields.drawAttention(old); })
      .Case(
          [&](TransposeScheduleAttr old) { return fields.drawTranspose(old); })
      .Case([&](TaskScheduleAttr old) { return fields.drawTasks(old); })
      .Default(kernel.getScheduleAttr());
}

ScheduleAttrInterface
tc::fuzz::drawLegalSchedule(KernelOp kernel, Random &random,
                            llvm::function_ref<void(StringRef)> refused) {
  std::string error;
  ScopedDiagnosticHandler collect(kernel.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    error = diagnostic.str();
                                    return success();
                                  });
  for (int attempts = 0; attempts < 100; ++attempts) {
    ScheduleAttrInterface schedule = drawSchedule(kernel, random);
    if (schedule && succeeded(verifySchedule(kernel, schedule)))
      return schedule;
    if (refused)
      refused(error);
  }
  return kernel.getScheduleAttr();
}
