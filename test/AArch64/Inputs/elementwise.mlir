// Functions of one element, conversions, integers, a transpose, a sort and a scan.

func.func @f32(%x: tensor<5x37xf32>, %y: tensor<5x37xf32>) -> (tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>) {
  %p = tc.abs %x : tensor<5x37xf32>
  %0 = tc.exp %x : tensor<5x37xf32>
  %1 = tc.log %p : tensor<5x37xf32>
  %2 = tc.tanh %x : tensor<5x37xf32>
  %3 = tc.erf %x : tensor<5x37xf32>
  %4 = tc.sin %x : tensor<5x37xf32>
  %5 = tc.rsqrt %p : tensor<5x37xf32>
  %6 = tc.sigmoid %x : tensor<5x37xf32>
  %7 = tc.gelu %x : tensor<5x37xf32>
  %8 = tc.div %x, %y : tensor<5x37xf32>
  %9 = tc.maximum %x, %y : tensor<5x37xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<5x37xf32>
}

func.func @f64(%x: tensor<5x37xf64>, %y: tensor<5x37xf64>) -> (tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>) {
  %p = tc.abs %x : tensor<5x37xf64>
  %0 = tc.exp %x : tensor<5x37xf64>
  %1 = tc.log %p : tensor<5x37xf64>
  %2 = tc.tanh %x : tensor<5x37xf64>
  %3 = tc.erf %x : tensor<5x37xf64>
  %4 = tc.sin %x : tensor<5x37xf64>
  %5 = tc.rsqrt %p : tensor<5x37xf64>
  %6 = tc.sigmoid %x : tensor<5x37xf64>
  %7 = tc.gelu %x : tensor<5x37xf64>
  %8 = tc.div %x, %y : tensor<5x37xf64>
  %9 = tc.maximum %x, %y : tensor<5x37xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>, tensor<5x37xf64>
}

func.func @bf16(%x: tensor<5x37xbf16>, %y: tensor<5x37xbf16>) -> (tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>) {
  %p = tc.abs %x : tensor<5x37xbf16>
  %0 = tc.exp %x : tensor<5x37xbf16>
  %1 = tc.log %p : tensor<5x37xbf16>
  %2 = tc.tanh %x : tensor<5x37xbf16>
  %3 = tc.erf %x : tensor<5x37xbf16>
  %4 = tc.sin %x : tensor<5x37xbf16>
  %5 = tc.rsqrt %p : tensor<5x37xbf16>
  %6 = tc.sigmoid %x : tensor<5x37xbf16>
  %7 = tc.gelu %x : tensor<5x37xbf16>
  %8 = tc.div %x, %y : tensor<5x37xbf16>
  %9 = tc.maximum %x, %y : tensor<5x37xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>
}

func.func @f16(%x: tensor<5x37xf16>, %y: tensor<5x37xf16>) -> (tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>) {
  %p = tc.abs %x : tensor<5x37xf16>
  %0 = tc.exp %x : tensor<5x37xf16>
  %1 = tc.log %p : tensor<5x37xf16>
  %2 = tc.tanh %x : tensor<5x37xf16>
  %3 = tc.erf %x : tensor<5x37xf16>
  %4 = tc.sin %x : tensor<5x37xf16>
  %5 = tc.rsqrt %p : tensor<5x37xf16>
  %6 = tc.sigmoid %x : tensor<5x37xf16>
  %7 = tc.gelu %x : tensor<5x37xf16>
  %8 = tc.div %x, %y : tensor<5x37xf16>
  %9 = tc.maximum %x, %y : tensor<5x37xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>, tensor<5x37xf16>
}
