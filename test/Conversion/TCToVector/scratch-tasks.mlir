// RUN: tc-opt %s "--tc-pipeline=to=generate target=cpu:x86-64-v3" > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=ROUTINE < %t.mlir
// RUN: tc-run %s --function=sort --random-inputs=1 --size=s0=100 --check --threads=1
// RUN: tc-run %s --function=sort --random-inputs=1 --size=s0=100 --check --threads=16
// RUN: tc-run %s --function=sort --random-inputs=1 --size=s0=7 --check --threads=3
// RUN: tc-run %s --function=sort --random-inputs=1 --size=s0=1 --check
// RUN: tc-run %s --function=sort --random-inputs=1 --size=s0=0 --check
// RUN: tc-run %s --function=determinant --random-inputs=1 --check --threads=1
// RUN: tc-run %s --function=determinant --random-inputs=1 --check --threads=3
// RUN: tc-run %s --function=sort --target=cpu:x86-64-v3 --random-inputs=1 --size=s0=1000 --explain | FileCheck %s --check-prefix=PLAN

// Scratch memory is for as many rows or matrices as there are tasks, a task for
// each core, however many there are in all.
module attributes {tc.cores = 4 : i64} {
  // 2 values and 2 places, of 8 bytes each, of 50 elements.
  // CHECK-LABEL: func @sort
  // CHECK: tc.arena <min(4, s0) * 1600>
  // CHECK: tc.launch @{{.*}} count <min(4, s0)>
  // PLAN: at 0: memref<?xi8, #tc.sizes<[min(4, s0) * 1600]>>
  // PLAN: memory of this call: arena 6.4 KB,
  func.func @sort(%x: tensor<?x50xf32, #tc.sizes<[s0, 50]>>) -> (tensor<?x50xf32, #tc.sizes<[s0, 50]>>, tensor<?x50xi64, #tc.sizes<[s0, 50]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100000>]} {
    %v, %i = tc.sort %x dim 1 : tensor<?x50xf32, #tc.sizes<[s0, 50]>> -> tensor<?x50xf32, #tc.sizes<[s0, 50]>>, tensor<?x50xi64, #tc.sizes<[s0, 50]>>
    return %v, %i : tensor<?x50xf32, #tc.sizes<[s0, 50]>>, tensor<?x50xi64, #tc.sizes<[s0, 50]>>
  }

  // 22 numbers: a matrix, 3 results, a workspace of 10.
  // ROUTINE-LABEL: func @determinant
  // ROUTINE: tc.arena <704>
  // ROUTINE: tc.launch @{{.*}} count <4>
  func.func @determinant(%a: tensor<1000x3x3xf64>) -> tensor<1000xf64> {
    %d, %s, %l = tc.routine determinant(%a) : (tensor<1000x3x3xf64>) -> (tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>)
    return %d : tensor<1000xf64>
  }
}
