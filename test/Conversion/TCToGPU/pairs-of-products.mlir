// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=gated --random-inputs=0 --target=cuda:sm_90a --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=across --random-inputs=0 --target=cuda:sm_90a --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=loaded --random-inputs=0 --target=cuda:sm_90a --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=symbolic --size=s0=65 --size=s1=33 --random-inputs=0 --target=cuda:sm_90a --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=symbolic --size=s0=1 --size=s1=152 --random-inputs=0 --target=cuda:sm_90a --device=cuda --check | FileCheck %s
// RUN: tc-run %s --function=gated --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=COPIES

// Two products of the same rows: a stage has the rows, and the lanes of one product after those of the other, which are multiplied as if they were one matrix. A thread has the sums of both for its points.
// CHECK: largest difference
// CHECK-NOT: not close
// COPIES: tc.launch @contract_contract_silu_mul_
// COPIES-SAME: tensor_maps [#tc.tensor_map<buffer = 0, {{[^>]*>, [^>]*>}}, box = [64, 64], {{[^>]*}}>, #tc.tensor_map<buffer = 1, {{[^>]*>, [^>]*>}}, box = [32, 64], {{[^>]*}}>, #tc.tensor_map<buffer = 2, {{[^>]*>, [^>]*>}}, box = [32, 64], {{[^>]*}}>, #tc.tensor_map<buffer = 3, {{[^>]*>, [^>]*>}}, box = [16, 32],
// COPIES: block.pipeline at 0 consumers 4 : <{{[0-9]+}}, 16384>
// COPIES: block.copy_in {{.*}} at 0 bytes 8192 :
// COPIES: block.copy_in {{.*}} at 8192 bytes 4096 :
// COPIES: block.copy_in {{.*}} at 12288 bytes 4096 :
// COPIES: block.mma {{.*}} -> <64>
// COPIES: %[[SUMS:.*]] = block.mma_wait
// COPIES: vector.extract %[[SUMS]][0] :
// COPIES: vector.extract %[[SUMS]][16] :
func.func @gated(%x: tensor<136x136xbf16>, %g: tensor<104x136xbf16>, %u: tensor<104x136xbf16>) -> tensor<136x104xbf16> {
  %0 = tc.contract "mk,nk->mn" %x, %g : tensor<136x136xbf16>, tensor<104x136xbf16> -> tensor<136x104xbf16>
  %1 = tc.silu %0 : tensor<136x104xbf16>
  %2 = tc.contract "mk,nk->mn" %x, %u : tensor<136x136xbf16>, tensor<104x136xbf16> -> tensor<136x104xbf16>
  %3 = tc.mul %1, %2 : tensor<136x104xbf16>
  return %3 : tensor<136x104xbf16>
}
func.func @across(%x: tensor<136x136xf16>, %g: tensor<136x104xf16>, %u: tensor<136x104xf16>) -> tensor<136x104xf16> {
  %0 = tc.contract "mk,kn->mn" %x, %g : tensor<136x136xf16>, tensor<136x104xf16> -> tensor<136x104xf16>
  %1 = tc.gelu %0 : tensor<136x104xf16>
  %2 = tc.contract "mk,kn->mn" %x, %u : tensor<136x136xf16>, tensor<136x104xf16> -> tensor<136x104xf16>
  %3 = tc.mul %1, %2 : tensor<136x104xf16>
  return %3 : tensor<136x104xf16>
}
func.func @loaded(%x: tensor<136x135xf16>, %g: tensor<104x135xf16>, %u: tensor<104x135xf16>) -> tensor<136x104xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %g : tensor<136x135xf16>, tensor<104x135xf16> -> tensor<136x104xf16>
  %1 = tc.contract "mk,nk->mn" %x, %u : tensor<136x135xf16>, tensor<104x135xf16> -> tensor<136x104xf16>
  %2 = tc.cast %0 : tensor<136x104xf16> to tensor<136x104xf32>
  %3 = tc.cast %1 : tensor<136x104xf16> to tensor<136x104xf32>
  %4 = tc.sub %2, %3 : tensor<136x104xf32>
  return %4 : tensor<136x104xf32>
}
func.func @symbolic(%x: tensor<?x64xbf16, #tc.sizes<[s0, 64]>>, %g: tensor<?x64xbf16, #tc.sizes<[s1, 64]>>, %u: tensor<?x64xbf16, #tc.sizes<[s1, 64]>>) -> tensor<?x?xbf16, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 100000, likely = 200>, #tc.symbol<"s1", min = 1, max = 100000, likely = 240>]} {
  %0 = tc.contract "mk,nk->mn" %x, %g : tensor<?x64xbf16, #tc.sizes<[s0, 64]>>, tensor<?x64xbf16, #tc.sizes<[s1, 64]>> -> tensor<?x?xbf16, #tc.sizes<[s0, s1]>>
  %1 = tc.silu %0 : tensor<?x?xbf16, #tc.sizes<[s0, s1]>>
  %2 = tc.contract "mk,nk->mn" %x, %u : tensor<?x64xbf16, #tc.sizes<[s0, 64]>>, tensor<?x64xbf16, #tc.sizes<[s1, 64]>> -> tensor<?x?xbf16, #tc.sizes<[s0, s1]>>
  %3 = tc.mul %1, %2 : tensor<?x?xbf16, #tc.sizes<[s0, s1]>>
  return %3 : tensor<?x?xbf16, #tc.sizes<[s0, s1]>>
}
