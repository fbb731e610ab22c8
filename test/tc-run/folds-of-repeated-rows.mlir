// RUN: tc-run %s --target=cpu:x86-64-v3 --compile-to=fuse --function=folded | FileCheck %s
// RUN: tc-run %s --function=folded --size=s0=0 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=folded --size=s0=3 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=largest --size=s0=0 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=largest --size=s0=3 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=written --size=s0=0 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=written --size=s0=3 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=before_iterations --target=cpu:x86-64-v3 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=before_iterations --random-inputs=1 --check --threads=2

// A row is repeated s0 times and folded: where s0 is 0, no loop of the fold
// computes what the row's other uses need of it.
// CHECK-LABEL: func.func @folded(
// CHECK: tc.kernel
// CHECK: %[[EXP:.*]] = tc.exp
// CHECK: tc.reduce_stage sum %[[EXP]] over [2, 1]
// CHECK: tc.sub %[[EXP]]
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @folded(%x: tensor<40x24xf32>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<40x24xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %0 = tc.exp %x : tensor<40x24xf32>
  %1 = tc.broadcast %0 dims [0, 2] : tensor<40x24xf32> -> tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>>
  %2 = tc.reduce sum %1 dims [1, 2] : tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>> -> tensor<40xf32>
  %3 = tc.broadcast %2 dims [0] : tensor<40xf32> -> tensor<40x24xf32>
  %4 = tc.sub %0, %3 : tensor<40x24xf32>
  return %4 : tensor<40x24xf32>
}

// Of bf16, and with other lanes than the fold's at the end of a row.
func.func @largest(%x: tensor<5x37xbf16>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<5x37xbf16>, tensor<5xbf16>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %0 = tc.tanh %x : tensor<5x37xbf16>
  %1 = tc.broadcast %0 dims [0, 2] : tensor<5x37xbf16> -> tensor<5x?x37xbf16, #tc.sizes<[5, s0, 37]>>
  %2 = tc.reduce sum %1 dims [1, 2] : tensor<5x?x37xbf16, #tc.sizes<[5, s0, 37]>> -> tensor<5xbf16>
  %3 = tc.broadcast %2 dims [0] : tensor<5xbf16> -> tensor<5x37xbf16>
  %4 = tc.reduce max %0 dims [1] : tensor<5x37xbf16> -> tensor<5xbf16>
  %5 = tc.maximum %0, %3 : tensor<5x37xbf16>
  return %5, %4 : tensor<5x37xbf16>, tensor<5xbf16>
}

// The repeated row is written, too.
func.func @written(%x: tensor<40x24xf32>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>>, tensor<40x24xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %0 = tc.softmax %x dim 1 : tensor<40x24xf32>
  %1 = tc.broadcast %0 dims [0, 2] : tensor<40x24xf32> -> tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>>
  %2 = tc.exp %0 : tensor<40x24xf32>
  %3 = tc.broadcast %2 dims [0, 2] : tensor<40x24xf32> -> tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>>
  %4 = tc.add %1, %3 : tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>>
  %5 = tc.layer_norm %2 rank 1 eps 1.0e-5 : tensor<40x24xf32>
  return %4, %5 : tensor<40x?x24xf32, #tc.sizes<[40, s0, 24]>>, tensor<40x24xf32>
}

// A fold over all points runs before the iterations over rows, and what these
// keep of a row that is the same in all of them is not there yet.
func.func @before_iterations(%x: tensor<30x3xf32>, %y: tensor<3xf32>) -> tensor<30x3xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<30x3xf32> -> tensor<30xf32>
  %1 = tc.broadcast %0 dims [0] : tensor<30xf32> -> tensor<30x3xf32>
  %2 = tc.exp %y : tensor<3xf32>
  %3 = tc.broadcast %2 dims [1] : tensor<3xf32> -> tensor<30x3xf32>
  %4 = tc.add %3, %1 : tensor<30x3xf32>
  %5 = tc.tanh %4 : tensor<30x3xf32>
  %6 = tc.layer_norm %5 rank 1 eps 2.500000e-01 : tensor<30x3xf32>
  %7 = tc.layer_norm %6 rank 2 eps 2.500000e-01 : tensor<30x3xf32>
  return %7 : tensor<30x3xf32>
}
