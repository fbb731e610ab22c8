// RUN: tc-run %s --input=1x3x2xf32=1,2,3,4,5,6 --input=1x3x2xf32=1,2,3,4,5,6 --input=1x3x2xf32=1,2,3,nan,5,inf | FileCheck %s
// RUN: tc-run %s --input=1x3x2xf32=1,2,3,4,5,6 --input=1x3x2xf32=1,2,3,4,5,6 --input=1x3x2xf32=1,2,3,nan,5,inf --device=reference | FileCheck %s
// RUN: tc-run %s --input=1x3x2xf32=1,2,3,4,5,6 --input=1x3x2xf32=1,2,3,nan,inf,6 --input=1x3x2xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=KEYS
// RUN: tc-run %s --input=1x3x2xf32=1,2,3,4,5,6 --input=1x3x2xf32=1,2,3,nan,inf,6 --input=1x3x2xf32=1,2,3,4,5,6 --device=reference | FileCheck %s --check-prefix=KEYS

// A value that the mask hides has a weight of zero, and zero times NaN or
// infinity is NaN; a hidden key has no part in a score.
// CHECK: 1x3x2xf32={{\[}}[1 nan][{{[0-9.]+}} nan][{{[0-9.]+}} nan]]
// KEYS: 1x3x2xf32={{\[}}[1 2][nan nan][nan nan]]
func.func @main(%q: tensor<1x3x2xf32>, %k: tensor<1x3x2xf32>, %v: tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  %0 = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32> -> tensor<1x3x2xf32>
  return %0 : tensor<1x3x2xf32>
}
