// RUN: tc-run %s --function=found --random-inputs=1 --check
// RUN: tc-run %s --function=found --target=cpu:x86-64-v3 --random-inputs=1 --check
// RUN: tc-run %s --function=wholly --random-inputs=1 --check
// RUN: tc-run %s --function=found --target=cpu:x86-64-v3 --compile-to=generate | FileCheck %s

// Whether a row has each of ten numbers is folded for one number at a time, and
// what of it is kept is read as lanes: in bytes, since a vector of truths is
// bits in memory.
// CHECK-LABEL: func.func private @{{.*}}any
// CHECK: llvm.alloca %{{.*}} x i8
// CHECK: %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: llvm.store %[[BYTE]], %{{.*}} : i8, !llvm.ptr
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<8xi8>
// CHECK-NOT: llvm.load %{{.*}} -> vector<8xi1>
func.func @found(%row: tensor<5x10xi64>, %numbers: tensor<10xi64>) -> (tensor<5x10xi1>, tensor<5xf32>) {
  %a = tc.broadcast %numbers dims [2] : tensor<10xi64> -> tensor<5x10x10xi64>
  %b = tc.broadcast %row dims [0, 1] : tensor<5x10xi64> -> tensor<5x10x10xi64>
  %equal = tc.le %a, %b : tensor<5x10x10xi64>
  %found = tc.reduce any %equal dims [1] : tensor<5x10x10xi1> -> tensor<5x10xi1>
  %one = tc.full 1.000000e+00 : f32 -> tensor<5x10xf32>
  %zero = tc.full 0.000000e+00 : f32 -> tensor<5x10xf32>
  %chosen = tc.select %found, %zero, %one : tensor<5x10xi1>, tensor<5x10xf32>
  %sum = tc.reduce sum %chosen dims [1] : tensor<5x10xf32> -> tensor<5xf32>
  return %found, %sum : tensor<5x10xi1>, tensor<5xf32>
}

func.func @wholly(%row: tensor<7x19xf32>, %limits: tensor<21xf32>) -> (tensor<7x21xi1>, tensor<7xf32>) {
  %a = tc.broadcast %limits dims [2] : tensor<21xf32> -> tensor<7x19x21xf32>
  %b = tc.broadcast %row dims [0, 1] : tensor<7x19xf32> -> tensor<7x19x21xf32>
  %less = tc.lt %a, %b : tensor<7x19x21xf32>
  %all = tc.reduce all %less dims [1] : tensor<7x19x21xi1> -> tensor<7x21xi1>
  %l = tc.broadcast %limits dims [1] : tensor<21xf32> -> tensor<7x21xf32>
  %zero = tc.full 0.000000e+00 : f32 -> tensor<7x21xf32>
  %chosen = tc.select %all, %zero, %l : tensor<7x21xi1>, tensor<7x21xf32>
  %sum = tc.reduce sum %chosen dims [1] : tensor<7x21xf32> -> tensor<7xf32>
  return %all, %sum : tensor<7x21xi1>, tensor<7xf32>
}
