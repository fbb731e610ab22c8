//===- SharedMemoryRowSchedule.cpp - Rows in shared memory ----------------===//

#include "SharedMemoryRowSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/SharedMemoryRows.h"
#include "TC/Analysis/VectorAlignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Whether threads hold rows in aligned vectors of `lanes` points, as far as is
/// known.
static bool hasAlignedRows(KernelOp kernel, const SharedMemoryRows &rows,
                           int64_t lanes, double length) {
  auto isDense = [](const SharedMemoryRows::Input &input) {
    return input.stride == 1;
  };
  return llvm::all_of(rows.inputs, isDense) &&
         std::fmod(length, double(lanes)) == 0 &&
         VectorAlignment(kernel, rows.dim, lanes).isUseful();
}

namespace {
/// How many rows a block has and how many threads each of them.
struct RowsOfBlock {
  int64_t rows, threads;
};
} // namespace

/// The most rows whose copies leave a multiprocessor room for several blocks:
/// the fewer threads a row has, the fewer steps its folds take.
static RowsOfBlock chooseRows(double rowBytes, double length,
                              double wantedBytes) {
  constexpr int64_t kThreads = 128, kMostThreads = 512, kPoints = 16;
  for (int64_t rows = kThreads; rows > 1; rows /= 2)
    if (double(rows) * rowBytes <= wantedBytes)
      return {rows, kThreads / rows};
  auto wanted = static_cast<uint64_t>(std::ceil(length / double(kPoints)));
  return {1, std::clamp<int64_t>(llvm::PowerOf2Ceil(wanted), kThreads,
                                 kMostThreads)};
}

ScheduleAttrInterface
tc::getSharedMemoryRowSchedule(KernelOp kernel, const MachineModel &machine,
                               unsigned dim, int64_t lanes) {
  constexpr int64_t kWantedBytes = 24 * 1024, kWantedOfUnknown = 16 * 1024,
                    kMostBytes = 48 * 1024, kLeastBytes = 1024, kMostHeld = 40,
                    kStreamed = 4;
  auto rows = SharedMemoryRows::find(kernel, dim);
  if (!machine.hasBulkCopies || !rows)
    return {};
  double length = std::max(1.0, estimateSize(kernel, kernel.getDimSize(dim)));
  if (hasAlignedRows(kernel, *rows, lanes, length))
    return {};
  bool isKnown = kernel.getDimSize(dim).isConstant();
  auto estimate = [&](int64_t count) {
    return estimateSize(kernel, rows->getArea(kernel, count));
  };
  auto [count, threads] = chooseRows(
      estimate(1), length, double(isKnown ? kWantedBytes : kWantedOfUnknown));
  auto bytes = static_cast<int64_t>(estimate(count));
  // Rows of other sizes than expected may take twice as much.
  if (!isKnown)
    bytes = std::max(bytes, std::min(2 * bytes, kMostBytes));
  if (bytes > kMostBytes)
    return {};
  auto points = static_cast<int64_t>(std::ceil(length / double(threads)));
  bool isHeld = isKnown && points <= kMostHeld;
  return GPUSharedMemoryRowScheduleAttr::get(
      kernel.getContext(), dim, isHeld ? points : kStreamed, isHeld, threads,
      count, std::max(bytes, kLeastBytes));
}
