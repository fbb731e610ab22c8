// A schedule may ask for vectors of one lane: scalars, also where a panel is
// packed along its rows, and where bf16 is widened when it is multiplied.
// RUN: tc-run %s --compile-to=fuse --target=cpu:x86-64-v3 --function=packed | FileCheck %s
// RUN: tc-run %s --compile-to=fuse --target=cpu:x86-64-v3 | sed -e 's/vector_width = 8/vector_width = 1/' -e 's/<rows = [0-9]*, lanes = 8/<rows = 4, lanes = 8/g' | tc-run - --function=packed --random-inputs=1 --check --threads=2
// RUN: tc-run %s --compile-to=fuse --target=cpu:x86-64-v3 | sed -e 's/vector_width = 8/vector_width = 1/' -e 's/<rows = [0-9]*, lanes = 8/<rows = 4, lanes = 8/g' | tc-run - --function=widened --size=s0=1 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --compile-to=fuse --target=cpu:x86-64-v3 | sed -e 's/vector_width = 8/vector_width = 1/' -e 's/<rows = [0-9]*, lanes = 8/<rows = 4, lanes = 8/g' | tc-run - --function=widened --size=s0=40 --random-inputs=1 --check --threads=2

// CHECK: vector_width = 8
func.func @packed(%x: tensor<6x8x9x7xf32>, %w: tensor<8x5x3x2xf32>) -> tensor<6x10x11x15xf32> {
  %0 = tc.convolution %x, %w stride [1, 2] padding [1, 0] dilation [2, 2] {groups = 2 : i64, transposed} : tensor<6x8x9x7xf32>, tensor<8x5x3x2xf32> -> tensor<6x10x11x15xf32>
  return %0 : tensor<6x10x11x15xf32>
}

func.func @widened(%x: tensor<?x40xbf16, #tc.sizes<[s0, 40]>>, %w: tensor<40x24xbf16>) -> tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>, tensor<40x24xbf16> -> tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
  return %0 : tensor<?x24xbf16, #tc.sizes<[s0, 24]>>
}
