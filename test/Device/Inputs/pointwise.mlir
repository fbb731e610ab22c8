// Elementwise kernels: functions, types, broadcasts, and sizes that are no multiple of anything.

// types: f32 f16 bf16 f64
func.func @chain(%x: tensor<7x33xf32>, %y: tensor<7x33xf32>, %b: tensor<33xf32>) -> tensor<7x33xf32> {
  %bias = tc.broadcast %b dims [1] : tensor<33xf32> -> tensor<7x33xf32>
  %s = tc.add %x, %bias : tensor<7x33xf32>
  %p = tc.mul %s, %y : tensor<7x33xf32>
  %r = tc.gelu %p : tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}

// types: f32 f16 bf16
func.func @functions(%x: tensor<1001xf32>) -> (tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>) {
  %a = tc.abs %x : tensor<1001xf32>
  %0 = tc.exp %x : tensor<1001xf32>
  %1 = tc.log %a : tensor<1001xf32>
  %2 = tc.sin %x : tensor<1001xf32>
  %3 = tc.tanh %x : tensor<1001xf32>
  %4 = tc.erf %x : tensor<1001xf32>
  %5 = tc.rsqrt %a : tensor<1001xf32>
  %6 = tc.sigmoid %x : tensor<1001xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>
}

// types: f32 f16 bf16 f64
func.func @gelu_gradients(%g: tensor<513xf32>, %x: tensor<513xf32>) -> tensor<513xf32> {
  %r = tc.gelu_grad %g, %x : tensor<513xf32>
  return %r : tensor<513xf32>
}

// What overflows on the way to a result, as a mask of the lowest number does in the exponential of a softmax.
// types: f32 bf16
func.func @extremes(%y: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %c = tc.constant dense<[3.3e38, -3.3e38, 2.4e38, -2.4e38, 1.7e38, -1.7e38, 1.0e10, -1.0e10, 128.5, -128.5, 88.9, -88.9, 20.0, -20.0, 5.0, 0.0]> : tensor<16xf32>
  %x = tc.add %c, %y : tensor<16xf32>
  %0 = tc.exp %x : tensor<16xf32>
  %1 = tc.exp2 %x : tensor<16xf32>
  %2 = tc.expm1 %x : tensor<16xf32>
  %3 = tc.sigmoid %x : tensor<16xf32>
  %4 = tc.silu %x : tensor<16xf32>
  %5 = tc.tanh %x : tensor<16xf32>
  %6 = tc.gelu %x : tensor<16xf32>
  %7 = tc.gelu_tanh %x : tensor<16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

func.func @more_functions(%x: tensor<511xf32>, %y: tensor<511xf32>) -> (tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>) {
  %a = tc.abs %x : tensor<511xf32>
  %0 = tc.pow %a, %y : tensor<511xf32>
  %1 = tc.atan2 %x, %y : tensor<511xf32>
  %2 = tc.fmod %x, %y : tensor<511xf32>
  %3 = tc.floor %x : tensor<511xf32>
  %4 = tc.round %x : tensor<511xf32>
  %5 = tc.div %x, %y : tensor<511xf32>
  %6 = tc.cosh %x : tensor<511xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>, tensor<511xf32>
}

// types: i32 i64
func.func @integers(%x: tensor<5x77xi32>, %y: tensor<5x77xi32>) -> (tensor<5x77xi32>, tensor<5x77xi32>, tensor<5x77xi1>) {
  %s = tc.add %x, %y : tensor<5x77xi32>
  %p = tc.mul %s, %x : tensor<5x77xi32>
  %m = tc.maximum %p, %y : tensor<5x77xi32>
  %a = tc.bitwise_xor %m, %s : tensor<5x77xi32>
  %l = tc.lt %x, %y : tensor<5x77xi32>
  return %p, %a, %l : tensor<5x77xi32>, tensor<5x77xi32>, tensor<5x77xi1>
}

func.func @booleans(%x: tensor<3x41xi1>, %y: tensor<3x41xi1>, %v: tensor<3x41xf32>, %w: tensor<3x41xf32>) -> (tensor<3x41xi1>, tensor<3x41xf32>) {
  %b = tc.bitwise_and %x, %y : tensor<3x41xi1>
  %n = tc.bitwise_not %b : tensor<3x41xi1>
  %s = tc.select %n, %v, %w : tensor<3x41xi1>, tensor<3x41xf32>
  return %n, %s : tensor<3x41xi1>, tensor<3x41xf32>
}

func.func @casts(%x: tensor<129xf32>, %i: tensor<129xi64>) -> (tensor<129xbf16>, tensor<129xf16>, tensor<129xi32>, tensor<129xf64>, tensor<129xf32>) {
  %0 = tc.cast %x : tensor<129xf32> to tensor<129xbf16>
  %1 = tc.cast %x : tensor<129xf32> to tensor<129xf16>
  %2 = tc.cast %x : tensor<129xf32> to tensor<129xi32>
  %3 = tc.cast %x : tensor<129xf32> to tensor<129xf64>
  %4 = tc.cast %i : tensor<129xi64> to tensor<129xf32>
  return %0, %1, %2, %3, %4 : tensor<129xbf16>, tensor<129xf16>, tensor<129xi32>, tensor<129xf64>, tensor<129xf32>
}

func.func @outer(%x: tensor<19xf32>, %y: tensor<6x23xf32>) -> tensor<6x19x23xf32> {
  %a = tc.broadcast %x dims [1] : tensor<19xf32> -> tensor<6x19x23xf32>
  %b = tc.broadcast %y dims [0, 2] : tensor<6x23xf32> -> tensor<6x19x23xf32>
  %r = tc.sub %a, %b : tensor<6x19x23xf32>
  return %r : tensor<6x19x23xf32>
}

func.func @scalar(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %r = tc.mul %x, %y : tensor<f32>
  return %r : tensor<f32>
}

// More blocks than one wave of any GPU.
func.func @large(%x: tensor<3001x4099xf32>) -> tensor<3001x4099xf32> {
  %e = tc.neg %x : tensor<3001x4099xf32>
  %r = tc.relu %e : tensor<3001x4099xf32>
  return %r : tensor<3001x4099xf32>
}
