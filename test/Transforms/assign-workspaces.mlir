// RUN: tc-opt %s --tc-assign-workspaces | FileCheck %s
// RUN: tc-opt %s --tc-assign-workspaces --tc-plan-memory | FileCheck %s --check-prefix=PLAN

#ij = affine_map<(d0, d1) -> (d0, d1)>
#ijk = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#i = affine_map<(d0, d1, d2) -> (d0)>

// 32 bytes an element of a row, for as many rows as there are tasks; rows that are less than the tasks where their number is known only at run time.
// CHECK-LABEL: func @sort
// CHECK: %[[W:.*]] = tc.buffer : memref<?xi8, #tc.sizes<[min(4, s0) * 320]>>
// CHECK: tc.kernel "sort" {{.*}} workspace(%{{.*}} = %[[W]] : memref<?xi8, #tc.sizes<[min(4, s0) * 320]>>) {
// PLAN-LABEL: func @sort
// PLAN-SAME: tc.memory_plan = {at = {s0 = 100000 : i64}, buffers = 1 : i64, peak = 1280 : i64, planned = 1280 : i64}
// PLAN: %[[ARENA:.*]] = tc.arena <min(4, s0) * 320> :
// PLAN: %[[W:.*]] = tc.arena_view %[[ARENA]] offset <0> : {{.*}} -> memref<?xi8, #tc.sizes<[min(4, s0) * 320]>>
// PLAN: workspace(%{{.*}} = %[[W]] :
func.func @sort(%x: memref<?x10xf32, #tc.sizes<[s0, 10]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100000>]} {
  %y = tc.output_buffer 0 : memref<?x10xf32, #tc.sizes<[s0, 10]>>
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 4> ins(%a = %x : memref<?x10xf32, #tc.sizes<[s0, 10]>>) outs(%o = %y : memref<?x10xf32, #tc.sizes<[s0, 10]>>) {
    %v = tc.read %a[#ij] : memref<?x10xf32, #tc.sizes<[s0, 10]>> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[#ij] : f32, memref<?x10xf32, #tc.sizes<[s0, 10]>>
  }
  return
}

// Two workspaces that are never used together share their bytes, also of kernels in a branch.
// CHECK-LABEL: func @twice
// CHECK: %[[FIRST:.*]] = tc.buffer : memref<320xi8>
// CHECK: workspace(%{{.*}} = %[[FIRST]] :
// CHECK: %[[SECOND:.*]] = tc.buffer : memref<320xi8>
// CHECK: tc.if
// CHECK: workspace(%{{.*}} = %[[SECOND]] :
// PLAN-LABEL: func @twice
// PLAN-SAME: tc.memory_plan = {buffers = 2 : i64, peak = 320 : i64, planned = 320 : i64}
func.func @twice(%x: memref<1x10xf32>, %c: memref<i1>) {
  %y = tc.output_buffer 0 : memref<1x10xf32>
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 1>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 4> ins(%a = %x : memref<1x10xf32>) outs(%o = %y : memref<1x10xf32>) {
    %v = tc.read %a[#ij] : memref<1x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[#ij] : f32, memref<1x10xf32>
  }
  tc.if %c : memref<i1> {
    tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 1>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 4> ins(%a = %x : memref<1x10xf32>) outs(%o = %y : memref<1x10xf32>) {
      %v = tc.read %a[#ij] : memref<1x10xf32> -> f32
      %s, %p = tc.sort_stage %v along 1 {descending} : f32 -> f32, i64
      tc.write %s, %o[#ij] : f32, memref<1x10xf32>
    }
    tc.yield
  } else {
    tc.yield
  }
  return
}

// A matrix of 9 numbers, 3 results and 10 numbers of the routine's, as f64, for each of 2 tasks.
// CHECK-LABEL: func @determinant
// CHECK: tc.buffer : memref<352xi8>
func.func @determinant(%x: memref<100x3x3xf32>) {
  %y = tc.output_buffer 0 : memref<100xf32>
  tc.kernel "determinant" custom dims [#tc.dim<"i", parallel, 100>, #tc.dim<"j", reduced, 3>, #tc.dim<"k", reduced, 3>] schedule #tc.task_schedule<tasks = 2> ins(%a = %x : memref<100x3x3xf32>) outs(%o = %y : memref<100xf32>) {
    %v = tc.read %a[#ijk] : memref<100x3x3xf32> -> f32
    %d, %s, %l = tc.routine_stage determinant(%v) over [[1, 2]] to [[], [], []] : (f32) -> (f32, f32, f32)
    tc.write %d, %o[#i] : f32, memref<100xf32>
  }
  return
}
