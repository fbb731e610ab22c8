// RUN: tc-opt %s --tc-verify-emit | FileCheck %s

// Functions of the llvm dialect and parameters.
// CHECK: tc.parameter_source @w
// CHECK: llvm.func @main
tc.parameter_source @w : tensor<4xf32> {file = "w.bin", offset = 0 : i64, role = "parameter"}
llvm.func @main(%call: !llvm.ptr) -> i32 attributes {tc.signature = {}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
