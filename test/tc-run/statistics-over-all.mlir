// RUN: tc-run %s --target=cpu:x86-64-v3 --compile-to=fuse --function=softmax_norm | FileCheck %s
// RUN: tc-run %s --function=softmax_norm --random-inputs=1 --check --threads=1
// RUN: tc-run %s --function=softmax_norm --random-inputs=1 --check --threads=5
// RUN: tc-run %s --function=over_its_norm --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=symbolic --size=s0=23 --random-inputs=1 --check --threads=2

// A statistic of rows, then one over all dimensions, in one kernel: what is
// kept of a row is not there for the fold over all rows.
// CHECK-LABEL: func.func @softmax_norm(
// CHECK: tc.reduce_stage sum %{{.*}} over [1]
// CHECK: tc.reduce_stage sum %{{.*}} over [0, 1]
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @softmax_norm(%x: tensor<17x9xf32>) -> tensor<17x9xf32> {
  %0 = tc.softmax %x dim 1 : tensor<17x9xf32>
  %1 = tc.layer_norm %0 rank 2 eps 1.0e-5 : tensor<17x9xf32>
  return %1 : tensor<17x9xf32>
}

// p / p.norm().
func.func @over_its_norm(%x: tensor<17x9xf64>) -> tensor<17x9xf64> {
  %0 = tc.softmax %x dim 1 : tensor<17x9xf64>
  %1 = tc.mul %0, %0 : tensor<17x9xf64>
  %2 = tc.reduce sum %1 dims [0, 1] : tensor<17x9xf64> -> tensor<f64>
  %3 = tc.sqrt %2 : tensor<f64>
  %4 = tc.broadcast %3 dims [] : tensor<f64> -> tensor<17x9xf64>
  %5 = tc.div %0, %4 : tensor<17x9xf64>
  return %5 : tensor<17x9xf64>
}

func.func @symbolic(%x: tensor<?x40xbf16, #tc.sizes<[s0, 40]>>) -> tensor<?x40xbf16, #tc.sizes<[s0, 40]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.layer_norm %x rank 1 eps 1.0e-5 : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>
  %1 = tc.gelu %0 : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>
  %2 = tc.rms_norm %1 rank 2 eps 1.0e-5 : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>
  return %2 : tensor<?x40xbf16, #tc.sizes<[s0, 40]>>
}

// The sum over all of the products needs the rows' sums, whose loop cannot be
// that of the rows' maxima too: these need the sum over all of x.
// RUN: tc-run %s --function=rows_between --random-inputs=1 --check --threads=2
func.func @rows_between(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %sum = tc.reduce sum %x dims [0, 1] : tensor<5x7xf32> -> tensor<f32>
  %sums = tc.broadcast %sum dims [] : tensor<f32> -> tensor<5x7xf32>
  %row = tc.reduce sum %x dims [1] : tensor<5x7xf32> -> tensor<5xf32>
  %rows = tc.broadcast %row dims [0] : tensor<5xf32> -> tensor<5x7xf32>
  %products = tc.mul %x, %rows : tensor<5x7xf32>
  %all = tc.reduce sum %products dims [0, 1] : tensor<5x7xf32> -> tensor<f32>
  %alls = tc.broadcast %all dims [] : tensor<f32> -> tensor<5x7xf32>
  %scaled = tc.mul %x, %sums : tensor<5x7xf32>
  %max = tc.reduce max %scaled dims [1] : tensor<5x7xf32> -> tensor<5xf32>
  %maxima = tc.broadcast %max dims [0] : tensor<5xf32> -> tensor<5x7xf32>
  %below = tc.sub %scaled, %maxima : tensor<5x7xf32>
  %result = tc.add %below, %alls : tensor<5x7xf32>
  return %result : tensor<5x7xf32>
}
