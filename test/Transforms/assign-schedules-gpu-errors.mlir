// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-assign-schedules

// Schedules of kernels whose points depend on each other are for these alone.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.gpu_scan_schedule; expected a kernel with a scan}}
    %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_scan_schedule<threads = 32> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
      %n = tc.neg %v : f32
      tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.gpu_sort_schedule; expected a kernel with a sort}}
    %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_sort_schedule<threads = 32, tile = 8> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
      %n = tc.neg %v : f32
      tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.gpu_scatter_schedule; expected a kernel with a write at indices or one that combines}}
    %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_scatter_schedule<threads = 32, strips = 1> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
      %n = tc.neg %v : f32
      tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

// A sort has a schedule of its own.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @sort(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op of class custom has a #tc.gpu_loop_schedule; expected a #tc.gpu_sort_schedule for a sort, a #tc.task_schedule for a routine}}
    %0 = tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_loop_schedule<threads = 32> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
      %s, %i = tc.sort_stage %v along 0 : f32 -> f32, i64
      tc.write %s, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

// A block's threads would write the points of a chunk in any order.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @scan_scatter(%x: tensor<8xi64>, %y: tensor<9xi64>) -> tensor<9xi64> {
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_scan_schedule, but scans along several dimensions or writes at indices; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "scan" scan dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_scan_schedule<threads = 32> ins(%a = %x : tensor<8xi64>) outs(%o = %y : tensor<9xi64>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xi64> -> i64
      %s = tc.scan_stage sum %v along 0 : i64
      tc.write %v, %o[affine_map<(d0, d1) -> (d1)>] at %s : i64 : i64, tensor<9xi64>
    }
    return %0 : tensor<9xi64>
  }
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @scatter_scan(%x: tensor<8xi64>, %y: tensor<9xi64>) -> tensor<9xi64> {
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_scatter_schedule, but scans; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "scan" scan dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_scatter_schedule<threads = 32, strips = 1> ins(%a = %x : tensor<8xi64>) outs(%o = %y : tensor<9xi64>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xi64> -> i64
      %s = tc.scan_stage sum %v along 0 : i64
      tc.write %v, %o[affine_map<(d0, d1) -> (d1)>] at %s : i64 : i64, tensor<9xi64>
    }
    return %0 : tensor<9xi64>
  }
}

// -----

// Where a point goes has to be the same for all columns.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @scatter_columns(%x: tensor<8x40xf32>, %i: tensor<8x40xi64>, %y: tensor<9x40xf32>) -> tensor<9x40xf32> {
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_scatter_schedule with vector_dim 1; expected -1 where that is no dimension of every write, an index varies along it, or a write has a set of points}}
    %0 = tc.kernel "scatter" scatter dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 40>] schedule #tc.gpu_scatter_schedule<vector_dim = 1, threads = 32, strips = 1> ins(%a = %x : tensor<8x40xf32>, %n = %i : tensor<8x40xi64>) outs(%o = %y : tensor<9x40xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x40xf32> -> f32
      %p = tc.read %n[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x40xi64> -> i64
      tc.write %v, %o[affine_map<(d0, d1, d2) -> (d2, d1)>] at %p : i64 combine sum : f32, tensor<9x40xf32>
    }
    return %0 : tensor<9x40xf32>
  }
}

// -----

// A row that registers hold has a constant size of at most as many points.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<4x600xf32>) -> tensor<4xf32> {
    %e = tc.empty : tensor<4xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_row_schedule that holds 512 points of a row; expected a size of dimension 1 of at most so many, or held = false}}
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 600>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 2, held = true, threads = 64> ins(%a = %x : tensor<4x600xf32>) outs(%o = %e : tensor<4xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x600xf32> -> f32
      %s = tc.reduce_stage sum %v over [1] : f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

// Columns are folded by a kernel of columns, tiles are transposed by a pointwise one.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.gpu_column_schedule; expected a kernel of class column_reduction}}
    %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.gpu_column_schedule<vector_dim = 0, column_threads = 32, row_threads = 8> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
      %n = tc.neg %v : f32
      tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8x8xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op of class row_reduction has a #tc.gpu_transpose_schedule; expected a kernel of class transpose or pointwise}}
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 8>] schedule #tc.gpu_transpose_schedule<vector_dim = 1, tile = 64, rows = 64, threads = 256> ins(%a = %x : tensor<8x8xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x8xf32> -> f32
      %s = tc.reduce_stage sum %v over [1] : f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

// Rows in shared memory that registers hold have a constant size, too.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<64x33xf32>) -> tensor<64xf32> {
    %e = tc.empty : tensor<64xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_shared_memory_row_schedule that holds 32 points of a row; expected a constant size of dimension 1 of at most so many, or held = false}}
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 33>] schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, units = 16, held = true, threads = 2, rows = 64, bytes = 16928> ins(%a = %x : tensor<64x33xf32>) outs(%o = %e : tensor<64xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x33xf32> -> f32
      %s = tc.reduce_stage sum %v over [1] : f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

// Rows are copied in bulk from sm_90 on.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_80", features = "">} {
  func.func @f(%x: tensor<64x33xf32>) -> tensor<64xf32> {
    %e = tc.empty : tensor<64xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_shared_memory_row_schedule, but the target is before sm_90; expected a #tc.gpu_row_schedule}}
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 33>] schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, threads = 2, rows = 64, bytes = 16928> ins(%a = %x : tensor<64x33xf32>) outs(%o = %e : tensor<64xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x33xf32> -> f32
      %s = tc.reduce_stage sum %v over [1] : f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

// What is between elements is copied, too.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<64x165xf32>) -> tensor<64xf32> {
    %e = tc.empty : tensor<64xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_shared_memory_row_schedule, but is more than folds along a row and values along it, or reads no row at a constant stride of at most 4; expected a #tc.gpu_row_schedule}}
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 33>] schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, threads = 2, rows = 64, bytes = 16928> ins(%a = %x : tensor<64x165xf32>) outs(%o = %e : tensor<64xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1 * 5)>] : tensor<64x165xf32> -> f32
      %s = tc.reduce_stage sum %v over [1] : f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

// The rows of a block fit into its shared memory.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<64x33xf32>) -> tensor<64xf32> {
    %e = tc.empty : tensor<64xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_shared_memory_row_schedule, whose rows take 8464 bytes; expected at most 8000}}
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 33>] schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, threads = 2, rows = 64, bytes = 8000> ins(%a = %x : tensor<64x33xf32>) outs(%o = %e : tensor<64xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x33xf32> -> f32
      %s = tc.reduce_stage sum %v over [1] : f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

// Threads copy aligned vectors to shared memory, as far as there is room.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8x128xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_row_schedule with shared true, but reads along its rows that are no aligned vectors of 4, 8 or 16 bytes; expected false}}
    %0 = tc.kernel "max" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 64>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, threads = 32, held = true, packed = true, shared = true> ins(%a = %x : tensor<8x128xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1 * 2)>] : tensor<8x128xf32> -> f32
      %m = tc.reduce_stage max %v over [1] : f32 -> f32
      tc.write %m, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<8x65536xf32>) -> tensor<8xf32> {
    %e = tc.empty : tensor<8xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.gpu_row_schedule with shared true, whose rows take 262144 bytes of shared memory; expected at most 221184, or false}}
    %0 = tc.kernel "max" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 65536>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, threads = 512, units = 32, held = true, packed = true, shared = true> ins(%a = %x : tensor<8x65536xf32>) outs(%o = %e : tensor<8xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x65536xf32> -> f32
      %m = tc.reduce_stage max %v over [1] : f32 -> f32
      tc.write %m, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}
