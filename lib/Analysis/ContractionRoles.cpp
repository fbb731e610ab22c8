//===- ContractionRoles.cpp - Dimensions of a contraction -----------------===//

#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/KernelIterations.h"

using namespace mlir;
using namespace tc;

/// Sets the second contraction of `roles`, if it is one of the same rows and of
/// other values of the panel's dimensions.
static bool findSecondPanel(ContractionRoles &roles, ContractStageOp stage,
                            const KernelDims &dims) {
  bool isRight = stage.getLhs() == roles.rowOperand;
  if (!isRight && stage.getRhs() != roles.rowOperand)
    return false;
  roles.secondStage = stage;
  roles.secondPanel = isRight ? stage.getRhs() : stage.getLhs();
  return stage.getOver() == roles.stage.getOver() &&
         stage.getResult().getType() == roles.stage.getResult().getType() &&
         dims.of(roles.secondPanel) == dims.of(roles.panel);
}

/// Makes dimensions rows over which the panel varies only as an index of it, of
/// which each of them has a value of its own, does.
static void findGroups(ContractionRoles &roles, const KernelDims &dims) {
  auto read = roles.panel.getDefiningOp<ReadOp>();
  if (!read || read.getIndices().size() != 1 || roles.secondStage ||
      !roles.rows.empty())
    return;
  Value index = read.getIndices().front();
  const DimSet &own = dims.of(index);
  if (own.none() || llvm::any_of(own.set_bits(), [&](unsigned dim) {
        return !llvm::is_contained(roles.batches, dim) ||
               read.getMap().isFunctionOfDim(dim);
      }))
    return;
  roles.group = index;
  for (unsigned dim : own.set_bits())
    roles.rows.push_back(dim);
  llvm::erase_if(roles.batches, [&](unsigned dim) { return own.test(dim); });
}

std::optional<ContractionRoles> ContractionRoles::find(KernelOp kernel,
                                                       const KernelDims &dims,
                                                       int64_t vectorDim,
                                                       bool forTensorCores) {
  ContractionRoles roles;
  ContractStageOp second;
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ReduceStageOp, ScanStageOp>(op) || isWholeStage(&op))
      return std::nullopt;
    auto stage = dyn_cast<ContractStageOp>(op);
    if (!stage)
      continue;
    if (roles.stage && (second || !forTensorCores))
      return std::nullopt;
    (roles.stage ? second : roles.stage) = stage;
  }
  if (!roles.stage || vectorDim < 0 ||
      !(forTensorCores || isa<FloatType>(roles.stage.getResult().getType())))
    return std::nullopt;
  roles.vectorDim = vectorDim;
  const DimSet &result = dims.of(roles.stage.getResult()),
               &left = dims.of(roles.stage.getLhs()),
               &right = dims.of(roles.stage.getRhs());
  if (!result.test(vectorDim) || left.test(vectorDim) == right.test(vectorDim))
    return std::nullopt;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    if (dims.ofWrite(write) != result)
      return std::nullopt;
  bool panelIsRight = right.test(vectorDim);
  roles.panel = panelIsRight ? roles.stage.getRhs() : roles.stage.getLhs();
  roles.rowOperand = panelIsRight ? roles.stage.getLhs() : roles.stage.getRhs();
  const DimSet &panel = panelIsRight ? right : left,
               &row = panelIsRight ? left : right;
  if (second && !findSecondPanel(roles, second, dims))
    return std::nullopt;
  for (unsigned dim : result.set_bits()) {
    if (static_cast<int64_t>(dim) == vectorDim)
      continue;
    bool inBoth = panel.test(dim) == row.test(dim);
    (inBoth            ? roles.batches
     : panel.test(dim) ? roles.lanes
                       : roles.rows)
        .push_back(dim);
  }
  if (forTensorCores)
    findGroups(roles, dims);
  roles.lanes.push_back(vectorDim);
  roles.reduced.assign(roles.stage.getOver().begin(),
                       roles.stage.getOver().end());
  llvm::sort(roles.reduced);
  return roles;
}

/// Whether one line of each of `rows` rows with a stride of `bytes` bytes stays
/// in a first-level cache of the usual 64 sets of 8 lines.
static bool stayInCache(int64_t rows, int64_t bytes) {
  constexpr int64_t kSetBytes = 4096, kWays = 8;
  int64_t positions = kSetBytes / std::gcd(bytes, kSetBytes);
  return llvm::divideCeil(rows, positions) <= kWays;
}

int64_t ContractionRoles::getWrittenBytes(KernelOp kernel) const {
  int64_t written = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    written += getElementBytes(write.getValue().getType());
  for (unsigned dim : llvm::concat<const unsigned>(rows, lanes, batches))
    written *=
        std::max<int64_t>(1, kernel.getDimSize(dim).getConstant().value_or(1));
  return written;
}

bool ContractionRoles::areWrittenSizesKnown(KernelOp kernel) const {
  return llvm::all_of(
      llvm::concat<const unsigned>(rows, lanes, batches),
      [&](unsigned dim) { return kernel.getDimSize(dim).isConstant(); });
}

bool ContractionRoles::mayBeWrittenOverRows(KernelOp kernel, int64_t tileLanes,
                                            bool packsPanel) const {
  if (packsPanel || lanes.size() != 1 || reduced.size() != 1)
    return false;
  auto size = kernel.getDimSize(lanes[0]).getConstant();
  return size && size == kernel.getDimSize(reduced[0]).getConstant() &&
         *size <= kMostLanesInPlace && *size > tileLanes;
}

bool ContractionRoles::hasConstantInnerSizes(KernelOp kernel) const {
  return llvm::all_of(ArrayRef(reduced).drop_front(reduced.empty() ? 0 : 1),
                      [&](unsigned dim) {
                        auto size = kernel.getDimSize(dim).getConstant();
                        return size && *size > 0;
                      });
}

bool ContractionRoles::writesLessThanRows(KernelOp kernel) const {
  return areWrittenSizesKnown(kernel) &&
         getWrittenBytes(kernel) < kLeastRowsBytes;
}

std::optional<int64_t>
ContractionRoles::getInPlaceRowStride(KernelOp kernel, int64_t tileRows,
                                      bool multipliesPairs, bool usesTiles,
                                      bool widensRows) const {
  ReadOp read = getLinearRead(kernel, rowOperand, reduced);
  Type element = rowOperand.getType();
  bool isConverted = !multipliesPairs && !element.isF32() && !element.isF64() &&
                     !(widensRows && mayWidenInMultiplyAdds(rowOperand));
  if (!read || isConverted)
    return std::nullopt;
  std::optional<SizeExpr> stride = getFlatStride(kernel, read, rows);
  std::optional<int64_t> elements =
      stride ? stride->getConstant() : std::nullopt;
  if (elements == 0)
    return 0;
  // AMX tile registers need all their rows, and load one line of each at once.
  if (!elements || *elements < 0 ||
      *elements > std::numeric_limits<int32_t>::max() / tileRows ||
      (!usesTiles &&
       !stayInCache(tileRows, *elements * getElementBytes(element))) ||
      (usesTiles && countPoints(kernel, rows).value_or(0) < tileRows))
    return std::nullopt;
  return *elements;
}

bool tc::mayWidenInMultiplyAdds(Value operand) {
  return isa<FloatType>(operand.getType()) &&
         getElementBytes(operand.getType()) < 4 &&
         operand.getDefiningOp<ReadOp>();
}

bool tc::fitsTileRegisters(const ContractionTile &tile) {
  int64_t rows = tile.rows / kTileRows, lanes = tile.lanes / kTileRows;
  return tile.panel == PanelKind::Packed && tile.rows % kTileRows == 0 &&
         tile.lanes % kTileRows == 0 &&
         rows * lanes + rows + 1 <= kTileRegisters;
}

bool tc::multipliesBF16(ContractStageOp stage) {
  return stage.getLhs().getType().isBF16() &&
         stage.getRhs().getType().isBF16() &&
         getElementBytes(stage.getResult().getType()) <= 4;
}
