// RUN: split-file %s %t
// RUN: not tc-run %t/endless.mlir --device=reference --random-inputs=0 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not tc-run %t/endless.mlir --random-inputs=0 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: tc-run %t/branches.mlir --device=reference --input=i1=0 --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=ENDS
// RUN: not tc-run %t/branches.mlir --device=reference --input=i1=1 --input=4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=BRANCHES
// RUN: not tc-run %t/large.mlir --device=reference 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tc-run %t/large.mlir 2>&1 | FileCheck %s --check-prefix=COMPILED-LARGE
// RUN: tc-opt %t/folded.mlir --tc-pipeline=to=fuse -o %t/fused.mlir
// RUN: not tc-run %t/fused.mlir --device=reference --random-inputs=0 2>&1 | FileCheck %s --check-prefix=FOLDED

// The interpreter refuses by name what takes more stack or memory than there
// is; compiled functions do so in their own way.

//--- endless.mlir
// ENDLESS: endless.mlir:5:8: error: 'func.call' op runs @main inside 257 calls, more than the 256 that the reference interpreter runs inside each other; does @main call itself without an end?
// ENDLESS: tc-run: error: the interpreter failed in 'main'
// COMPILED: endless.mlir:5:8: error: 'func.call' op cannot be put on buffers
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- branches.mlir
// ENDS: 4xf32=1 2 3 4
// BRANCHES: error: 'func.call' op runs @other inside 257 calls, more than the 256 that the reference interpreter runs inside each other; does @other call itself without an end?
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.if %c : tensor<i1> -> tensor<4xf32> {
    %a = tc.add %x, %x : tensor<4xf32>
    %b = func.call @other(%c, %a) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    tc.yield %b : tensor<4xf32>
  } else {
    tc.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func private @other(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @main(%c, %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- large.mlir
// LARGE: large.mlir:4:8: error: 'tc.full' op has a value of sizes [1048576, 1048576, 1024], which takes 9007199254740992 bytes in the reference interpreter, 8 an element, but this machine has {{[0-9]+}}; run it with smaller sizes
// COMPILED-LARGE: tc-run: error: no memory for output 0, 1048576x1048576x1024xf32, 4503599627370496 bytes
func.func @main() -> tensor<1048576x1048576x1024xf32> {
  %r = tc.full 1.0 : f32 -> tensor<1048576x1048576x1024xf32>
  return %r : tensor<1048576x1048576x1024xf32>
}

//--- folded.mlir
// FOLDED: error: 'tc.reduce_stage' op has a value of sizes [1048576, 1152921504606846976], which takes more than 18446744073709551615 bytes in the reference interpreter, 8 an element, but this machine has {{[0-9]+}}; run it with smaller sizes
func.func @main(%x: tensor<1048576x1xf32>) -> tensor<1048576xf32> {
  %e = tc.exp %x : tensor<1048576x1xf32>
  %w = tc.broadcast %e dims [0, 1] : tensor<1048576x1xf32> -> tensor<1048576x1048576x1048576x1048576xf32>
  %s = tc.reduce sum %w dims [1, 2, 3] : tensor<1048576x1048576x1048576x1048576xf32> -> tensor<1048576xf32>
  return %s : tensor<1048576xf32>
}
