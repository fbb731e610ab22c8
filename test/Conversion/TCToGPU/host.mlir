// RUN: tc-opt %s --convert-tc-to-gpu --convert-tc-to-vector --remarks-filter=host --remark-policy=all --remark-format=emitRemark -o %t.mlir 2> %t.txt
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=REMARK

// The host computes routines on copies, with workspace of its own, and reads conditions and sizes from the GPU; remarks say so, with the op's place.
// REMARK-DAG: host.mlir:[[#@LINE+11]]:{{.*}}the host computes 'factor', a routine, with copies of its inputs and outputs
// REMARK-DAG: host.mlir:[[#@LINE+15]]:{{.*}}the host reads the condition of a branch from the GPU, once the kernels before it have ended
// REMARK-DAG: host.mlir:[[#@LINE+19]]:{{.*}}the host reads the condition of a loop from the GPU for each iteration, once its kernels have ended
// CHECK: tc.launch @factor_0 count <1> grain <{{.*}}>(%{{.*}}, %{{.*}}, %{{.*}}) {calls_routines, on_host = array<i64: 1, 1>}
// CHECK: tc.if
// CHECK: tc.while
// CHECK: func.func private @factor_0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @main(%x: memref<4x4xf64>, %c: memref<i1>) {
    %o = tc.output_buffer 0 : memref<4x4xf64>
    %w = tc.arena <4096> : memref<4096xi8>
    tc.kernel "factor" custom dims [#tc.dim<"i", reduced, 4>, #tc.dim<"j", reduced, 4>, #tc.dim<"k", parallel, 4>, #tc.dim<"l", parallel, 4>] schedule #tc.task_schedule<tasks = 1> ins(%a = %x : memref<4x4xf64>) outs(%b = %o : memref<4x4xf64>) workspace(%p = %w : memref<4096xi8>) {
      %v = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : memref<4x4xf64> -> f64
      %l, %info = tc.routine_stage cholesky(%v) over [[0, 1]] to [[2, 3], []] : (f64) -> (f64, f64)
      tc.write %l, %b[affine_map<(d0, d1, d2, d3) -> (d2, d3)>] : f64, memref<4x4xf64>
    }
    tc.if %c : memref<i1> {
      tc.yield
    } else {
      tc.yield
    }
    tc.while {
      tc.yield %c : memref<i1>
    } do {
    }
    return
  }
}
