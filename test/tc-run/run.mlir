// RUN: tc-run %s --input=2x2xf32=1,2,3,4 | FileCheck %s
// RUN: tc-run %s --input=2x2xf32=1,2,3,4 --function=main --threads=1 --output=- | FileCheck %s
// RUN: tc-opt %s --emit-bytecode -o %t.mlirbc
// RUN: tc-run %t.mlirbc --input=2x2xf32=1,2,3,4 | FileCheck %s
// RUN: tc-opt %s | tc-run - --input=2x2xf32=1,2,3,4 | FileCheck %s
// RUN: tc-run %s --input=2x2xf32=1,2,3,4 --output=@%t.npy
// RUN: tc-run %s --input=2x2xf32=1,2,3,4 --expected_output=@%t.npy
// RUN: tc-run %s --input=2x2xf32=1,2,3,4 --target=cpu:x86-64-v2 | FileCheck %s

// A module that has run phase generate runs, as text, as bytecode and from standard input.
// CHECK: 2x2xf32=[2 4][6 8]
module attributes {tc.phase = "generate"} {
  func.func @main(%x: memref<2x2xf32>) {
    %o = tc.output_buffer 0 : memref<2x2xf32>
    tc.launch @double count <4> grain <1> (%x, %o) : memref<2x2xf32>, memref<2x2xf32>
    return
  }
  func.func private @double(%context: !llvm.ptr, %begin: i64, %end: i64) {
    %one = arith.constant 1 : i64
    %x = llvm.load %context : !llvm.ptr -> !llvm.ptr
    %slot = llvm.getelementptr %context[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %o = llvm.load %slot : !llvm.ptr -> !llvm.ptr
    scf.for %i = %begin to %end step %one : i64 {
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %to = llvm.getelementptr %o[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %from : !llvm.ptr -> f32
      %r = arith.addf %v, %v : f32
      llvm.store %r, %to : f32, !llvm.ptr
    }
    return
  }
}
