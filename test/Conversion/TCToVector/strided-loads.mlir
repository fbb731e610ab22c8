// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s

// Lanes two apart: whole vectors are loaded, but nothing behind the last lane, and every second element is kept.
// CHECK-LABEL: func.func private @halve_0
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : vector<4xi1>
// CHECK: %[[NONE:.*]] = arith.constant dense<false> : vector<4xi1>
// CHECK: %[[MASK:.*]] = vector.shuffle %[[ALL]], %[[NONE]] [0, 0, 1, 1, 2, 2, 3, 4] : vector<4xi1>, vector<4xi1>
// CHECK: %[[SPAN:.*]] = llvm.intr.masked.load %{{.*}}, %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK: vector.shuffle %[[SPAN]], %[[SPAN]] [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
func.func @halve(%x: memref<128xf32>) {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "halve" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4> ins(%a = %x : memref<128xf32>) outs(%b = %o : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 2)>] : memref<128xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}

// -----

// Under a mask, of what lies between lanes nothing is loaded either.
// CHECK-LABEL: func.func private @padded_0
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %{{.*}} : vector<4xi64>
// CHECK: %[[MASK:.*]] = vector.shuffle %[[INSIDE]], %{{.*}} [0, 4, 4, 1, 4, 4, 2, 4, 4, 3, 4, 4] : vector<4xi1>, vector<4xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK: vector.shuffle %{{.*}} [0, 3, 6, 9] : vector<12xf32>, vector<12xf32>
func.func @padded(%x: memref<190xf32>) {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "padded" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4> ins(%a = %x : memref<190xf32>) outs(%b = %o : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 3 - 1)>] within affine_set<(d0) : (d0 * 3 - 1 >= 0)> : memref<190xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}

// -----

// Lanes far apart are gathered.
// CHECK-LABEL: func.func private @sparse_0
// CHECK: llvm.intr.masked.gather
func.func @sparse(%x: memref<320xf32>) {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "sparse" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4> ins(%a = %x : memref<320xf32>) outs(%b = %o : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 5)>] : memref<320xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}

// -----

// More than 16 lanes are loaded in pieces: the code that a target without such
// masks takes for one load grows with the square of its length.
// CHECK-LABEL: func.func private @long_0
// CHECK-NOT: vector<96x
// CHECK: vector.extract_strided_slice %[[INSIDE:.*]] {offsets = [0], sizes = [16], strides = [1]} : vector<32xi1> to vector<16xi1>
// CHECK: %[[FIRST:.*]] = vector.shuffle {{.*}} : vector<48xf32>, vector<48xf32>
// CHECK: llvm.getelementptr %{{.*}}[48] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK: vector.extract_strided_slice %[[INSIDE]] {offsets = [16], sizes = [16], strides = [1]} : vector<32xi1> to vector<16xi1>
// CHECK: %[[SECOND:.*]] = vector.shuffle {{.*}} : vector<48xf32>, vector<48xf32>
// CHECK: vector.shuffle %[[FIRST]], %[[SECOND]] [0, 1, {{.*}}, 30, 31] : vector<16xf32>, vector<16xf32>
// CHECK-NOT: vector<96x
// CHECK: return
func.func @long(%x: memref<190xf32>) {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "long" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16, unroll = 2> ins(%a = %x : memref<190xf32>) outs(%b = %o : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 3 - 1)>] within affine_set<(d0) : (d0 * 3 - 1 >= 0)> : memref<190xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}
