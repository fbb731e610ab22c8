// The next count of a step goes over the count, behind the kernel of many points that reads it: the only memory of a call is
// for the other result.
// RUN: tc-run %s --input="f32=2" --input="3xf32=[1 2 3]" | FileCheck %s
// RUN: tc-run %s --target=cpu:skylake --compile-to=bufferize | FileCheck %s --check-prefix=PLACE
// CHECK: 3xf32=3 6 9
// CHECK: f32=3
// PLACE: tc.output_buffer 1 over %arg0

func.func @counted(%n: tensor<f32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32> {tc.may_overwrite = 0 : i64}) {
  %one = tc.full 1.0 : f32 -> tensor<f32>
  %next = tc.add %n, %one : tensor<f32>
  %all = tc.broadcast %next dims [] : tensor<f32> -> tensor<3xf32>
  %y = tc.mul %x, %all : tensor<3xf32>
  return %y, %next : tensor<3xf32>, tensor<f32>
}
