// RUN: tc-run %s --function=elementwise --input=4xf32=0,-0.0,0,-0.0 --input=4xf32=0,0,-0.0,-0.0 | FileCheck %s --check-prefix=POINTS
// RUN: tc-run %s --function=elementwise --input=4xf32=0,-0.0,0,-0.0 --input=4xf32=0,0,-0.0,-0.0 --device=reference | FileCheck %s --check-prefix=POINTS
// RUN: tc-run %s --function=folds --input=5x3xf64=-0.0,-0.0,-0.0,0,-0.0,-0.0,-0.0,0,0,0,0,0,-1,-0.0,-2 | FileCheck %s --check-prefix=FOLDS
// RUN: tc-run %s --function=folds --input=5x3xf64=-0.0,-0.0,-0.0,0,-0.0,-0.0,-0.0,0,0,0,0,0,-1,-0.0,-2 --device=reference | FileCheck %s --check-prefix=FOLDS
// RUN: tc-run %s --function=rows --input=3x20xbf16=-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,0,-0.0,-0.0,nan,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,0,-0.0,-0.0 | FileCheck %s --check-prefix=ROWS

// +0 is above -0, in elementwise ops, folds and scans.

// POINTS: 4xf32=0 0 0 -0
// POINTS-NEXT: 4xf32=0 -0 -0 -0
// POINTS-NEXT: 4xf32=0 0 0 -0
// POINTS-NEXT: 4xf32=0 -0 -0 -0
func.func @elementwise(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tc.maximum %x, %y : tensor<4xf32>
  %1 = tc.minimum %x, %y : tensor<4xf32>
  %2 = tc.fmax %x, %y : tensor<4xf32>
  %3 = tc.fmin %x, %y : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// FOLDS: 5xf64=-0 0 0 0 -0
// FOLDS-NEXT: 5xf64=-0 -0 -0 0 -2
// FOLDS-NEXT: 3xf64=0 0 0
// FOLDS-NEXT: 5x3xf64=[-0 -0 -0][0 0 0][-0 0 0][0 0 0][-1 -0 -0]
func.func @folds(%x: tensor<5x3xf64>) -> (tensor<5xf64>, tensor<5xf64>, tensor<3xf64>, tensor<5x3xf64>) {
  %0 = tc.reduce max %x dims [1] : tensor<5x3xf64> -> tensor<5xf64>
  %1 = tc.reduce min %x dims [1] : tensor<5x3xf64> -> tensor<5xf64>
  %2 = tc.reduce max %x dims [0] : tensor<5x3xf64> -> tensor<3xf64>
  %3 = tc.scan max %x dim 1 : tensor<5x3xf64>
  return %0, %1, %2, %3 : tensor<5xf64>, tensor<5xf64>, tensor<3xf64>, tensor<5x3xf64>
}

// ROWS: 3xbf16=-0 0 nan
func.func @rows(%x: tensor<3x20xbf16>) -> tensor<3xbf16> {
  %0 = tc.reduce max %x dims [1] : tensor<3x20xbf16> -> tensor<3xbf16>
  return %0 : tensor<3xbf16>
}
