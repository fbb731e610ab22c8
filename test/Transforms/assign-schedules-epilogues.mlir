// RUN: tc-opt %s --tc-assign-schedules | FileCheck %s

// Vectors have the lanes of the accumulators: an epilogue in f64 computes as many
// in two registers.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v4", features = "">} {
  // CHECK: tc.kernel "product" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16
  func.func @product(%x: tensor<512x256xf32>, %y: tensor<256x512xf32>) -> tensor<512x512xf64> {
    %e = tc.empty : tensor<512x512xf64>
    %0 = tc.kernel "product" contraction dims [#tc.dim<"m", parallel, 512>, #tc.dim<"n", parallel, 512>, #tc.dim<"k", reduced, 256>] ins(%a = %x : tensor<512x256xf32>, %b = %y : tensor<256x512xf32>) outs(%o = %e : tensor<512x512xf64>) {
      %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<512x256xf32> -> f32
      %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<256x512xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      %w = tc.cast %s : f32 to f64
      tc.write %w, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f64, tensor<512x512xf64>
    }
    return %0 : tensor<512x512xf64>
  }
}
