//===- CPUFrame.h - The func.func a kernel becomes --------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CPUFRAME_H
#define TC_CONVERSION_TCTOVECTOR_CPUFRAME_H

#include "../KernelEmission/KernelFrame.h"

namespace tc {

/// Makes `func.func private @name(%context, %begin, %end)` at the end of
/// `module`: the context is an array of the launch's slots, and a call runs the
/// launch's iterations [begin, end).
class CPUFrame : public KernelFrame {
public:
  CPUFrame(KernelOp kernel, mlir::StringRef name, mlir::ModuleOp module,
           vectormath::VectorMathOptions options);

  /// Iterations of the launch that a call of the function runs (i64).
  mlir::Value begin, end;

  mlir::Value subtractRounded(mlir::Value x, mlir::Value y,
                              unsigned rounded) override;

  /// Runs a routine of the runtime on `data`, operands and results in f64 in
  /// the order of the op, then its workspace. What it returns is i64.
  mlir::Value callRoutine(RoutineKind kind, mlir::ValueRange sizes,
                          mlir::Value data);
  bool callsRoutines() const override { return usesRoutines; }

private:
  bool usesRoutines = false;
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CPUFRAME_H
