// RUN: tc-run %s --target=cpu:x86-64-v3 --compile-to=fuse | FileCheck %s
// RUN: tc-run %s --random-inputs=1 --check

// Rows of a few bytes are summed across lanes, whose elements lie apart: 64
// lanes at most, however many would fit.
// CHECK: tc.kernel "sum" column_reduction {{.*}} schedule #tc.loop_schedule<vector_dim = 0, vector_width = 32, unroll = 2,
func.func @main(%x: tensor<1000x5xi8>) -> tensor<1000xi8> {
  %0 = tc.reduce sum %x dims [1] : tensor<1000x5xi8> -> tensor<1000xi8>
  return %0 : tensor<1000xi8>
}
