// RUN: tc-run %s --function=points --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=POINTS
// RUN: tc-run %s --function=parts --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=PARTS
// RUN: tc-run %s --function=stepped --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=STEPPED
// RUN: tc-run %s --function=rows --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=ROWS
// RUN: tc-run %s --function=anywhere --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=ANYWHERE
// RUN: tc-run %s --function=clusters --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=CLUSTERS
// RUN: tc-run %s --function=columns --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=COLUMNS
// RUN: tc-run %s --function=transposes --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=TRANSPOSES
// RUN: tc-run %s --function=functions --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=FUNCTIONS

// Where all pointers are multiples of 16, a thread loads and stores 16 bytes at once; elsewhere it selects them from two loads.
// POINTS-LABEL: .visible .entry add_relu
// POINTS: and.b64 %[[REST:.*]], %{{.*}}, 15
// POINTS: setp.ne.{{[bs]}}64 %{{.*}}, %[[REST]], 0
// POINTS-NOT: ld.global.b32
// POINTS: ld.global.v4.b32
// POINTS: selp.b32
// POINTS: st.global.v4.b32
func.func @points(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = tc.add %x, %y : tensor<1024x1024xf32>
  %1 = tc.relu %0 : tensor<1024x1024xf32>
  return %1 : tensor<1024x1024xf32>
}

// Each part of a concatenation begins and ends between vectors, and, as a block has a row, between the two vectors of a thread: both are loaded
// whole, without a branch.
// PARTS-LABEL: .visible .entry concat
// PARTS: +-4080];
// PARTS: ld.global.v4.b32 {{.*}}, [%rd{{[0-9]+}}];
// PARTS-NOT: bra
// PARTS: ld.global.v4.b32 {{.*}}+-4096];
// PARTS-NOT: bra
// PARTS: st.global.v4.b32
// PARTS-NOT: bra
// PARTS: st.global.v4.b32
// PARTS-NEXT: $L__BB
// PARTS-NEXT: ret;
func.func @parts(%x: tensor<1024x2048xbf16>, %y: tensor<1024x2048xbf16>) -> tensor<1024x4096xbf16> {
  %0 = tc.concat %x, %y dim 1 : tensor<1024x2048xbf16>, tensor<1024x2048xbf16> -> tensor<1024x4096xbf16>
  return %0 : tensor<1024x4096xbf16>
}

// Of every second element, 16 bytes have four of 16 bits.
// STEPPED-LABEL: .visible .entry slice_neg
// STEPPED: ld.global.v4.b32
// STEPPED-NEXT: ld.global.v4.b32
// STEPPED: st.global.v4.b32
func.func @stepped(%x: tensor<1024x1024xbf16> {tc.strides = [#tc.expr<2048>, #tc.expr<2>]}) -> tensor<1024x1024xbf16> {
  %0 = tc.neg %x : tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}

// A row stays in registers: its vectors are loaded once for both statistics and the results.
// ROWS-LABEL: .visible .entry softmax
// ROWS: .maxntid 128
// ROWS-COUNT-4: ld.global.v4.b32
// ROWS-NOT: ld.global.v4.b32
// ROWS-COUNT-4: st.global.v4.b32
func.func @rows(%x: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %0 = tc.softmax %x dim 1 : tensor<64x4096xbf16>
  return %0 : tensor<64x4096xbf16>
}

// Rows that begin anywhere go to shared memory in bulk, and results from there; what is less than 16 bytes goes alone.
// ANYWHERE-LABEL: .visible .entry softmax
// ANYWHERE: mbarrier.init.shared.b64
// ANYWHERE: mbarrier.arrive.expect_tx
// ANYWHERE: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// ANYWHERE: mbarrier.try_wait.parity
// ANYWHERE-COUNT-17: ld.shared.b32
// ANYWHERE-COUNT-17: st.shared.b32
// ANYWHERE: fence.proxy.async.shared::cta
// ANYWHERE: cp.async.bulk.global.shared::cta.bulk_group
// ANYWHERE: cp.async.bulk.wait_group.read 0
func.func @anywhere(%x: tensor<6400x33xf32>) -> tensor<6400x33xf32> {
  %0 = tc.softmax %x dim 1 : tensor<6400x33xf32>
  return %0 : tensor<6400x33xf32>
}

// The blocks of a cluster share a longer one. Each thread copies its 64 points to shared memory, from where each stage loads them again, and the blocks
// send each other their statistics: no thread waits at a barrier of the cluster once all its blocks are there.
// CLUSTERS-LABEL: .visible .entry softmax
// CLUSTERS: .minnctapersm 6
// CLUSTERS: .reqnctapercluster 4, 1, 1
// CLUSTERS: fence.mbarrier_init.release.cluster
// CLUSTERS: barrier.cluster.arrive.relaxed
// CLUSTERS-COUNT-8: cp.async.cg.shared.global
// CLUSTERS-NOT: cp.async.cg
// CLUSTERS: cp.async.wait_group 0
// CLUSTERS-COUNT-8: ld.shared.v4.b32
// CLUSTERS: barrier.cluster.wait
// CLUSTERS-NOT: barrier.cluster
// CLUSTERS: mapa.shared::cluster.u32
// CLUSTERS: st.async.shared::cluster.mbarrier::complete_tx::bytes.b64
// CLUSTERS: mbarrier.try_wait.parity
// CLUSTERS-COUNT-8: ld.shared.v4.b32
// CLUSTERS: st.async.shared::cluster
// CLUSTERS-COUNT-8: ld.shared.v4.b32
// CLUSTERS: st.global.v4.b32
// CLUSTERS-NOT: barrier.cluster
func.func @clusters(%x: tensor<64x65536xbf16>) -> tensor<64x65536xbf16> {
  %0 = tc.softmax %x dim 1 : tensor<64x65536xbf16>
  return %0 : tensor<64x65536xbf16>
}

// Columns are folded by threads of several warps through shared memory, 8 loads under way.
// COLUMNS-LABEL: .visible .entry sum
// COLUMNS: .maxntid 512
// COLUMNS: ld.shared
// COLUMNS-COUNT-8: ld.global.v4.b32
func.func @columns(%x: tensor<4096x16384xf32>) -> tensor<16384xf32> {
  %0 = tc.reduce sum %x dims [0] : tensor<4096x16384xf32> -> tensor<16384xf32>
  return %0 : tensor<16384xf32>
}

// A transposed tile is copied to shared memory, from the columns of which vectors are gathered.
// TRANSPOSES-LABEL: .visible .entry {{[a-z_]*}}transpose
// TRANSPOSES: .shared .align 16 .b8
// TRANSPOSES: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// TRANSPOSES: cp.async.commit_group
// TRANSPOSES: cp.async.wait_group 0
// TRANSPOSES: bar.sync
// TRANSPOSES-NOT: st.shared
// TRANSPOSES-COUNT-4: ld.shared.b32
// TRANSPOSES: st.global.v4.b32
func.func @transposes(%x: tensor<8192x4096xf32>) -> tensor<4096x8192xf32> {
  %0 = tc.transpose %x [1, 0] : tensor<8192x4096xf32> -> tensor<4096x8192xf32>
  %1 = tc.neg %0 : tensor<4096x8192xf32>
  return %1 : tensor<4096x8192xf32>
}

// Exponentials and gelu, and logarithms of 16 bits, are built on the instructions for 2^x and log2(x). Logarithms of f32 have to be
// as exact as on a CPU: the instruction is not.
// FUNCTIONS-LABEL: .visible .entry exp_
// FUNCTIONS: ex2.approx.ftz.f32
// FUNCTIONS-LABEL: .visible .entry log_
// FUNCTIONS: lg2.approx.ftz.f32
// FUNCTIONS-LABEL: .visible .entry gelu_
// FUNCTIONS: ex2.approx.ftz.f32
// FUNCTIONS-NOT: div.rn
// FUNCTIONS-LABEL: .visible .entry gelu_log_add_
// FUNCTIONS-NOT: {{lg2.approx|div.rn}}
func.func @functions(%x: tensor<100xf32>, %y: tensor<200xbf16>, %z: tensor<300xbf16>, %w: tensor<400xf32>)
    -> (tensor<100xf32>, tensor<200xbf16>, tensor<300xbf16>, tensor<400xf32>) {
  %0 = tc.exp %x : tensor<100xf32>
  %1 = tc.log %y : tensor<200xbf16>
  %2 = tc.gelu %z : tensor<300xbf16>
  %3 = tc.log %w : tensor<400xf32>
  %4 = tc.gelu %w : tensor<400xf32>
  %5 = tc.add %3, %4 : tensor<400xf32>
  return %0, %1, %2, %5 : tensor<100xf32>, tensor<200xbf16>, tensor<300xbf16>, tensor<400xf32>
}
