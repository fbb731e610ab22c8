// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=scaled --random-inputs=0 --target=cuda:sm_90a --libraries=none --device=cuda --check | FileCheck %s --check-prefix=AGREES
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=biased_heads --random-inputs=0 --target=cuda:sm_90a --libraries=none --device=cuda --check | FileCheck %s --check-prefix=AGREES
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=hidden_rows --random-inputs=0 --target=cuda:sm_90a --libraries=none --device=cuda --check | FileCheck %s --check-prefix=AGREES
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=transposed --random-inputs=0 --target=cuda:sm_90a --libraries=none --device=cuda --check | FileCheck %s --check-prefix=AGREES

// Attention that is written out is one kernel for tensor cores: its scores and its weights are not in memory.
// AGREES: largest difference
// AGREES-NOT: not close

// CHECK-LABEL: func.func @scaled
// CHECK: tc.kernel "{{[^"]*}}" attention {{.*}} schedule #tc.gpu_attention_schedule<
// CHECK: %[[E:.*]] = tc.exp
// CHECK: %[[S:.*]] = tc.reduce_stage sum %[[E]]
// CHECK: %[[W:.*]] = tc.cast %[[E]] : f32 to bf16
// CHECK: %[[O:.*]] = tc.contract_stage %[[W]]
// CHECK: tc.div %[[O]], %[[S]]
// CHECK-NOT: tc.kernel
func.func @scaled(%q: tensor<2x70x64xbf16>, %k: tensor<2x90x64xbf16>, %v: tensor<2x90x64xbf16>) -> tensor<2x70x64xbf16> {
  %s = tc.contract "amk,ank->amn" %q, %k : tensor<2x70x64xbf16>, tensor<2x90x64xbf16> -> tensor<2x70x90xbf16>
  %c = tc.full 0.125 : bf16 -> tensor<2x70x90xbf16>
  %m = tc.mul %s, %c : tensor<2x70x90xbf16>
  %p = tc.softmax %m dim 2 : tensor<2x70x90xbf16>
  %o = tc.contract "amk,akn->amn" %p, %v : tensor<2x70x90xbf16>, tensor<2x90x64xbf16> -> tensor<2x70x64xbf16>
  return %o : tensor<2x70x64xbf16>
}

// Batches and heads are one dimension for the products, and two for the bias: a number for each head times the distance, which is a function of positions
// (Press et al., Train Short, Test Long, 2022), behind a causal mask.
// CHECK-LABEL: func.func @biased_heads
// CHECK: tc.kernel "{{[^"]*}}" attention dims [#tc.dim<"{{.*}}", parallel, 2>, #tc.dim<"{{.*}}", parallel, 3>, {{.*}} schedule #tc.gpu_attention_schedule<
// CHECK: tc.within
// CHECK: tc.index
// CHECK: tc.reduce_stage max
// CHECK-NOT: tc.kernel
func.func @biased_heads(%q: tensor<2x3x70x64xbf16>, %k: tensor<2x3x70x64xbf16>, %v: tensor<2x3x70x64xbf16>, %slopes: tensor<3xf32>) -> tensor<2x3x70x64xbf16> {
  %qs = tc.reshape %q : tensor<2x3x70x64xbf16> -> tensor<6x70x64xbf16>
  %ks = tc.reshape %k : tensor<2x3x70x64xbf16> -> tensor<6x70x64xbf16>
  %vs = tc.reshape %v : tensor<2x3x70x64xbf16> -> tensor<6x70x64xbf16>
  %s = tc.contract "amk,ank->amn" %qs, %ks : tensor<6x70x64xbf16>, tensor<6x70x64xbf16> -> tensor<6x70x70xbf16>
  %sh = tc.reshape %s : tensor<6x70x70xbf16> -> tensor<2x3x70x70xbf16>
  %f = tc.cast %sh : tensor<2x3x70x70xbf16> to tensor<2x3x70x70xf32>
  %rows = tc.iota dim 0 start 0 step 1 : tensor<70x70xi64>
  %columns = tc.iota dim 1 start 0 step 1 : tensor<70x70xi64>
  %distance = tc.sub %rows, %columns : tensor<70x70xi64>
  %d = tc.cast %distance : tensor<70x70xi64> to tensor<70x70xf32>
  %db = tc.broadcast %d dims [2, 3] : tensor<70x70xf32> -> tensor<2x3x70x70xf32>
  %slope = tc.broadcast %slopes dims [1] : tensor<3xf32> -> tensor<2x3x70x70xf32>
  %bias = tc.mul %slope, %db : tensor<2x3x70x70xf32>
  %b = tc.sub %f, %bias : tensor<2x3x70x70xf32>
  %zero = tc.full 0 : i64 -> tensor<70x70xi64>
  %seen = tc.ge %distance, %zero : tensor<70x70xi64>
  %mask = tc.broadcast %seen dims [2, 3] : tensor<70x70xi1> -> tensor<2x3x70x70xi1>
  %lowest = tc.full 0xFF800000 : f32 -> tensor<2x3x70x70xf32>
  %m = tc.select %mask, %b, %lowest : tensor<2x3x70x70xi1>, tensor<2x3x70x70xf32>
  %p = tc.softmax %m dim 3 : tensor<2x3x70x70xf32>
  %c = tc.cast %p rounds : tensor<2x3x70x70xf32> to tensor<2x3x70x70xbf16>
  %cs = tc.reshape %c : tensor<2x3x70x70xbf16> -> tensor<6x70x70xbf16>
  %o = tc.contract "amk,akn->amn" %cs, %vs : tensor<6x70x70xbf16>, tensor<6x70x64xbf16> -> tensor<6x70x64xbf16>
  %r = tc.reshape %o : tensor<6x70x64xbf16> -> tensor<2x3x70x64xbf16>
  return %r : tensor<2x3x70x64xbf16>
}

// The first five rows see no key: their softmax is of minus infinities, and not a number, other than where tc.attention hides all keys.
// CHECK-LABEL: func.func @hidden_rows
// CHECK: tc.kernel "{{[^"]*}}" attention {{.*}} schedule #tc.gpu_attention_schedule<
// CHECK-NOT: tc.kernel
func.func @hidden_rows(%q: tensor<2x70x64xf16>, %k: tensor<2x90x64xf16>, %v: tensor<2x90x72xf16>) -> tensor<2x70x72xf16> {
  %s = tc.contract "amk,ank->amn" %q, %k : tensor<2x70x64xf16>, tensor<2x90x64xf16> -> tensor<2x70x90xf16>
  %rows = tc.iota dim 1 start -5 step 1 : tensor<2x70x90xi64>
  %columns = tc.iota dim 2 start 0 step 1 : tensor<2x70x90xi64>
  %seen = tc.ge %rows, %columns : tensor<2x70x90xi64>
  %lowest = tc.full 0xFC00 : f16 -> tensor<2x70x90xf16>
  %m = tc.select %seen, %s, %lowest : tensor<2x70x90xi1>, tensor<2x70x90xf16>
  %p = tc.softmax %m dim 2 : tensor<2x70x90xf16>
  %o = tc.contract "amk,akn->amn" %p, %v : tensor<2x70x90xf16>, tensor<2x90x72xf16> -> tensor<2x70x72xf16>
  return %o : tensor<2x70x72xf16>
}

// Heads inside of the rows, and more batches than heads of keys.
// CHECK-LABEL: func.func @transposed
// CHECK: tc.kernel "{{[^"]*}}" attention {{.*}} schedule #tc.gpu_attention_schedule<
// CHECK-NOT: tc.kernel
func.func @transposed(%q: tensor<2x70x4x64xbf16>, %k: tensor<2x90x4x64xbf16>, %v: tensor<2x90x4x64xbf16>) -> tensor<2x70x4x64xbf16> {
  %s = tc.contract "bmhk,bnhk->bhmn" %q, %k : tensor<2x70x4x64xbf16>, tensor<2x90x4x64xbf16> -> tensor<2x4x70x90xbf16>
  %p = tc.softmax %s dim 3 : tensor<2x4x70x90xbf16>
  %o = tc.contract "bhmn,bnhk->bmhk" %p, %v : tensor<2x4x70x90xbf16>, tensor<2x90x4x64xbf16> -> tensor<2x70x4x64xbf16>
  return %o : tensor<2x70x4x64xbf16>
}
