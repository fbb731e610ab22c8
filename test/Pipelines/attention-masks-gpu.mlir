// RUN: tc-run %s --compile-to=fuse --target=cuda:sm_90a | FileCheck %s

// Masks of positions and biases are computed where attention has its scores, so
// that no mask is in memory and keys that it leaves out are skipped; attention
// that is written out is one kernel as well.

// A bias of each head and position, within a window.
// CHECK-LABEL: func.func @bias
// CHECK: tc.kernel "{{.*}}" attention
// CHECK: tc.within
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @bias(%q: tensor<2x4x1024x64xbf16>, %k: tensor<2x4x1024x64xbf16>, %v: tensor<2x4x1024x64xbf16>, %slopes: tensor<4xf32>) -> tensor<2x4x1024x64xbf16> {
  %heads = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
  %slope = tc.index_tensors %slopes[%heads] dims [0] : tensor<4xf32>, tensor<4xi64> -> tensor<4xf32>
  %row = tc.iota dim 0 start 0 step 1 : tensor<1024x1024xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<1024x1024xi64>
  %distance = tc.sub %column, %row : tensor<1024x1024xi64>
  %d = tc.cast %distance : tensor<1024x1024xi64> to tensor<1024x1024xf32>
  %ds = tc.broadcast %d dims [1, 2] : tensor<1024x1024xf32> -> tensor<4x1024x1024xf32>
  %ss = tc.broadcast %slope dims [0] : tensor<4xf32> -> tensor<4x1024x1024xf32>
  %bias = tc.mul %ss, %ds : tensor<4x1024x1024xf32>
  %before = tc.ge %row, %column : tensor<1024x1024xi64>
  %back = tc.sub %row, %column : tensor<1024x1024xi64>
  %width = tc.full 128 : i64 -> tensor<1024x1024xi64>
  %near = tc.lt %back, %width : tensor<1024x1024xi64>
  %kept = tc.bitwise_and %before, %near : tensor<1024x1024xi1>
  %all = tc.broadcast %kept dims [1, 2] : tensor<1024x1024xi1> -> tensor<4x1024x1024xi1>
  %lowest = tc.full 0xFF800000 : f32 -> tensor<4x1024x1024xf32>
  %mask = tc.select %all, %bias, %lowest : tensor<4x1024x1024xi1>, tensor<4x1024x1024xf32>
  %masks = tc.broadcast %mask dims [1, 2, 3] : tensor<4x1024x1024xf32> -> tensor<2x4x1024x1024xf32>
  %r = tc.attention %q, %k, %v mask %masks : tensor<2x4x1024x1024xf32> scale 0.125 : tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16> -> tensor<2x4x1024x64xbf16>
  return %r : tensor<2x4x1024x64xbf16>
}

// Keys of the row's document, up to the row.
// CHECK-LABEL: func.func @documents
// CHECK: tc.kernel "{{.*}}" attention
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @documents(%q: tensor<2x4x1024x64xbf16>, %k: tensor<2x4x1024x64xbf16>, %v: tensor<2x4x1024x64xbf16>, %documents: tensor<1024xi64>) -> tensor<2x4x1024x64xbf16> {
  %places = tc.iota dim 0 start 0 step 1 : tensor<1024xi64>
  %document = tc.index_tensors %documents[%places] dims [0] : tensor<1024xi64>, tensor<1024xi64> -> tensor<1024xi64>
  %ofRow = tc.broadcast %document dims [0] : tensor<1024xi64> -> tensor<1024x1024xi64>
  %ofColumn = tc.broadcast %document dims [1] : tensor<1024xi64> -> tensor<1024x1024xi64>
  %same = tc.eq %ofRow, %ofColumn : tensor<1024x1024xi64>
  %row = tc.iota dim 0 start 0 step 1 : tensor<1024x1024xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<1024x1024xi64>
  %before = tc.ge %row, %column : tensor<1024x1024xi64>
  %kept = tc.bitwise_and %same, %before : tensor<1024x1024xi1>
  %mask = tc.broadcast %kept dims [2, 3] : tensor<1024x1024xi1> -> tensor<2x4x1024x1024xi1>
  %r = tc.attention %q, %k, %v mask %mask : tensor<2x4x1024x1024xi1> scale 0.125 : tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16> -> tensor<2x4x1024x64xbf16>
  return %r : tensor<2x4x1024x64xbf16>
}

// Products of four dimensions as PyTorch captures them, and a softmax that is 0
// for rows of -inf.
// CHECK-LABEL: func.func @written_out
// CHECK: tc.kernel "{{.*}}" attention
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @written_out(%q: tensor<2x4x1024x64xbf16>, %k: tensor<2x4x1024x64xbf16>, %v: tensor<2x4x1024x64xbf16>) -> tensor<8x1024x64xbf16> {
  %qs = tc.reshape %q : tensor<2x4x1024x64xbf16> -> tensor<8x1024x64xbf16>
  %t = tc.transpose %k [0, 1, 3, 2] : tensor<2x4x1024x64xbf16> -> tensor<2x4x64x1024xbf16>
  %ks = tc.reshape %t : tensor<2x4x64x1024xbf16> -> tensor<8x64x1024xbf16>
  %scores = tc.contract "bmk,bkn->bmn" %qs, %ks : tensor<8x1024x64xbf16>, tensor<8x64x1024xbf16> -> tensor<8x1024x1024xbf16>
  %four = tc.reshape %scores : tensor<8x1024x1024xbf16> -> tensor<2x4x1024x1024xbf16>
  %wide = tc.cast %four : tensor<2x4x1024x1024xbf16> to tensor<2x4x1024x1024xf32>
  %max = tc.reduce max %wide dims [3] {allow_empty} : tensor<2x4x1024x1024xf32> -> tensor<2x4x1024xf32>
  %lowest = tc.full 0xFF800000 : f32 -> tensor<2x4x1024xf32>
  %zero = tc.full 0.0 : f32 -> tensor<2x4x1024xf32>
  %one = tc.full 1.0 : f32 -> tensor<2x4x1024xf32>
  %isLowest = tc.eq %max, %lowest : tensor<2x4x1024xf32>
  %subtracted = tc.select %isLowest, %zero, %max : tensor<2x4x1024xi1>, tensor<2x4x1024xf32>
  %alongKeys = tc.broadcast %subtracted dims [0, 1, 2] : tensor<2x4x1024xf32> -> tensor<2x4x1024x1024xf32>
  %difference = tc.sub %wide, %alongKeys : tensor<2x4x1024x1024xf32>
  %exp = tc.exp %difference : tensor<2x4x1024x1024xf32>
  %sum = tc.reduce sum %exp dims [3] : tensor<2x4x1024x1024xf32> -> tensor<2x4x1024xf32>
  %isZero = tc.eq %sum, %zero : tensor<2x4x1024xf32>
  %divisor = tc.select %isZero, %one, %sum : tensor<2x4x1024xi1>, tensor<2x4x1024xf32>
  %divisors = tc.broadcast %divisor dims [0, 1, 2] : tensor<2x4x1024xf32> -> tensor<2x4x1024x1024xf32>
  %weights = tc.div %exp, %divisors : tensor<2x4x1024x1024xf32>
  %narrow = tc.cast %weights : tensor<2x4x1024x1024xf32> to tensor<2x4x1024x1024xbf16>
  %ws = tc.reshape %narrow : tensor<2x4x1024x1024xbf16> -> tensor<8x1024x1024xbf16>
  %vs = tc.reshape %v : tensor<2x4x1024x64xbf16> -> tensor<8x1024x64xbf16>
  %r = tc.contract "bmk,bkn->bmn" %ws, %vs : tensor<8x1024x1024xbf16>, tensor<8x1024x64xbf16> -> tensor<8x1024x64xbf16>
  return %r : tensor<8x1024x64xbf16>
}

// Gradients compute the bias again.
// CHECK-LABEL: func.func @gradients
// CHECK: tc.kernel "{{.*}}" custom
// CHECK: tc.within
// CHECK: tc.attention_backward_stage {{.*}} added
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @gradients(%g: tensor<2x4x1024x64xbf16>, %q: tensor<2x4x1024x64xbf16>, %k: tensor<2x4x1024x64xbf16>, %v: tensor<2x4x1024x64xbf16>, %l: tensor<2x4x1024xf32>, %p: tensor<2x4x1024xf32>, %slopes: tensor<4xf32>) -> (tensor<2x4x1024x64xf32>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>) {
  %row = tc.iota dim 0 start 0 step 1 : tensor<1024x1024xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<1024x1024xi64>
  %distance = tc.sub %column, %row : tensor<1024x1024xi64>
  %d = tc.cast %distance : tensor<1024x1024xi64> to tensor<1024x1024xf32>
  %ds = tc.broadcast %d dims [1, 2] : tensor<1024x1024xf32> -> tensor<4x1024x1024xf32>
  %ss = tc.broadcast %slopes dims [0] : tensor<4xf32> -> tensor<4x1024x1024xf32>
  %bias = tc.mul %ss, %ds : tensor<4x1024x1024xf32>
  %kept = tc.ge %row, %column : tensor<1024x1024xi64>
  %all = tc.broadcast %kept dims [1, 2] : tensor<1024x1024xi1> -> tensor<4x1024x1024xi1>
  %lowest = tc.full 0xFF800000 : f32 -> tensor<4x1024x1024xf32>
  %mask = tc.select %all, %bias, %lowest : tensor<4x1024x1024xi1>, tensor<4x1024x1024xf32>
  %masks = tc.broadcast %mask dims [1, 2, 3] : tensor<4x1024x1024xf32> -> tensor<2x4x1024x1024xf32>
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %masks : tensor<2x4x1024x1024xf32> scale 0.125 : tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024xf32>, tensor<2x4x1024xf32> -> tensor<2x4x1024x64xf32>
  return %gq, %gk, %gv : tensor<2x4x1024x64xf32>, tensor<2x4x1024x64xbf16>, tensor<2x4x1024x64xbf16>
}
