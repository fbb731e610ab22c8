// RUN: tc-opt %s --tc-phase-emit | FileCheck %s

// A host function with one launch: the C ABI, the checks of its inputs, one
// output, the context, and a call through parallel_for.

// CHECK-LABEL: llvm.func @main(
// CHECK-SAME: !llvm.ptr) -> i32 attributes {tc.signature = {input_types = [memref<4x8xf32>, memref<4x8xf32>], inputs = ["x", "y"], launches = 1 : i64, output_types = [memref<4x8xf32>]}}
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @kernel_0 : !llvm.ptr
// CHECK: llvm.call %{{[0-9]+}}(%{{[a-z0-9]+}}, %[[KERNEL]], %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK-LABEL: llvm.func @kernel_0(
// CHECK: llvm.fadd %{{[0-9]+}}, %{{[0-9]+}} : vector<8xf32>
// CHECK: llvm.intr.maximum
// CHECK: llvm.return
// CHECK: llvm.mlir.global internal constant @{{.*}}("input 0 (x) is {0:input}, expected 4x8xf32\00")
module attributes {tc.phase = "generate"} {
  func.func @main(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {tc.signature = {inputs = ["x", "y"]}} {
    %o = tc.output_buffer 0 : memref<4x8xf32>
    tc.launch @kernel_0 count <4> grain <1> (%x, %y, %o) : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
    return
  }
  func.func private @kernel_0(%context: !llvm.ptr, %begin: i64, %end: i64) {
    %c8 = arith.constant 8 : i64
    %c1 = arith.constant 1 : i64
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %two = arith.constant dense<2.0> : vector<8xf32>
    %xp = llvm.load %context : !llvm.ptr -> !llvm.ptr
    %ys = llvm.getelementptr %context[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %yp = llvm.load %ys : !llvm.ptr -> !llvm.ptr
    %os = llvm.getelementptr %context[2] : (!llvm.ptr) -> !llvm.ptr, i64
    %op = llvm.load %os : !llvm.ptr -> !llvm.ptr
    scf.for %i = %begin to %end step %c1 : i64 {
      %row = arith.muli %i, %c8 : i64
      %xa = llvm.getelementptr %xp[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %ya = llvm.getelementptr %yp[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %oa = llvm.getelementptr %op[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %xv = llvm.load %xa {alignment = 4} : !llvm.ptr -> vector<8xf32>
      %yv = llvm.load %ya {alignment = 4} : !llvm.ptr -> vector<8xf32>
      %s = arith.addf %xv, %yv : vector<8xf32>
      %r = arith.maximumf %s, %zero : vector<8xf32>
      %t = arith.mulf %r, %two : vector<8xf32>
      llvm.store %t, %oa {alignment = 4} : vector<8xf32>, !llvm.ptr
    }
    return
  }
}
