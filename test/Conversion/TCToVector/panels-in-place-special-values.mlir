// Vectors of lanes and of points are read in place: what is behind the last lane and the last point, and NaN or infinity in other rows and
// lanes, does not count.
// RUN: sed -e 's/PANEL/points/' -e 's/LANES/2/' -e 's/ROW/d1/' -e 's/COLUMN/d2/' -e 's/SHAPE/5x3/' %s | tc-run - --target=cpu:x86-64-v3 --input=3x3xf32=1,2,3,4,inf,6,7,nan,9 --input=5x3xf32=1,0,2,3,4,5,6,nan,8,9,10,inf,1,-1,0 | FileCheck %s
// RUN: sed -e 's/PANEL/points/' -e 's/LANES/2/' -e 's/ROW/d1/' -e 's/COLUMN/d2/' -e 's/SHAPE/5x3/' %s | tc-run - --device=reference --input=3x3xf32=1,2,3,4,inf,6,7,nan,9 --input=5x3xf32=1,0,2,3,4,5,6,nan,8,9,10,inf,1,-1,0 | FileCheck %s
// RUN: sed -e 's/PANEL/lanes/' -e 's/LANES/4/' -e 's/ROW/d2/' -e 's/COLUMN/d1/' -e 's/SHAPE/3x5/' %s | tc-run - --target=cpu:x86-64-v2 --input=3x3xf32=1,2,3,4,inf,6,7,nan,9 --input=3x5xf32=1,3,6,9,1,0,4,nan,10,-1,2,5,8,inf,0 | FileCheck %s

// CHECK: 3x5xf32=[7 26 nan inf -1][nan inf nan inf -inf][nan nan nan nan nan]
module attributes {tc.phase = "fuse"} {
  func.func @main(%x: tensor<3x3xf32>, %w: tensor<SHAPExf32>) -> tensor<3x5xf32> {
    %e = tc.empty : tensor<3x5xf32>
    %0 = tc.kernel "product" contraction dims [#tc.dim<"m", parallel, 3>, #tc.dim<"n", parallel, 5>, #tc.dim<"k", reduced, 3>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = LANES, reduced = 3, block_rows = 4, block_lanes = 8, panel = PANEL>> ins(%a = %x : tensor<3x3xf32>, %b = %w : tensor<SHAPExf32>) outs(%o = %e : tensor<3x5xf32>) {
      %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<3x3xf32> -> f32
      %v = tc.read %b[affine_map<(d0, d1, d2) -> (ROW, COLUMN)>] : tensor<SHAPExf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<3x5xf32>
    }
    return %0 : tensor<3x5xf32>
  }
}
