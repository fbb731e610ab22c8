// RUN: tc-run %s --function=tiles --random-inputs=1 --target=cpu:x86-64-v3 --output=- | FileCheck %s --check-prefix=TILES
// RUN: tc-run %s --function=tiles --random-inputs=1 --output=- | FileCheck %s --check-prefix=TILES
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

// Weights of keys behind the diagonal, and of those that fill up the last step
// of tile registers or of a pair, are zeros; so are values of no key. NaN is in
// the second column of the last key alone, which all but the last row hide.
// TILES: 3xi1=1 1 1
func.func @tiles(%q: tensor<1x45x32xbf16>, %k: tensor<1x45x32xbf16>, %v: tensor<1x44x3xbf16>) -> tensor<3xi1> {
  %last = tc.constant dense<[[[1.0, 0x7FC0, 1.0]]]> : tensor<1x1x3xbf16>
  %values = tc.concat %v, %last dim 1 : tensor<1x44x3xbf16>, tensor<1x1x3xbf16> -> tensor<1x45x3xbf16>
  %0 = tc.attention %q, %k, %values scale 0.125 {causal} : tensor<1x45x32xbf16>, tensor<1x45x32xbf16>, tensor<1x45x3xbf16> -> tensor<1x45x3xbf16>
  %nan = tc.ne %0, %0 : tensor<1x45x3xbf16>
  %expected = tc.constant dense<[[[false, true, false]]]> : tensor<1x1x3xi1>
  %1 = tc.reshape %expected : tensor<1x1x3xi1> -> tensor<3xi1>
  %2 = tc.broadcast %1 dims [2] : tensor<3xi1> -> tensor<1x45x3xi1>
  %same = tc.eq %nan, %2 : tensor<1x45x3xi1>
  %all = tc.reduce min %same dims [0, 1] : tensor<1x45x3xi1> -> tensor<3xi1>
  return %all : tensor<3xi1>
}
