// RUN: tc-opt %s --tc-pipeline=to=generate | FileCheck %s
// RUN: tc-run %s --input=2x3xi32=1,2,3,4,5,6 --output=- --output=- | FileCheck %s --check-prefix=VALUES

// The fold is carried by the loop along the scanned dimension.
// CHECK-LABEL: func private @scan_0
// CHECK: scf.for {{.*}} iter_args(
// VALUES: 2x3xi32=[1 3 6][4 9 15]
// VALUES: 2x3xi32=[1 2 3][4 10 18]
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %along = tc.scan sum %x dim 1 : tensor<2x3xi32>
  %across = tc.scan prod %x dim 0 : tensor<2x3xi32>
  return %along, %across : tensor<2x3xi32>, tensor<2x3xi32>
}
