// Products of matrices with their prologues and epilogues.

// types: f32 f16 bf16 f64
func.func @matmul(%a: tensor<37x129xf32>, %b: tensor<129x75xf32>) -> tensor<37x75xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<37x129xf32>, tensor<129x75xf32> -> tensor<37x75xf32>
  return %c : tensor<37x75xf32>
}

// types: f32 f16 bf16
func.func @linear(%x: tensor<32x65xf32>, %w: tensor<40x65xf32>, %b: tensor<40xf32>) -> tensor<32x40xf32> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<32x65xf32>, tensor<40x65xf32> -> tensor<32x40xf32>
  %d = tc.broadcast %b dims [1] : tensor<40xf32> -> tensor<32x40xf32>
  %s = tc.add %c, %d : tensor<32x40xf32>
  %r = tc.gelu %s : tensor<32x40xf32>
  return %r : tensor<32x40xf32>
}

func.func @batched(%a: tensor<3x5x7xf32>, %b: tensor<3x7x9xf32>) -> tensor<3x5x9xf32> {
  %c = tc.contract "bmk,bkn->bmn" %a, %b : tensor<3x5x7xf32>, tensor<3x7x9xf32> -> tensor<3x5x9xf32>
  return %c : tensor<3x5x9xf32>
}

func.func @vector(%a: tensor<129x1001xf32>, %b: tensor<1001xf32>) -> tensor<129xf32> {
  %c = tc.contract "mk,k->m" %a, %b : tensor<129x1001xf32>, tensor<1001xf32> -> tensor<129xf32>
  return %c : tensor<129xf32>
}

func.func @no_terms(%a: tensor<3x0xf32>, %b: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<3x0xf32>, tensor<0x5xf32> -> tensor<3x5xf32>
  return %c : tensor<3x5xf32>
}

// types: f32 bf16
func.func @attention(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x29x16xf32>, %v: tensor<2x3x29x16xf32>) -> tensor<2x3x17x16xf32> {
  %0 = tc.attention %q, %k, %v scale 0.25 : tensor<2x3x17x16xf32>, tensor<2x3x29x16xf32>, tensor<2x3x29x16xf32> -> tensor<2x3x17x16xf32>
  return %0 : tensor<2x3x17x16xf32>
}

func.func @convolution(%x: tensor<2x3x13x17xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x7x9xf32> {
  %0 = tc.convolution %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<2x3x13x17xf32>, tensor<8x3x3x3xf32> -> tensor<2x8x7x9xf32>
  return %0 : tensor<2x8x7x9xf32>
}
