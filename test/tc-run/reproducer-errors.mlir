// What phase import refuses is the graph itself: no reproducer is written of it.
// RUN: not tc-run %s --random-inputs=1 2>&1 | FileCheck %s --implicit-check-not=reproducer --implicit-check-not=Failures
// CHECK: reproducer-errors.mlir:8:8: error: 'aten.digamma.default' is not supported; replace it in the model
// CHECK: tc-run: error: phase 'import' failed

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // An overload without a conversion.
  %a = tc.aten "aten.digamma.default"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
