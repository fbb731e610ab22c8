// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s

// Queries, keys and values of one contraction are read by the attention where
// they are, at offsets of the copy engine's boxes; keys are shared by heads.
tc.parameter_source @q : tensor<2048x2048xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
tc.parameter_source @k : tensor<512x2048xbf16> {file = "m.pt2", offset = 8388608 : i64, role = "parameter"}
tc.parameter_source @v : tensor<512x2048xbf16> {file = "m.pt2", offset = 10485760 : i64, role = "parameter"}

// CHECK-DAG: #[[QUERIES:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0 * 64 + d4)>
// CHECK-DAG: #[[KEYS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4 + (d0 floordiv 4) * 64 + 2048)>
// CHECK-DAG: #[[VALUES:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d2 + (d0 floordiv 4) * 64 + 2560)>
// CHECK: func.func @tc.prepare() -> tensor<3072x2048xbf16>
// CHECK-LABEL: func.func @f
// CHECK: %[[ALL:.*]] = tc.kernel "contract" {{.*}} #tc.gpu_contraction_schedule<{{.*}}async_store = true> {{.*}} tensor<512x3072xbf16>)
// CHECK: tc.kernel {{.*}} attention {{.*}} #tc.gpu_attention_schedule<{{.*}}async_store = true{{.*}}> ins(%{{.*}} = %[[ALL]] : tensor<512x3072xbf16>)
// CHECK: tc.read %{{.*}}[#[[QUERIES]]]
// CHECK: tc.read %{{.*}}[#[[KEYS]]]
// CHECK: tc.read %{{.*}}[#[[VALUES]]]
// CHECK-NOT: tc.kernel
func.func @f(%x: tensor<512x2048xbf16>) -> tensor<32x512x64xbf16> {
  %q = tc.parameter @q : tensor<2048x2048xbf16>
  %k = tc.parameter @k : tensor<512x2048xbf16>
  %v = tc.parameter @v : tensor<512x2048xbf16>
  %0 = tc.contract "mk,nk->mn" %x, %q : tensor<512x2048xbf16>, tensor<2048x2048xbf16> -> tensor<512x2048xbf16>
  %1 = tc.contract "mk,nk->mn" %x, %k : tensor<512x2048xbf16>, tensor<512x2048xbf16> -> tensor<512x512xbf16>
  %2 = tc.contract "mk,nk->mn" %x, %v : tensor<512x2048xbf16>, tensor<512x2048xbf16> -> tensor<512x512xbf16>
  %3 = tc.reshape %0 : tensor<512x2048xbf16> -> tensor<512x32x64xbf16>
  %4 = tc.transpose %3 [1, 0, 2] : tensor<512x32x64xbf16> -> tensor<32x512x64xbf16>
  %5 = tc.reshape %1 : tensor<512x512xbf16> -> tensor<512x8x64xbf16>
  %6 = tc.transpose %5 [1, 0, 2] : tensor<512x8x64xbf16> -> tensor<8x512x64xbf16>
  %7 = tc.reshape %2 : tensor<512x512xbf16> -> tensor<512x8x64xbf16>
  %8 = tc.transpose %7 [1, 0, 2] : tensor<512x8x64xbf16> -> tensor<8x512x64xbf16>
  %9 = tc.attention %4, %6, %8 scale 0.125 {causal} : tensor<32x512x64xbf16>, tensor<8x512x64xbf16>, tensor<8x512x64xbf16> -> tensor<32x512x64xbf16>
  return %9 : tensor<32x512x64xbf16>
}
