// RUN: tc-run %s --target=cuda:sm_90a --compile-to=generate | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=PTX

// The maximum of a row is of rounded products. Its subtraction is not contracted
// with a product that is computed again, neither by LLVM nor by ptxas, which
// does not contract operations with a rounding modifier.
// CHECK-LABEL: gpu.module @mul_softmax
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}} : vector<4xf32>
// CHECK: gpu.shuffle
// CHECK: %[[LANE:.*]] = vector.extract %[[PRODUCT]][0]
// CHECK: llvm.inline_asm "sub.rn.f32 $0, $1, $2;", "=f,f,f" %[[LANE]], %{{.*}} : (f32, f32) -> f32
// PTX-LABEL: .visible .entry mul_softmax
// PTX: shfl.sync
// PTX: mul.f32 [[PRODUCT:%[a-z0-9]+]],
// PTX: sub.rn.f32 {{%[a-z0-9]+}}, [[PRODUCT]],
func.func @main(%x: tensor<40x240xf32>, %y: tensor<40x240xf32>) -> tensor<40x240xf32> {
  %0 = tc.mul %x, %y : tensor<40x240xf32>
  %1 = tc.softmax %0 dim 1 : tensor<40x240xf32>
  return %1 : tensor<40x240xf32>
}

// The statistic less its numbers.
// PTX-LABEL: .visible .entry mul_max_broadcast_sub
// PTX: shfl.sync
// PTX: mul.f64 [[PRODUCT:%[a-z0-9]+]],
// PTX: sub.rn.f64 {{%[a-z0-9]+}}, {{%[a-z0-9]+}}, [[PRODUCT]];
func.func @double(%x: tensor<40x240xf64>, %y: tensor<40x240xf64>) -> tensor<40x240xf64> {
  %0 = tc.mul %x, %y : tensor<40x240xf64>
  %1 = tc.reduce max %0 dims [1] : tensor<40x240xf64> -> tensor<40xf64>
  %2 = tc.broadcast %1 dims [0] : tensor<40xf64> -> tensor<40x240xf64>
  %3 = tc.sub %2, %0 : tensor<40x240xf64>
  return %3 : tensor<40x240xf64>
}

// Values read from memory are rounded: ordinary subtractions suffice.
// PTX-LABEL: .visible .entry softmax
// PTX-NOT: sub.rn
func.func @plain(%x: tensor<40x240xf32>) -> tensor<40x240xf32> {
  %0 = tc.softmax %x dim 1 : tensor<40x240xf32>
  return %0 : tensor<40x240xf32>
}

// What a row has one element of is loaded first: it is under way while the row
// is folded. It is converted where it is needed, which waits for it.
// CHECK-LABEL: gpu.module @contract_add_relu
// CHECK: %[[BIAS:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK: gpu.barrier
// CHECK: arith.bitcast %[[BIAS]] : i16 to bf16
// PTX-LABEL: .visible .entry contract_add_relu
// PTX: ld.global.b16 [[BIAS:%[a-z0-9]+]],
// PTX: ld.global.b16
// PTX: bar.sync
// PTX: shl.b32 {{%[a-z0-9]+}}, [[BIAS]], 16;
func.func @bias(%x: tensor<1x4096xbf16>, %w: tensor<1024x4096xbf16>, %b: tensor<1024xbf16>) -> tensor<1x1024xbf16> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<1x4096xbf16>, tensor<1024x4096xbf16> -> tensor<1x1024xbf16>
  %1 = tc.reshape %b : tensor<1024xbf16> -> tensor<1x1024xbf16>
  %2 = tc.add %0, %1 : tensor<1x1024xbf16>
  %3 = tc.relu %2 : tensor<1x1024xbf16>
  return %3 : tensor<1x1024xbf16>
}
