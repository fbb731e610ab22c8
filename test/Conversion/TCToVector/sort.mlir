// RUN: tc-opt %s --tc-pipeline=to=generate | FileCheck %s
// RUN: tc-run %s --input=2x5xf32=3,nan,-1,7,3,0,0,-2,nan,5 --output=- --output=- | FileCheck %s --check-prefix=VALUES

// Each row has scratch memory in the arena: 32 bytes an element.
// CHECK-LABEL: func @main
// CHECK: %[[ARENA:.*]] = tc.arena <320> : memref<320xi8>
// CHECK: %[[SCRATCH:.*]] = tc.arena_view %[[ARENA]] offset <0> : memref<320xi8> -> memref<320xi8>
// CHECK: tc.launch @topk_0 count <2> {{.*}}%[[SCRATCH]])
// VALUES: 2x2xf32=[nan 7][nan 5]
// VALUES: 2x2xi64=[1 3][3 4]
func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) {
  %v, %i = tc.topk %x dim 1 k 2 : tensor<2x5xf32> -> tensor<2x2xf32>, tensor<2x2xi64>
  return %v, %i : tensor<2x2xf32>, tensor<2x2xi64>
}
