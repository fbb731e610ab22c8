// A sign that comes from f64 by way of f16 is handed on by bits, of numbers and of vectors that repeat one: copysign of an
// f16 by an f64 would call a conversion from f64 to f16, which no library needs to have.
// RUN: tc-run %s --function=number --input=f64=-0.3 --target=cpu:x86-64-v2 | FileCheck %s --check-prefix=NUMBER
// RUN: tc-run %s --function=number --input=f64=-0.3 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=NUMBER
// RUN: tc-run %s --function=vector --input=f64=-0.3 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=VECTOR
// RUN: tc-run %s --function=vector --print-assembly --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=CALLS --implicit-check-not=hf2

// NUMBER: f16=-0.3047
func.func @number(%x: tensor<f64>) -> tensor<f16> {
  %0 = tc.cast %x : tensor<f64> to tensor<f16>
  %1 = tc.asin %0 : tensor<f16>
  return %1 : tensor<f16>
}

// CALLS: cast_tanh_1:
// VECTOR: f16=-0.2913
func.func @vector(%x: tensor<f64>) -> tensor<f16> {
  %0 = tc.cast %x : tensor<f64> to tensor<f16>
  %1 = tc.tanh %0 : tensor<f16>
  return %1 : tensor<f16>
}
