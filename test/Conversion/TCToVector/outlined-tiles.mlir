// The multiply-adds of a tile are a function of their own, so that nothing else of the kernel has registers in their loop.
// Rows that are contiguous along the rows, not along what is summed over, are read in vectors along the rows, and
// transposed in registers.
// RUN: tc-run %s --target=cpu:x86-64-v3 --compile-to=generate | FileCheck %s

func.func @main(%a: tensor<256x96xf32>, %b: tensor<256x64xf32>) -> tensor<96x64xf32> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<256x96xf32>, tensor<256x64xf32> -> tensor<96x64xf32>
  %e = tc.exp %c : tensor<96x64xf32>
  return %e : tensor<96x64xf32>
}

// CHECK-LABEL: func.func private @contract_exp_0_tile
// CHECK-SAME: attributes {no_inline}
// CHECK-COUNT-8: math.fma
// CHECK-NOT: arith.constant dense
// CHECK: return

// CHECK-LABEL: func.func private @contract_exp_0(
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: llvm.store {{.*}} : vector<8xf32>
// CHECK: func.call @contract_exp_0_tile
