// RUN: tc-opt %s --convert-kernel-to-llvm=target=cpu:znver4 | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: tc-opt %s --convert-kernel-to-llvm=target=cpu:x86-64-v3 | FileCheck %s --check-prefixes=CHECK,EXPAND

// A loop becomes blocks, vector and math ops become LLVM's.
// CHECK-LABEL: func.func private @loop
// CHECK: llvm.br ^bb1(
// CHECK: llvm.cond_br
// CHECK: llvm.intr.fma
// CHECK: llvm.intr.vector.reduce.fadd
// CHECK: return
func.func private @loop(%context: !llvm.ptr, %begin: i64, %end: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %one : i64 {
    %from = llvm.getelementptr %context[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %x = llvm.load %from : !llvm.ptr -> vector<8xf32>
    %y = math.fma %x, %x, %x : vector<8xf32>
    %s = vector.reduction <add>, %y, %zero : vector<8xf32> into f32
    llvm.store %s, %from : f32, !llvm.ptr
  }
  return
}

// Conversions to bf16 are integer arithmetic where the target has no instruction for them.
// CHECK-LABEL: func.func private @narrow
// BF16: llvm.fptrunc %{{[0-9]+}} : vector<8xf32> to vector<8xbf16>
// EXPAND-NOT: llvm.fptrunc
// EXPAND: llvm.lshr
// CHECK: return
func.func private @narrow(%context: !llvm.ptr, %begin: i64, %end: i64) {
  %x = llvm.load %context : !llvm.ptr -> vector<8xf32>
  %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  llvm.store %y, %context : vector<8xbf16>, !llvm.ptr
  return
}

// Host functions are left to convert-tc-to-llvm.
// CHECK-LABEL: func.func @host
// CHECK: tc.output_buffer
func.func @host() {
  %0 = tc.output_buffer 0 : memref<4xf32>
  return
}
