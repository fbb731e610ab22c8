// RUN: tc-run %s --target=cuda:sm_90a --function=stored_by_copies --compile-to=generate | FileCheck %s --check-prefix=COPIES
// RUN: tc-run %s --target=cuda:sm_90a --function=stored_by_threads --compile-to=generate | FileCheck %s --check-prefix=THREADS

// A product on tensor cores: its tensor maps, the producer and the consumers of a ring of stages. A tile has half of the lanes of a box. The results of a tile are stored by the copy engine while the first products of the next one are under way; those of the last tile after the loop.
// COPIES: tc.launch @contract_relu_0 count <min(
// COPIES-SAME: tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 4096]>, strides = <[4096, 1]>, box = [{{[0-9]+}}, 64], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[4096, 1024]>, strides = <[1024, 1]>, box = [64, 64], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[4096, 1024]>, strides = <[1024, 1]>, box = [64, 32], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 2, sizes = <[s0, 1024]>, strides = <[1024, 1]>, box = [16, 32], swizzle = 64, realigns = true, written = true>]
// COPIES: block.pipeline at 0 consumers
// COPIES: block.acquire {{.*}} bytes 12288 : <{{[0-9]+}}, 16384>
// COPIES: block.copy_in %arg0[
// COPIES: block.copy_in %arg2[
// COPIES: } else {
// COPIES: scf.for {{.*}} iter_args(%{{.*}} = %false,
// COPIES: ub.poison : !block.accumulator<
// COPIES: scf.for
// COPIES: block.wait_full
// COPIES: block.mma {{.*}} across depth 64 type bf16 accumulate %{{.*}} if %
// COPIES: block.mma_wait_earlier
// COPIES: scf.if
// COPIES-NEXT: block.release
// COPIES: block.copy_out %arg3[
// COPIES: block.mma_wait %
// COPIES: block.release
// COPIES-NOT: llvm.store
// COPIES: scf.yield %true,
// COPIES: block.copy_out %arg3[
// COPIES: block.copy_out_wait
// COPIES: gpu.return
func.func @stored_by_copies(%x: tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, %w: tensor<4096x1024xbf16>) -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100000>]} {
  %c = tc.contract "mk,kn->mn" %x, %w : tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, tensor<4096x1024xbf16> -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
  %r = tc.relu %c : tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
  return %r : tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
}

// Results of 32 bits are stored by the threads that have them.
// THREADS: tc.launch @contract_relu_cast_{{[0-9]}}
// THREADS-SAME: tensor_maps [#tc.tensor_map<buffer = 0, {{[^>]*>[^>]*>[^>]*}}>, #tc.tensor_map<buffer = 1, {{[^>]*>[^>]*>[^>]*}}>]
// THREADS: block.mma_wait %
// THREADS: llvm.store {{.*}} : vector<2xf32>
// THREADS-NOT: block.copy_out
func.func @stored_by_threads(%x: tensor<4096x4096xbf16>, %w: tensor<4096x1024xbf16>) -> tensor<4096x1024xf32> {
  %c = tc.contract "mk,kn->mn" %x, %w : tensor<4096x4096xbf16>, tensor<4096x1024xbf16> -> tensor<4096x1024xbf16>
  %r = tc.relu %c : tensor<4096x1024xbf16>
  %f = tc.cast %r : tensor<4096x1024xbf16> to tensor<4096x1024xf32>
  return %f : tensor<4096x1024xf32>
}
