// RUN: tc-run %s --function=bf16_tanh --target=cuda:sm_90a --compile-to=fuse | FileCheck %s --check-prefix=FUSED
// RUN: tc-run %s --function=bf16_tanh --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=TANH
// RUN: tc-run %s --function=f16_quotient --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=QUOTIENT
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=exact_quotients --input=24xf16=6,0,-3,inf,65504,1,9,-8,100,0,7,inf,21,5,-0.0,2,33,49,121,-65504,1,3,12,nan --input=24xf16=3,0,0,inf,6e-8,inf,3,2,10,5,-inf,2,7,5,4,-inf,11,7,11,6e-8,3,1,-4,1 --device=cuda --check | FileCheck %s --check-prefix=EXACT

// What a program rounds to 16 bits takes fewer instructions, also where the kernel keeps it in f32: which type it is decides how many.
// FUSED: tc.tanh %{{[0-9]+}} {tc.rounded = bf16} : f32
// TANH-LABEL: .visible .entry tanh
// TANH: tanh.approx.f32
// TANH-NOT: ex2.approx
// TANH-LABEL: .visible .entry div
// QUOTIENT-LABEL: .visible .entry div_max
// QUOTIENT: rcp.approx.ftz.f32
// QUOTIENT-NOT: div.{{rn|full}}
// QUOTIENT-LABEL: .visible .entry
func.func @bf16_tanh(%x: tensor<4096x64xbf16>) -> tensor<64xbf16> {
  %0 = tc.tanh %x : tensor<4096x64xbf16>
  %1 = tc.reduce sum %0 dims [0] : tensor<4096x64xbf16> -> tensor<64xbf16>
  return %1 : tensor<64xbf16>
}

func.func @f16_quotient(%x: tensor<4096x64xf16>, %y: tensor<4096x64xf16>) -> tensor<64xf16> {
  %0 = tc.div %x, %y : tensor<4096x64xf16>
  %1 = tc.reduce max %0 dims [0] : tensor<4096x64xf16> -> tensor<64xf16>
  return %1 : tensor<64xf16>
}

// A quotient that is an integer is one before it is rounded down; zeros and infinities are as IEEE 754 has them.
// EXACT: largest difference 0 absolute
// EXACT-NOT: not close
func.func @exact_quotients(%x: tensor<24xf16>, %y: tensor<24xf16>) -> tensor<24xf16> {
  %0 = tc.div %x, %y : tensor<24xf16>
  %1 = tc.floor %0 : tensor<24xf16>
  return %1 : tensor<24xf16>
}
