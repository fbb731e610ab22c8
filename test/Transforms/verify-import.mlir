// RUN: tc-opt %s --tc-verify-import | FileCheck %s

// A graph of tc ops passes as it is, with its parameters, guards, branches and kernels.
// CHECK: func.func @main
tc.parameter_source @w : tensor<8xf32> {file = "m.pt2", offset = 0 : i64, role = "buffer"}
func.func @main(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %c: tensor<i1>)
    -> (tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<8xf32> {tc.mutates = @w}, tensor<i1> {tc.mutates = 1 : i64})
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, max = 64 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard scalar() {expr = #tc.expr<s0 * 2>, min = 4 : i64}
  %w = tc.parameter @w : tensor<8xf32>
  %0 = tc.if %c : tensor<i1> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>> {
    %1 = tc.exp %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
    tc.yield %1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  } else {
    tc.yield %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  }
  %2 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %w : tensor<8xf32>) outs(%o = %w : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0, %2, %c : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<8xf32>, tensor<i1>
}
