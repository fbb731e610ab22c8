// The caller of a function may give the seed of its random numbers: compiled
// code and the interpreter draw the same of it, and others of another seed.

// RUN: tc-run %s --input=i64=7 --device=reference > %t.reference
// RUN: tc-run %s --input=i64=7 > %t.compiled
// RUN: diff %t.reference %t.compiled
// RUN: tc-run %s --input=i64=8 > %t.other
// RUN: not diff %t.compiled %t.other
// RUN: FileCheck %s < %t.compiled
// CHECK: 4xf32=0.{{[0-9]+}} 0.{{[0-9]+}} 0.{{[0-9]+}} 0.{{[0-9]+}}

func.func @main(%seed: tensor<i64> {tc.random_seed}) -> tensor<4xf32> {
  %u = tc.aten "aten.rand.default"() {size = [4]} : () -> tensor<4xf32>
  return %u : tensor<4xf32>
}
