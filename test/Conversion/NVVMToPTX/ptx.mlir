// RUN: tc-opt %s --convert-nvvm-to-ptx | FileCheck %s

// A kernel becomes the PTX of its chip, with its launch bound; other modules' code is left alone.
// CHECK: gpu.binary @double [#gpu.object<#nvvm.target<chip = "sm_90a", features = "+ptx86">, assembly = "
// CHECK-SAME: .version 8.6\0A.target sm_90a
// CHECK-SAME: .visible .entry double
// CHECK-SAME: .maxntid 32
// CHECK: func.func @host
gpu.module @double [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
  llvm.func @double(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>} {
    %x = llvm.load %p : !llvm.ptr -> f32
    %y = llvm.fadd %x, %x : f32
    llvm.store %y, %p : f32, !llvm.ptr
    llvm.return
  }
}
func.func @host() {
  return
}
