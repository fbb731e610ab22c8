// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s
// RUN: tc-opt %s --split-input-file --convert-tc-to-vector=avx512=true | FileCheck %s --check-prefix=AVX512

// A polynomial and two powers of two; with AVX-512, scalef puts the exponent in.
// CHECK-LABEL: func.func private @exp_0
// CHECK-COUNT-7: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: arith.shli
// CHECK: arith.shli
// AVX512-LABEL: func.func private @exp_0
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
func.func @exp(%x: memref<16xf32>) {
  %o = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 16>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16> ins(%a = %x : memref<16xf32>) outs(%b = %o : memref<16xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    %r = tc.exp %v : f32
    tc.write %r, %b[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

// On bf16 gelu is a table of polynomials of degree 4, without an exponential.
// CHECK-LABEL: func.func private @gelu_0
// CHECK-NOT: math.erf
// AVX512-LABEL: func.func private @gelu_0
// AVX512-COUNT-5: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"
// AVX512-NOT: scalef
func.func @gelu(%x: memref<16xbf16>) {
  %o = tc.output_buffer 0 : memref<16xbf16>
  tc.kernel "gelu" pointwise dims [#tc.dim<"i", parallel, 16>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16> ins(%a = %x : memref<16xbf16>) outs(%b = %o : memref<16xbf16>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xbf16> -> bf16
    %r = tc.gelu %v : bf16
    tc.write %r, %b[affine_map<(d0) -> (d0)>] : bf16, memref<16xbf16>
  }
  return
}

// -----

// A divisor of 0 is replaced before the division, which would trap.
// CHECK-LABEL: func.func private @divide_0
// CHECK: %[[DIVISOR:.*]] = arith.select
// CHECK: arith.divsi %{{.*}}, %[[DIVISOR]]
func.func @quotient(%x: memref<16xi32>, %y: memref<16xi32>) {
  %o = tc.output_buffer 0 : memref<16xi32>
  tc.kernel "divide" pointwise dims [#tc.dim<"i", parallel, 16>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16> ins(%a = %x : memref<16xi32>, %b = %y : memref<16xi32>) outs(%c = %o : memref<16xi32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xi32> -> i32
    %w = tc.read %b[affine_map<(d0) -> (d0)>] : memref<16xi32> -> i32
    %r = tc.trunc_div %v, %w : i32
    tc.write %r, %c[affine_map<(d0) -> (d0)>] : i32, memref<16xi32>
  }
  return
}
