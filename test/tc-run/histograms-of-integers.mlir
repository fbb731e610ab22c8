// RUN: tc-run %s --function=given --input="8xi32=0 1 1 3 -1 4 3 3" | FileCheck %s --check-prefix=GIVEN
// RUN: tc-run %s --function=given --input="8xi32=0 1 1 3 -1 4 3 3" --device=reference | FileCheck %s --check-prefix=GIVEN
// RUN: tc-run %s --function=between --input="5xi64=0 2 5 9 10" | FileCheck %s --check-prefix=BETWEEN
// RUN: tc-run %s --function=own --input="5xi64=2 7 4 4 3" | FileCheck %s --check-prefix=OWN
// RUN: tc-run %s --function=own --input="5xi64=4 4 4 4 4" | FileCheck %s --check-prefix=EQUAL

// Histograms of integers, which PyTorch has on a GPU alone: the bin of x is (x - min) * bins / (max - min), rounded
// towards zero; the last bin has its end.

// GIVEN: 1 2 0 3
func.func @given(%x: tensor<8xi32>) -> tensor<4xi32> {
  %r = tc.aten "aten.histc.default"(%x) {self = #tc.operand<0>, bins = 4 : i64, min = 0 : i64, max = 3 : i64} : (tensor<8xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// BETWEEN: 2 1 2
func.func @between(%x: tensor<5xi64>) -> tensor<3xi64> {
  %r = tc.aten "aten.histc.default"(%x) {self = #tc.operand<0>, bins = 3 : i64, min = 0 : i64, max = 10 : i64} : (tensor<5xi64>) -> tensor<3xi64>
  return %r : tensor<3xi64>
}

// The range of the elements, and one to each side where all are equal.
// OWN: 4 1
// EQUAL: 0 5
func.func @own(%x: tensor<5xi64>) -> tensor<2xi64> {
  %r = tc.aten "aten.histc.default"(%x) {self = #tc.operand<0>, bins = 2 : i64} : (tensor<5xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}
