// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of factorisations and Fourier transforms.

// CHECK-LABEL: func @factorisations
func.func @factorisations(%a: tensor<8x4x4xf32>, %b: tensor<8x4x2xf32>) {
  // CHECK: tc.routine cholesky(%{{.*}}) : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xf32>)
  %l, %i0 = tc.routine cholesky(%a) : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xf32>)
  // CHECK: tc.routine inverse(%{{.*}}) {checked} : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xf32>)
  %x, %i1 = tc.routine inverse(%a) {checked} : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xf32>)
  // CHECK: tc.routine solve(%{{.*}}, %{{.*}}) : (tensor<8x4x4xf32>, tensor<8x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<8xf32>)
  %y, %i2 = tc.routine solve(%a, %b) : (tensor<8x4x4xf32>, tensor<8x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<8xf32>)
  // CHECK: tc.routine svd(%{{.*}}) : (tensor<8x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<8x2xf32>, tensor<8x2x2xf32>)
  %u, %s, %v = tc.routine svd(%b) : (tensor<8x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<8x2xf32>, tensor<8x2x2xf32>)
  return
}

// CHECK-LABEL: func @transform
func.func @transform(%re: tensor<?x12xf64, #tc.sizes<[s0, 12]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  // CHECK: tc.routine fft(%{{.*}}, %{{.*}})
  %a, %b = tc.routine fft(%re, %re) : (tensor<?x12xf64, #tc.sizes<[s0, 12]>>, tensor<?x12xf64, #tc.sizes<[s0, 12]>>) -> (tensor<?x12xf64, #tc.sizes<[s0, 12]>>, tensor<?x12xf64, #tc.sizes<[s0, 12]>>)
  return
}

// CHECK-LABEL: func @selection
func.func @selection(%x: tensor<4x?xf64, #tc.sizes<[4, s0]>>, %k: tensor<4x3xf64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 3, max = 64>]} {
  // CHECK: tc.routine largest(%{{.*}}, %{{.*}}) : (tensor<4x?xf64, #tc.sizes<[4, s0]>>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %a = tc.routine largest(%x, %k) : (tensor<4x?xf64, #tc.sizes<[4, s0]>>, tensor<4x3xf64>) -> tensor<4x3xf64>
  // CHECK: tc.routine smallest_unsorted(%{{.*}}, %{{.*}})
  %b = tc.routine smallest_unsorted(%x, %k) : (tensor<4x?xf64, #tc.sizes<[4, s0]>>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return
}

// CHECK-LABEL: func @stage
func.func @stage(%a: tensor<8x4x4xf32>, %o: tensor<8x4x4xf32>) -> tensor<8x4x4xf32> {
  %r = tc.kernel "cholesky" custom
      dims [#tc.dim<"b", parallel, 8>, #tc.dim<"i", reduced, 4>, #tc.dim<"j", reduced, 4>, #tc.dim<"k", parallel, 4>, #tc.dim<"l", parallel, 4>]
      ins(%x = %a : tensor<8x4x4xf32>) outs(%y = %o : tensor<8x4x4xf32>) {
    %v = tc.read %x[affine_map<(b, i, j, k, l) -> (b, i, j)>] : tensor<8x4x4xf32> -> f32
    // CHECK: tc.routine_stage cholesky(%{{.*}}) over {{\[\[}}1, 2]] to {{\[\[}}3, 4], []] : (f32) -> (f32, f32)
    %l, %info = tc.routine_stage cholesky(%v) over [[1, 2]] to [[3, 4], []] : (f32) -> (f32, f32)
    tc.write %l, %y[affine_map<(b, i, j, k, l) -> (b, k, l)>] : f32, tensor<8x4x4xf32>
  }
  return %r : tensor<8x4x4xf32>
}
