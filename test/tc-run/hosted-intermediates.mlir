// RUN: tc-run %s --compile-to=bufferize > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %s --function=chain --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=chain --random-inputs=1 --output=@%t.npy
// RUN: tc-run %t.mlir --function=chain --random-inputs=1 --device=reference --expected_output=@%t.npy --tolerance=1e-4,1e-2
// RUN: tc-run %s --function=several --random-inputs=1 --size=s0=3 --check
// RUN: tc-run %s --function=several --random-inputs=1 --size=s0=0 --check
// RUN: tc-run %s --function=several --random-inputs=1 --size=s0=5 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy
// RUN: tc-run %t.mlir --function=several --random-inputs=1 --size=s0=5 --device=reference --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --tolerance=1e-4,1e-2
// RUN: tc-run %s --function=branches --input=6x96xf32=0.5 --input=96x96xf32=0.25 --input=i1=1 --check
// RUN: tc-run %s --function=branches --input=6x96xf32=0.5 --input=96x96xf32=0.25 --input=i1=0 --check

// Every other product of a chain is allocated in the result.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[Y:.*]] = tc.output_buffer 0
// CHECK: %[[BYTES:.*]] = tc.buffer_reshape %[[Y]] : memref<6x96xf32> -> memref<2304xi8>
// CHECK: tc.arena_view %[[BYTES]] offset <0>
func.func @chain(%x: tensor<6x96xf32>, %w: tensor<96x96xf32>) -> tensor<6x96xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
  %2 = tc.contract "mk,nk->mn" %1, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
  %3 = tc.contract "mk,nk->mn" %2, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
  return %3 : tensor<6x96xf32>
}

// A result that is returned twice, and one that is an input.
// CHECK-LABEL: func.func @several(
// CHECK: tc.arena_view %{{.*}} offset <0> : memref<?xi8, #tc.sizes<[s0 * 384]>>
func.func @several(%x: tensor<?x96xf32, #tc.sizes<[s0, 96]>>, %w: tensor<96x96xf32>) -> (tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<?x96xf32, #tc.sizes<[s0, 96]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<96x96xf32> -> tensor<?x96xf32, #tc.sizes<[s0, 96]>>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<96x96xf32> -> tensor<?x96xf32, #tc.sizes<[s0, 96]>>
  %2 = tc.contract "mk,nk->mn" %1, %w : tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<96x96xf32> -> tensor<?x96xf32, #tc.sizes<[s0, 96]>>
  return %2, %x, %2 : tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<?x96xf32, #tc.sizes<[s0, 96]>>, tensor<?x96xf32, #tc.sizes<[s0, 96]>>
}

// Results of branches, written in both.
// CHECK-LABEL: func.func @branches(
// CHECK: tc.arena_view
func.func @branches(%x: tensor<6x96xf32>, %w: tensor<96x96xf32>, %if: tensor<i1>) -> tensor<6x96xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
  %2 = tc.if %if : tensor<i1> -> tensor<6x96xf32> {
    %3 = tc.contract "mk,nk->mn" %1, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
    tc.yield %3 : tensor<6x96xf32>
  } else {
    %3 = tc.contract "mk,kn->mn" %1, %w : tensor<6x96xf32>, tensor<96x96xf32> -> tensor<6x96xf32>
    tc.yield %3 : tensor<6x96xf32>
  }
  return %2 : tensor<6x96xf32>
}
