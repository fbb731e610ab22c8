//===- RoutineSignature.h - Operands and results of routines ----*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_ROUTINESIGNATURE_H
#define TC_DIALECT_TC_IR_ROUTINESIGNATURE_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// What a routine takes and gives: for each operand and result, one letter a
/// dimension. `m`, `n` and `k` are sizes of operands, each named by the first
/// operand that has it; `p` is the smaller of m and n.
struct RoutineSignature {
  llvm::ArrayRef<llvm::StringLiteral> operands, results;
};

RoutineSignature getRoutineSignature(RoutineKind kind);

/// The sizes m, n and k of one call, 1 where the routine has none.
struct RoutineSizes {
  SizeExpr m, n, k;

  SizeExpr of(char letter) const {
    return letter == 'm' ? m : letter == 'n' ? n : letter == 'k' ? k : m.min(n);
  }
  /// The number of elements of an operand or result.
  SizeExpr count(llvm::StringRef letters) const;
};

/// Reads m, n and k off the sizes of the operands; `error` is told of an
/// operand with other sizes than the signature has.
std::optional<RoutineSizes>
getRoutineSizes(mlir::MLIRContext *context, RoutineKind kind,
                llvm::ArrayRef<Sizes> operands,
                llvm::function_ref<void(const llvm::Twine &)> error);

/// The workspace of a call, in numbers of f64, in addition to its operands and
/// results.
SizeExpr getRoutineWorkspace(RoutineKind kind, const RoutineSizes &sizes);

} // namespace tc

#endif // TC_DIALECT_TC_IR_ROUTINESIGNATURE_H
