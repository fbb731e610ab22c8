// RUN: tc-opt %s --split-input-file --tc-assign-target=target=cuda:sm_90a --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-independent -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each reason why two short kernels of one domain are not merged.

// CHECK: did not fuse 'concat' into 'concat': together they have too many buffers
func.func @buffers(%a0: tensor<8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>, %a3: tensor<8xf32>, %a4: tensor<8xf32>, %a5: tensor<8xf32>, %a6: tensor<8xf32>, %a7: tensor<8xf32>, %a8: tensor<8xf32>, %a9: tensor<8xf32>, %a10: tensor<8xf32>, %a11: tensor<8xf32>, %a12: tensor<8xf32>, %a13: tensor<8xf32>, %a14: tensor<8xf32>, %a15: tensor<8xf32>, %a16: tensor<8xf32>, %a17: tensor<8xf32>, %a18: tensor<8xf32>, %a19: tensor<8xf32>, %a20: tensor<8xf32>, %a21: tensor<8xf32>, %a22: tensor<8xf32>, %a23: tensor<8xf32>, %a24: tensor<8xf32>, %a25: tensor<8xf32>, %a26: tensor<8xf32>, %a27: tensor<8xf32>, %a28: tensor<8xf32>, %a29: tensor<8xf32>, %a30: tensor<8xf32>, %a31: tensor<8xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %0 = tc.concat %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29, %a30, %a31 dim 0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<256xf32>
  %1 = tc.concat %a31, %a30, %a29, %a28, %a27, %a26, %a25, %a24, %a23, %a22, %a21, %a20, %a19, %a18, %a17, %a16, %a15, %a14, %a13, %a12, %a11, %a10, %a9, %a8, %a7, %a6, %a5, %a4, %a3, %a2, %a1, %a0 dim 0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<256xf32>
  return %0, %1 : tensor<256xf32>, tensor<256xf32>
}

// -----

// The sum of a scan of what the first computes.
// CHECK: did not fuse 'exp' into 'add': an op between them needs one and feeds the other
func.func @between(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = tc.exp %x : tensor<64xf32>
  %1 = tc.scan sum %0 dim 0 : tensor<64xf32>
  %2 = tc.add %y, %1 : tensor<64xf32>
  return %0, %2 : tensor<64xf32>, tensor<64xf32>
}
