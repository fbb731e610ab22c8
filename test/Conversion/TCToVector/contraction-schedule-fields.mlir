// RUN: tc-opt %s --convert-tc-to-vector="avx512=true" | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panel = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// Calls of fewer multiply-adds than points_below allocate nothing to pack operands in.
// CHECK: tc.launch @packed_0 count <1>
// CHECK: tc.launch @points_1 count <16>
func.func @points(%x: memref<16x16xf32>, %y: memref<16x16xf32>) {
  %o = tc.output_buffer 0 : memref<16x16xf32>
  tc.kernel "packed" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 16>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 16, reduced = 16, block_rows = 16, block_lanes = 16>, points_below = 4096> ins(%a = %x : memref<16x16xf32>, %b = %y : memref<16x16xf32>) outs(%c = %o : memref<16x16xf32>) {
    %v = tc.read %a[#rows] : memref<16x16xf32> -> f32
    %w = tc.read %b[#panel] : memref<16x16xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<16x16xf32>
  }
  tc.kernel "points" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 16>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 16, reduced = 16, block_rows = 16, block_lanes = 16>, points_below = 4097> ins(%a = %x : memref<16x16xf32>, %b = %y : memref<16x16xf32>) outs(%c = %o : memref<16x16xf32>) {
    %v = tc.read %a[#rows] : memref<16x16xf32> -> f32
    %w = tc.read %b[#panel] : memref<16x16xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<16x16xf32>
  }
  return
}

// Three stacks of 4608 bytes take at most half of what is written, 32 KiB, so that there are three tasks of 22 blocks. A task has at
// least task_multiply_adds, of 8192 for each block, and may have its stack for stack_multiply_adds.
// CHECK: tc.launch @usual_2 count <64> grain <22>
// CHECK: tc.launch @large_3 count <64> grain <32>
// CHECK: tc.launch @worth_4 count <64> grain <8>
func.func @tasks(%x: memref<512x64xf32>, %y: memref<64x16xf32>) {
  %o = tc.output_buffer 0 : memref<512x16xf32>
  tc.kernel "usual" contraction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 16, reduced = 64, block_rows = 8, block_lanes = 16>> ins(%a = %x : memref<512x64xf32>, %b = %y : memref<64x16xf32>) outs(%c = %o : memref<512x16xf32>) {
    %v = tc.read %a[#rows] : memref<512x64xf32> -> f32
    %w = tc.read %b[#panel] : memref<64x16xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<512x16xf32>
  }
  tc.kernel "large" contraction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 16, reduced = 64, block_rows = 8, block_lanes = 16>, task_multiply_adds = 262144> ins(%a = %x : memref<512x64xf32>, %b = %y : memref<64x16xf32>) outs(%c = %o : memref<512x16xf32>) {
    %v = tc.read %a[#rows] : memref<512x64xf32> -> f32
    %w = tc.read %b[#panel] : memref<64x16xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<512x16xf32>
  }
  tc.kernel "worth" contraction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 16, reduced = 64, block_rows = 8, block_lanes = 16>, stack_multiply_adds = 65536> ins(%a = %x : memref<512x64xf32>, %b = %y : memref<64x16xf32>) outs(%c = %o : memref<512x16xf32>) {
    %v = tc.read %a[#rows] : memref<512x64xf32> -> f32
    %w = tc.read %b[#panel] : memref<64x16xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<512x16xf32>
  }
  return
}

// CHECK-LABEL: func.func private @packed_0
// CHECK-COUNT-2: llvm.alloca
// CHECK-LABEL: func.func private @points_1
// CHECK-NOT: llvm.alloca
// CHECK: return
