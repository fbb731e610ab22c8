// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=registers --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=shared_memory --random-inputs=0 --device=cuda --check | FileCheck %s
// RUN: tc-run %s --function=registers --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=REGISTERS
// RUN: tc-run %s --function=shared_memory --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=MEMORY

// What each row reads of its own stays in the second-level cache longer than results do; what all rows read does not.
// CHECK: largest difference
// CHECK-NOT: not close
// REGISTERS-LABEL: .visible .entry held
// REGISTERS: createpolicy.fractional.L2::evict_last.b64 %[[POLICY:rd[0-9]+]];
// REGISTERS-COUNT-2: ld.global.L2::cache_hint.v4.b32 {{.*}}, %[[POLICY]];
// REGISTERS-NOT: cache_hint
// REGISTERS: ld.global.v4.b32
// MEMORY-LABEL: .visible .entry copied
// MEMORY: createpolicy.fractional.L2::evict_last.b64 %[[POLICY:rd[0-9]+]];
// MEMORY: cp.async.cg.shared.global.L2::cache_hint [{{.*}}], [{{.*}}], 16, %[[POLICY]];
// MEMORY: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
#row = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d1)>
module attributes {tc.phase = "fuse", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @registers(%arg0: tensor<7x512xbf16>, %arg1: tensor<512xbf16>) -> tensor<7x512xbf16> {
    %0 = tc.empty : tensor<7x512xbf16>
    %1 = tc.kernel "held" row_reduction dims [#tc.dim<"i", parallel, 7>, #tc.dim<"j", parallel, 512>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 2, held = true, threads = 32, rows = 4, evict_last = true> ins(%arg2 = %arg0 : tensor<7x512xbf16>, %arg3 = %arg1 : tensor<512xbf16>) outs(%arg4 = %0 : tensor<7x512xbf16>) {
      %2 = tc.read %arg2[#row] : tensor<7x512xbf16> -> bf16
      %3 = tc.cast %2 : bf16 to f32
      %4 = tc.reduce_stage max %3 over [1] : f32 -> f32
      %5 = tc.sub %3, %4 : f32
      %6 = tc.read %arg3[#all] : tensor<512xbf16> -> bf16
      %7 = tc.cast %6 : bf16 to f32
      %8 = tc.mul %5, %7 : f32
      %9 = tc.cast %8 : f32 to bf16
      tc.write %9, %arg4[#row] : bf16, tensor<7x512xbf16>
    }
    return %1 : tensor<7x512xbf16>
  }
  func.func @shared_memory(%arg0: tensor<7x512xbf16>, %arg1: tensor<512xbf16>) -> tensor<7x512xbf16> {
    %0 = tc.empty : tensor<7x512xbf16>
    %1 = tc.kernel "copied" row_reduction dims [#tc.dim<"i", parallel, 7>, #tc.dim<"j", parallel, 512>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 2, held = true, packed = true, threads = 32, shared = true, evict_last = true> ins(%arg2 = %arg0 : tensor<7x512xbf16>, %arg3 = %arg1 : tensor<512xbf16>) outs(%arg4 = %0 : tensor<7x512xbf16>) {
      %2 = tc.read %arg2[#row] : tensor<7x512xbf16> -> bf16
      %3 = tc.cast %2 : bf16 to f32
      %4 = tc.reduce_stage max %3 over [1] : f32 -> f32
      %5 = tc.sub %3, %4 : f32
      %6 = tc.read %arg3[#all] : tensor<512xbf16> -> bf16
      %7 = tc.cast %6 : bf16 to f32
      %8 = tc.mul %5, %7 : f32
      %9 = tc.cast %8 : f32 to bf16
      tc.write %9, %arg4[#row] : bf16, tensor<7x512xbf16>
    }
    return %1 : tensor<7x512xbf16>
  }
}
