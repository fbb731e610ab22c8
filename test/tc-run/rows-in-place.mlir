// Rows that are written over themselves, by one thread and by several.
// RUN: tc-run %s --compile-to=bufferize > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %s --function=softmax --random-inputs=1 --size=s0=1 --size=s1=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=softmax --random-inputs=1 --size=s0=67 --size=s1=131 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=softmax --random-inputs=1 --size=s0=301 --size=s1=600 --check --benchmark_min_time=0.01 --threads=8
// RUN: tc-run %s --function=columns --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=columns --random-inputs=1 --check --benchmark_min_time=0.01 --threads=8
// RUN: tc-run %s --function=kept --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=norms --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=groups --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=scan --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=sort --random-inputs=1 --check --benchmark_min_time=0.01 --threads=8
// RUN: tc-run %s --function=softmax --random-inputs=1 --size=s0=9 --size=s1=67 --output=@%t.npy
// RUN: tc-run %t.mlir --function=softmax --random-inputs=1 --size=s0=9 --size=s1=67 --device=reference --expected_output=@%t.npy

// CHECK-LABEL: func.func @softmax(
// CHECK: tc.kernel "softmax" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @softmax(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %w: tensor<?x8xf32, #tc.sizes<[s1, 8]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>, #tc.symbol<"s1", min = 1, max = 4096>]} {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s1, 8]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %1 = tc.softmax %0 dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// Each iteration is a block of columns.
// CHECK-LABEL: func.func @columns(
// CHECK: tc.kernel "max_broadcast_sub_exp_sum" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @columns(%x: tensor<37x8xf32>, %w: tensor<69x8xf32>) -> tensor<37x69xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<37x8xf32>, tensor<69x8xf32> -> tensor<37x69xf32>
  %1 = tc.log_softmax %0 dim 0 : tensor<37x69xf32>
  return %1 : tensor<37x69xf32>
}

// bf16, and exponentials that are kept from one loop to the next.
// CHECK-LABEL: func.func @kept(
// CHECK: tc.kernel "softmax" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @kept(%x: tensor<53x8xbf16>, %w: tensor<205x8xbf16>) -> tensor<53x205xbf16> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<53x8xbf16>, tensor<205x8xbf16> -> tensor<53x205xbf16>
  %1 = tc.softmax %0 dim 1 : tensor<53x205xbf16>
  return %1 : tensor<53x205xbf16>
}

// CHECK-LABEL: func.func @norms(
// CHECK: tc.kernel "layer_norm" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
// CHECK: tc.kernel "scan" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
// CHECK: tc.kernel "rms_norm" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @norms(%x: tensor<53x8xf32>, %w: tensor<205x8xf32>, %r: tensor<53x205xf32>, %g: tensor<205xf32>, %b: tensor<205xf32>) -> (tensor<53x205xf32>, tensor<53x205xf32>) {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<53x8xf32>, tensor<205x8xf32> -> tensor<53x205xf32>
  %1 = tc.layer_norm %0 weight %g : tensor<205xf32> bias %b : tensor<205xf32> rank 1 eps 1.0e-05 : tensor<53x205xf32>
  %2 = tc.contract "mk,nk->mn" %x, %w : tensor<53x8xf32>, tensor<205x8xf32> -> tensor<53x205xf32>
  %3 = tc.mul %2, %r : tensor<53x205xf32>
  %4 = tc.scan sum %3 dim 1 : tensor<53x205xf32>
  %5 = tc.rms_norm %4 weight %g : tensor<205xf32> rank 1 eps 1.0e-05 : tensor<53x205xf32>
  return %1, %5 : tensor<53x205xf32>, tensor<53x205xf32>
}

// The loop over a row comes after the write of the row's fold.
// CHECK-LABEL: func.func @groups(
// CHECK: tc.kernel "max_broadcast_sub_exp" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @groups(%x: tensor<53x8xf32>, %w: tensor<205x8xf32>) -> (tensor<53x205xf32>, tensor<53xf32>, tensor<53x205xf32>) {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<53x8xf32>, tensor<205x8xf32> -> tensor<53x205xf32>
  %1 = tc.relu %0 : tensor<53x205xf32>
  %2 = tc.reduce max %0 dims [1] : tensor<53x205xf32> -> tensor<53xf32>
  %3 = tc.broadcast %2 dims [0] : tensor<53xf32> -> tensor<53x205xf32>
  %4 = tc.sub %0, %3 : tensor<53x205xf32>
  %5 = tc.exp %4 : tensor<53x205xf32>
  return %1, %2, %5 : tensor<53x205xf32>, tensor<53xf32>, tensor<53x205xf32>
}

// CHECK-LABEL: func.func @scan(
// CHECK: tc.kernel "scan" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
// CHECK: tc.kernel "softmax" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @scan(%x: tensor<13x53x8xf32>, %w: tensor<13x205x8xf32>) -> tensor<13x53x205xf32> {
  %0 = tc.contract "bmk,bnk->bmn" %x, %w : tensor<13x53x8xf32>, tensor<13x205x8xf32> -> tensor<13x53x205xf32>
  %1 = tc.scan sum %0 dim 1 : tensor<13x53x205xf32>
  %2 = tc.softmax %1 dim 1 : tensor<13x53x205xf32>
  return %2 : tensor<13x53x205xf32>
}

// CHECK-LABEL: func.func @sort(
// CHECK: tc.kernel "sort" {{.*}} ins(%{{[a-z0-9]+}} = %[[Y:[0-9]+]] : {{.*}}) outs({{.*}} = %[[Y]] :
func.func @sort(%x: tensor<53x8xf32>, %w: tensor<205x8xf32>) -> (tensor<53x205xf32>, tensor<53x205xi64>) {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<53x8xf32>, tensor<205x8xf32> -> tensor<53x205xf32>
  %1, %2 = tc.sort %0 dim 1 : tensor<53x205xf32> -> tensor<53x205xf32>, tensor<53x205xi64>
  return %1, %2 : tensor<53x205xf32>, tensor<53x205xi64>
}
