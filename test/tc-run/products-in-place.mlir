// RUN: tc-run %s --target=cpu:x86-64-v4 --compile-to=bufferize > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check
// RUN: tc-run %s --random-inputs=1 --size=s0=5 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=700 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=9 --output=@%t.npy --output=@%t.half.npy
// RUN: tc-run %t.mlir --random-inputs=1 --size=s0=9 --device=reference --expected_output=@%t.npy --expected_output=@%t.half.npy --tolerance=1e-2,1e-3

// Matrix products that overwrite their own left operand, in f32 and in bf16.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:.*]] = tc.output_buffer 0
// CHECK: %[[H:.*]] = tc.output_buffer 1
// CHECK-DAG: tc.kernel {{.*}} contraction {{.*}} ins({{.*}}%[[Y]] : {{.*}}) outs(%{{.*}} = %[[Y]] :
// CHECK-DAG: tc.kernel {{.*}} contraction {{.*}} ins({{.*}}%[[H]] : {{.*}}) outs(%{{.*}} = %[[H]] :
func.func @main(%x: tensor<?x16xf32, #tc.sizes<[s0, 16]>>, %w: tensor<16x16xf32>, %h: tensor<?x16xbf16, #tc.sizes<[s0, 16]>>, %v: tensor<16x16xbf16>) -> (tensor<?x16xf32, #tc.sizes<[s0, 16]>>, tensor<?x16xbf16, #tc.sizes<[s0, 16]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1024>]} {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x16xf32, #tc.sizes<[s0, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[s0, 16]>>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<?x16xf32, #tc.sizes<[s0, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[s0, 16]>>
  %2 = tc.contract "mk,nk->mn" %h, %v : tensor<?x16xbf16, #tc.sizes<[s0, 16]>>, tensor<16x16xbf16> -> tensor<?x16xbf16, #tc.sizes<[s0, 16]>>
  %3 = tc.contract "mk,kn->mn" %2, %v : tensor<?x16xbf16, #tc.sizes<[s0, 16]>>, tensor<16x16xbf16> -> tensor<?x16xbf16, #tc.sizes<[s0, 16]>>
  return %1, %3 : tensor<?x16xf32, #tc.sizes<[s0, 16]>>, tensor<?x16xbf16, #tc.sizes<[s0, 16]>>
}
