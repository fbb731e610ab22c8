// Complex numbers are moved as their bits, in every kind of kernel that moves.
// RUN: tc-run %s --function=c128 --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=c64 --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=c128 --random-inputs=1 --check --benchmark_min_time=0.01 --target=cpu:x86-64-v2

func.func @c128(%x: tensor<6x40xcomplex<f64>>, %y: tensor<6x40xcomplex<f64>>, %c: tensor<6x40xi1>) -> (tensor<40x6xcomplex<f64>>, tensor<12x40xcomplex<f64>>, tensor<6x40xcomplex<f64>>, tensor<8x42xcomplex<f64>>, tensor<3x10xcomplex<f64>>) {
  %0 = tc.transpose %x [1, 0] : tensor<6x40xcomplex<f64>> -> tensor<40x6xcomplex<f64>>
  %1 = tc.concat %x, %y dim 0 : tensor<6x40xcomplex<f64>>, tensor<6x40xcomplex<f64>> -> tensor<12x40xcomplex<f64>>
  %2 = tc.select %c, %x, %y : tensor<6x40xi1>, tensor<6x40xcomplex<f64>>
  %3 = tc.pad constant %x low [1, 0] high [1, 2] value #complex.number<:f64 1.0, -2.0> : complex<f64> : tensor<6x40xcomplex<f64>> -> tensor<8x42xcomplex<f64>>
  %4 = tc.slice %y offsets <[5, 39]> strides [-2, -4] : tensor<6x40xcomplex<f64>> -> tensor<3x10xcomplex<f64>>
  return %0, %1, %2, %3, %4 : tensor<40x6xcomplex<f64>>, tensor<12x40xcomplex<f64>>, tensor<6x40xcomplex<f64>>, tensor<8x42xcomplex<f64>>, tensor<3x10xcomplex<f64>>
}

func.func @c64(%x: tensor<37x53xcomplex<f32>>, %i: tensor<2xi1>) -> (tensor<53x37xcomplex<f32>>, tensor<74x53xcomplex<f32>>, tensor<2x37x53xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %0 = tc.transpose %x [1, 0] : tensor<37x53xcomplex<f32>> -> tensor<53x37xcomplex<f32>>
  %zeros = tc.full #complex.number<:f32 0.0, 0.0> : complex<f32> -> tensor<37x53xcomplex<f32>>
  %1 = tc.concat %zeros, %x dim 0 : tensor<37x53xcomplex<f32>>, tensor<37x53xcomplex<f32>> -> tensor<74x53xcomplex<f32>>
  %2 = tc.broadcast %x dims [1, 2] : tensor<37x53xcomplex<f32>> -> tensor<2x37x53xcomplex<f32>>
  %3 = tc.constant dense<[(1.0, 2.0), (-3.0, 0.5)]> : tensor<2xcomplex<f32>>
  return %0, %1, %2, %3 : tensor<53x37xcomplex<f32>>, tensor<74x53xcomplex<f32>>, tensor<2x37x53xcomplex<f32>>, tensor<2xcomplex<f32>>
}
