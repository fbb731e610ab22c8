// RUN: tc-run %s --compile-to=bufferize > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check
// RUN: tc-run %s --random-inputs=1 --size=s0=5 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=700 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=9 --output=@%t.npy --output=@%t.half.npy
// RUN: tc-run %t.mlir --random-inputs=1 --size=s0=9 --device=reference --expected_output=@%t.npy --expected_output=@%t.half.npy --tolerance=1e-2,1e-3

// Products over the rows they are products of, in f32 and in bf16.
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:.*]] = tc.output_buffer 0
// CHECK: %[[H:.*]] = tc.output_buffer 1
// CHECK-DAG: tc.kernel {{.*}} contraction {{.*}} ins({{.*}}%[[Y]] : {{.*}}) outs(%{{.*}} = %[[Y]] :
// CHECK-DAG: tc.kernel {{.*}} contraction {{.*}} ins({{.*}}%[[H]] : {{.*}}) outs(%{{.*}} = %[[H]] :
func.func @main(%x: tensor<?x32xf32, #tc.sizes<[s0, 32]>>, %w: tensor<32x32xf32>, %h: tensor<?x48xbf16, #tc.sizes<[s0, 48]>>, %v: tensor<48x48xbf16>) -> (tensor<?x32xf32, #tc.sizes<[s0, 32]>>, tensor<?x48xbf16, #tc.sizes<[s0, 48]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1024>]} {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x32xf32, #tc.sizes<[s0, 32]>>, tensor<32x32xf32> -> tensor<?x32xf32, #tc.sizes<[s0, 32]>>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<?x32xf32, #tc.sizes<[s0, 32]>>, tensor<32x32xf32> -> tensor<?x32xf32, #tc.sizes<[s0, 32]>>
  %2 = tc.contract "mk,nk->mn" %h, %v : tensor<?x48xbf16, #tc.sizes<[s0, 48]>>, tensor<48x48xbf16> -> tensor<?x48xbf16, #tc.sizes<[s0, 48]>>
  %3 = tc.contract "mk,kn->mn" %2, %v : tensor<?x48xbf16, #tc.sizes<[s0, 48]>>, tensor<48x48xbf16> -> tensor<?x48xbf16, #tc.sizes<[s0, 48]>>
  return %1, %3 : tensor<?x32xf32, #tc.sizes<[s0, 32]>>, tensor<?x48xbf16, #tc.sizes<[s0, 48]>>
}
