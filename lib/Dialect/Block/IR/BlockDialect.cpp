//===- BlockDialect.cpp - Registration and types of the block dialect -----===//

#include "TC/Dialect/Block/IR/BlockOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::block;

#include "TC/Dialect/Block/IR/BlockDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "TC/Dialect/Block/IR/BlockTypes.cpp.inc"

void BlockDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "TC/Dialect/Block/IR/BlockTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/Block/IR/BlockOps.cpp.inc"
      >();
}

/// Bytes of a barrier in shared memory.
static constexpr int64_t kBarrierBytes = 8;

int64_t PipelineType::getFullOffset() const { return getStages() * getBytes(); }

int64_t PipelineType::getEmptyOffset() const {
  return getFullOffset() + getStages() * kBarrierBytes;
}

int64_t PipelineType::getSharedBytes() const {
  return getEmptyOffset() + getStages() * kBarrierBytes;
}

LogicalResult PipelineType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t stages, int64_t bytes,
                                   int64_t cluster) {
  if (cluster != 1 && cluster != 2)
    return emitError() << "a pipeline has a cluster of " << cluster
                       << " blocks; expected 1 or 2";
  if (stages < 1)
    return emitError() << "a pipeline has " << stages
                       << " stages; expected at least 1";
  if (bytes < kWordStageBytes ||
      (bytes != kWordStageBytes && bytes % kBoxAlignment != 0))
    return emitError() << "a stage has " << bytes << " bytes; expected "
                       << kWordStageBytes << " or a multiple of "
                       << kBoxAlignment;
  int64_t all = stages * (bytes + 2 * kBarrierBytes);
  if (bytes > kMostSharedBytes || stages > kMostSharedBytes ||
      all > kMostSharedBytes)
    return emitError() << "a pipeline of " << stages << " stages of " << bytes
                       << " bytes is larger than the shared memory of a block; "
                          "expected at most "
                       << kMostSharedBytes << " bytes";
  return success();
}

LogicalResult
AccumulatorType::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t columns, Type element) {
  constexpr int64_t kUnit = 8, kMost = 256;
  if (!element.isF32() && !element.isInteger(32))
    return emitError() << "an accumulator is of " << element
                       << "; expected f32 or i32";
  constexpr int64_t kFewColumns = 24;
  if (element.isInteger(32) && columns > kFewColumns &&
      columns % (2 * kUnit) != 0)
    return emitError() << "an accumulator of i32 has " << columns
                       << " columns; expected 8, 24 or a multiple of "
                       << 2 * kUnit;
  if (columns >= kUnit && columns <= kMost && columns % kUnit == 0)
    return success();
  return emitError() << "an accumulator has " << columns
                     << " columns; expected a multiple of " << kUnit
                     << " up to " << kMost;
}
