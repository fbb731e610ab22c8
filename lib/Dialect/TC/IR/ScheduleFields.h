//===- ScheduleFields.h - Checks of schedules -------------------*- C++ -*-===//

#ifndef TC_LIB_DIALECT_TC_IR_SCHEDULEFIELDS_H
#define TC_LIB_DIALECT_TC_IR_SCHEDULEFIELDS_H

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "mlir/IR/Builders.h"
#include <limits>

namespace tc {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// What libraries align their workspace to, and the most that they are given.
inline constexpr int64_t kLibraryAlignment = 256, kMostLibraryBytes = int64_t(1)
                                                                      << 30;

/// Checks the fields of one attribute.
class FieldChecks {
public:
  FieldChecks(EmitError emitError, llvm::StringRef mnemonic)
      : emitError(emitError), mnemonic(mnemonic) {}

  FieldChecks &within(llvm::StringRef field, int64_t value, int64_t least,
                      int64_t most) {
    if (value < least)
      refuse(field, value) << "at least " << least;
    else if (value > most)
      refuse(field, value) << "at most " << most;
    return *this;
  }
  /// A power of 2, as reductions halve the lanes until one is left.
  FieldChecks &powerOf2(llvm::StringRef field, int64_t value, int64_t least,
                        int64_t most) {
    within(field, value, least, most);
    if (!failed && !llvm::isPowerOf2_64(value))
      refuse(field, value) << "a power of 2";
    return *this;
  }
  /// A multiple of `unit` from `least`, by default `unit` itself, to `most`.
  FieldChecks &multipleOf(llvm::StringRef field, int64_t value, int64_t unit,
                          int64_t most,
                          std::optional<int64_t> least = std::nullopt) {
    within(field, value, least.value_or(unit), most);
    if (!failed && value % unit != 0)
      refuse(field, value) << "a multiple of " << unit;
    return *this;
  }
  mlir::LogicalResult result() const { return mlir::failure(failed); }

private:
  mlir::InFlightDiagnostic refuse(llvm::StringRef field, int64_t value) {
    if (failed)
      return {}; // one error for an attribute
    failed = true;
    mlir::InFlightDiagnostic error = emitError();
    error << "#tc." << mnemonic << " field " << field << " is " << value
          << "; expected ";
    return error;
  }

  EmitError emitError;
  llvm::StringRef mnemonic;
  bool failed = false;
};

/// Fails after an error where `dim`, a schedule's `vector_dim`, is no dimension
/// of the kernel.
mlir::LogicalResult verifyDim(KernelOp kernel, llvm::StringRef mnemonic,
                              int64_t dim);

/// Fails after an error: the kernel is of a class that no schedule `mnemonic`
/// is for; says what is expected.
mlir::LogicalResult refuseClass(KernelOp kernel, llvm::StringRef mnemonic,
                                llvm::StringRef expected);

/// Whether the kernel is a sort or a routine.
bool computesWhole(KernelOp kernel);

} // namespace tc

#endif // TC_LIB_DIALECT_TC_IR_SCHEDULEFIELDS_H
