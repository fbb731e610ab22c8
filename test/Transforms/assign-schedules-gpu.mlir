// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | FileCheck %s

// A row of a scan is a block's; a long one is cut into segments, columns and short rows have a thread each.
// CHECK-LABEL: func.func @scans
// CHECK: tc.kernel "scan" {{.*}} schedule #tc.gpu_scan_schedule<threads = 128> ins
// CHECK: tc.kernel "scan" {{.*}} schedule #tc.gpu_scan_schedule<threads = 1024, segments = 61> ins
// CHECK: tc.kernel "scan" {{.*}} schedule #tc.gpu_loop_schedule<vector_dim = 1, threads = 256> ins
// CHECK: tc.kernel "scan" {{.*}} schedule #tc.gpu_loop_schedule<threads = 256> ins
func.func @scans(%a: tensor<3x1000xf32>, %b: tensor<1000000xf32>, %c: tensor<50x8000xf32>, %d: tensor<900x20xf32>) -> (tensor<3x1000xf32>, tensor<1000000xf32>, tensor<50x8000xf32>, tensor<900x20xf32>) {
  %0 = tc.scan sum %a dim 1 : tensor<3x1000xf32>
  %1 = tc.scan max %b dim 0 : tensor<1000000xf32>
  %2 = tc.scan sum %c dim 0 : tensor<50x8000xf32>
  %3 = tc.scan sum %d dim 1 : tensor<900x20xf32>
  return %0, %1, %2, %3 : tensor<3x1000xf32>, tensor<1000000xf32>, tensor<50x8000xf32>, tensor<900x20xf32>
}

// Tiles of a sort are no larger than a row.
// CHECK-LABEL: func.func @sorts
// CHECK: schedule #tc.gpu_sort_schedule<threads = 32, tile = 64> ins
// CHECK: schedule #tc.gpu_sort_schedule<threads = 256, tile = 1024> ins
func.func @sorts(%a: tensor<300x10xf32>, %b: tensor<3x5000xf32>) -> (tensor<300x10xf32>, tensor<300x10xi64>, tensor<3x8xf32>, tensor<3x8xi64>) {
  %0, %1 = tc.sort %a dim 1 : tensor<300x10xf32> -> tensor<300x10xf32>, tensor<300x10xi64>
  %2, %3 = tc.topk %b dim 1 k 8 : tensor<3x5000xf32> -> tensor<3x8xf32>, tensor<3x8xi64>
  return %0, %1, %2, %3 : tensor<300x10xf32>, tensor<300x10xi64>, tensor<3x8xf32>, tensor<3x8xi64>
}

// Sums of floats are in the order of the points; integers, and values that replace, are the same in any order.
// CHECK-LABEL: func.func @scatters
// CHECK: tc.kernel "scatter" {{.*}} schedule #tc.gpu_scatter_schedule<threads = 256, strips = 32> ins
// CHECK: tc.kernel "scatter" {{.*}} schedule #tc.gpu_scatter_schedule<threads = 256, strips = 1, atomic = true> ins
// CHECK: tc.kernel "scatter" {{.*}} schedule #tc.gpu_scatter_schedule<threads = 256, strips = 1, atomic = true> ins
func.func @scatters(%x: tensor<100xf32>, %n: tensor<100xi64>, %y: tensor<100xf32>, %i: tensor<5000xi64>, %u: tensor<5000xf32>) -> (tensor<100xf32>, tensor<100xi64>, tensor<100xf32>) {
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<100xf32>, tensor<5000xi64>, tensor<5000xf32>
  %1 = tc.scatter sum %n[%i] = %i dim 0 : tensor<100xi64>, tensor<5000xi64>, tensor<5000xi64>
  %2 = tc.scatter replace %y[%i] = %u dim 0 : tensor<100xf32>, tensor<5000xi64>, tensor<5000xf32>
  return %0, %1, %2 : tensor<100xf32>, tensor<100xi64>, tensor<100xf32>
}

// Rows that are added to computed rows have a column for each thread, and strips for as many blocks as the multiprocessors take, but with some points each.
// CHECK-LABEL: func.func @scattered_columns
// CHECK: tc.kernel "index_put" {{.*}} schedule #tc.gpu_scatter_schedule<vector_dim = {{[01]}}, threads = 256, strips = 256> ins
// CHECK: tc.kernel "index_put" {{.*}} schedule #tc.gpu_scatter_schedule<threads = 256, strips = 32> ins
func.func @scattered_columns(%x: tensor<50000x768xf32>, %i: tensor<8192xi64>, %u: tensor<8192x768xf32>, %y: tensor<50x8xf32>, %v: tensor<8192x8xf32>) -> (tensor<50000x768xf32>, tensor<50x8xf32>) {
  %0 = tc.index_put sum %x[%i] = %u dims [0] : tensor<50000x768xf32>, tensor<8192x768xf32>, tensor<8192xi64>
  %1 = tc.index_put sum %y[%i] = %v dims [0] : tensor<50x8xf32>, tensor<8192x8xf32>, tensor<8192xi64>
  return %0, %1 : tensor<50000x768xf32>, tensor<50x8xf32>
}

// The host computes routines.
// CHECK-LABEL: func.func @routine
// CHECK: schedule #tc.task_schedule<tasks = 16> ins
func.func @routine(%a: tensor<5x6x6xf32>) -> (tensor<5x6x6xf32>, tensor<5xf32>) {
  %l, %info = tc.routine cholesky(%a) : (tensor<5x6x6xf32>) -> (tensor<5x6x6xf32>, tensor<5xf32>)
  return %l, %info : tensor<5x6x6xf32>, tensor<5xf32>
}
