// What has an order: scans, sorts and writes that meet, in rows of one thread, of a block and of several blocks. The integers of random inputs
// are 0 to 3, so that many elements are equal.

// types: f32 f64 bf16 f16 i64 i32 i8 ui8
// sizes: n=0 n=1 n=2 n=33 n=64 n=65 n=1000 n=1025 n=5000
func.func @sort(%x: tensor<3x?xf32, #tc.sizes<[3, n]>>) -> (tensor<3x?xf32, #tc.sizes<[3, n]>>, tensor<3x?xi64, #tc.sizes<[3, n]>>) attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %v, %i = tc.sort %x dim 1 : tensor<3x?xf32, #tc.sizes<[3, n]>> -> tensor<3x?xf32, #tc.sizes<[3, n]>>, tensor<3x?xi64, #tc.sizes<[3, n]>>
  return %v, %i : tensor<3x?xf32, #tc.sizes<[3, n]>>, tensor<3x?xi64, #tc.sizes<[3, n]>>
}

// types: f32 i32
// sizes: n=1 n=63 n=1024 n=3000
func.func @sort_descending(%x: tensor<2x?xf32, #tc.sizes<[2, n]>>) -> (tensor<2x?xf32, #tc.sizes<[2, n]>>, tensor<2x?xi64, #tc.sizes<[2, n]>>) attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %v, %i = tc.sort %x dim 1 {descending} : tensor<2x?xf32, #tc.sizes<[2, n]>> -> tensor<2x?xf32, #tc.sizes<[2, n]>>, tensor<2x?xi64, #tc.sizes<[2, n]>>
  return %v, %i : tensor<2x?xf32, #tc.sizes<[2, n]>>, tensor<2x?xi64, #tc.sizes<[2, n]>>
}

// types: f32 i64
func.func @sort_columns(%x: tensor<300x7xf32>) -> (tensor<300x7xf32>, tensor<300x7xi64>) {
  %v, %i = tc.sort %x dim 0 : tensor<300x7xf32> -> tensor<300x7xf32>, tensor<300x7xi64>
  return %v, %i : tensor<300x7xf32>, tensor<300x7xi64>
}

func.func @sort_bools(%x: tensor<4x77xi8>) -> (tensor<4x77xi1>, tensor<4x77xi64>) {
  %b = tc.cast %x : tensor<4x77xi8> to tensor<4x77xi1>
  %v, %i = tc.sort %b dim 1 : tensor<4x77xi1> -> tensor<4x77xi1>, tensor<4x77xi64>
  return %v, %i : tensor<4x77xi1>, tensor<4x77xi64>
}

func.func @sort_numbers_and_nan(%x: tensor<3x2000xf32>) -> (tensor<3x2000xi64>, tensor<3x2000xi64>) {
  %l = tc.log %x : tensor<3x2000xf32>
  %v, %i = tc.sort %l dim 1 : tensor<3x2000xf32> -> tensor<3x2000xf32>, tensor<3x2000xi64>
  %w, %j = tc.sort %l dim 1 {descending} : tensor<3x2000xf32> -> tensor<3x2000xf32>, tensor<3x2000xi64>
  return %i, %j : tensor<3x2000xi64>, tensor<3x2000xi64>
}

// types: f32 bf16 i64
// sizes: n=8 n=64 n=100 n=1500 n=8000
func.func @topk(%x: tensor<3x?xf32, #tc.sizes<[3, n]>>) -> (tensor<3x8xf32>, tensor<3x8xi64>) attributes {tc.symbols = [#tc.symbol<"n", min = 8, max = 8192>]} {
  %v, %i = tc.topk %x dim 1 k 8 : tensor<3x?xf32, #tc.sizes<[3, n]>> -> tensor<3x8xf32>, tensor<3x8xi64>
  return %v, %i : tensor<3x8xf32>, tensor<3x8xi64>
}

// types: f32 f64 bf16 i64 i32
// sizes: n=0 n=1 n=31 n=33 n=128 n=1000 n=4097
func.func @scan_sum(%x: tensor<5x?xf32, #tc.sizes<[5, n]>>) -> tensor<5x?xf32, #tc.sizes<[5, n]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %r = tc.scan sum %x dim 1 : tensor<5x?xf32, #tc.sizes<[5, n]>>
  return %r : tensor<5x?xf32, #tc.sizes<[5, n]>>
}

// types: f32 f64 bf16 i64 i32
// sizes: n=0 n=1 n=31 n=33 n=128 n=1000 n=4097
func.func @scan_max(%x: tensor<5x?xf32, #tc.sizes<[5, n]>>) -> tensor<5x?xf32, #tc.sizes<[5, n]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %r = tc.scan max %x dim 1 : tensor<5x?xf32, #tc.sizes<[5, n]>>
  return %r : tensor<5x?xf32, #tc.sizes<[5, n]>>
}

func.func @scan_segments(%x: tensor<50003xf32>) -> (tensor<50003xf32>, tensor<50003xf32>) {
  %s = tc.scan min %x dim 0 : tensor<50003xf32>
  %e = tc.exp %x : tensor<50003xf32>
  %r = tc.scan sum %e dim 0 : tensor<50003xf32>
  %q = tc.log %r : tensor<50003xf32>
  return %s, %q : tensor<50003xf32>, tensor<50003xf32>
}

// types: f32 bf16
func.func @scan_of_softmax(%x: tensor<6x1000xf32>) -> tensor<6x1000xf32> {
  %s = tc.softmax %x dim 1 : tensor<6x1000xf32>
  %r = tc.scan sum %s dim 1 : tensor<6x1000xf32>
  return %r : tensor<6x1000xf32>
}

func.func @scan_columns(%x: tensor<300x40xf32>) -> tensor<300x40xf32> {
  %r = tc.scan prod %x dim 0 : tensor<300x40xf32>
  return %r : tensor<300x40xf32>
}

func.func @scan_of_scan(%x: tensor<4x500xf32>) -> tensor<4x500xf32> {
  %r = tc.scan sum %x dim 1 : tensor<4x500xf32>
  %a = tc.abs %r : tensor<4x500xf32>
  %q = tc.scan max %a dim 1 : tensor<4x500xf32>
  return %q : tensor<4x500xf32>
}

// types: f32 f64 i64 i32 i8
// sizes: n=0 n=1 n=31 n=500 n=5000
func.func @scatter_sum(%x: tensor<4xf32>, %i: tensor<?xi64, #tc.sizes<[n]>>, %u: tensor<?xf32, #tc.sizes<[n]>>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %r = tc.scatter sum %x[%i] = %u dim 0 : tensor<4xf32>, tensor<?xi64, #tc.sizes<[n]>>, tensor<?xf32, #tc.sizes<[n]>>
  return %r : tensor<4xf32>
}

// types: f32 f64 bf16 i64 i32 i8
// sizes: n=0 n=1 n=31 n=500 n=5000
func.func @scatter_prod(%x: tensor<4xf32>, %i: tensor<?xi64, #tc.sizes<[n]>>, %u: tensor<?xf32, #tc.sizes<[n]>>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %r = tc.scatter prod %x[%i] = %u dim 0 : tensor<4xf32>, tensor<?xi64, #tc.sizes<[n]>>, tensor<?xf32, #tc.sizes<[n]>>
  return %r : tensor<4xf32>
}

// types: f32 f64 bf16 i64 i32 i8
// sizes: n=0 n=1 n=31 n=500 n=5000
func.func @scatter_max(%x: tensor<4xf32>, %i: tensor<?xi64, #tc.sizes<[n]>>, %u: tensor<?xf32, #tc.sizes<[n]>>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %r = tc.scatter max %x[%i] = %u dim 0 : tensor<4xf32>, tensor<?xi64, #tc.sizes<[n]>>, tensor<?xf32, #tc.sizes<[n]>>
  return %r : tensor<4xf32>
}

// types: f32 f64 bf16 i64 i32 i8
// sizes: n=0 n=1 n=31 n=500 n=5000
func.func @scatter_replace(%x: tensor<4xf32>, %i: tensor<?xi64, #tc.sizes<[n]>>, %u: tensor<?xf32, #tc.sizes<[n]>>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 8192>]} {
  %r = tc.scatter replace %x[%i] = %u dim 0 : tensor<4xf32>, tensor<?xi64, #tc.sizes<[n]>>, tensor<?xf32, #tc.sizes<[n]>>
  return %r : tensor<4xf32>
}

// types: f32 i64
func.func @index_add(%x: tensor<4x70xf32>, %i: tensor<300xi64>, %u: tensor<300x70xf32>) -> tensor<4x70xf32> {
  %r = tc.index_put sum %x[%i] = %u dims [0] : tensor<4x70xf32>, tensor<300x70xf32>, tensor<300xi64>
  return %r : tensor<4x70xf32>
}

// types: f32 i64
func.func @index_put_twice(%x: tensor<4x5x6xf32>, %i: tensor<40xi64>, %j: tensor<40xi64>, %u: tensor<40x6xf32>) -> tensor<4x5x6xf32> {
  %r = tc.index_put replace %x[%i, %j] = %u dims [0, 1] : tensor<4x5x6xf32>, tensor<40x6xf32>, tensor<40xi64>, tensor<40xi64>
  return %r : tensor<4x5x6xf32>
}

// fails: index
func.func @scatter_out_of_range(%x: tensor<3xf32>, %i: tensor<900xi64>, %u: tensor<900xf32>) -> tensor<3xf32> {
  %r = tc.scatter sum %x[%i] = %u dim 0 : tensor<3xf32>, tensor<900xi64>, tensor<900xf32>
  return %r : tensor<3xf32>
}

func.func @nonzero(%x: tensor<40x50xi32>) -> tensor<?x2xi64, #tc.sizes<[u0, 2]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 2000>]} {
  %m = tc.cast %x : tensor<40x50xi32> to tensor<40x50xi1>
  %k = tc.cast %m : tensor<40x50xi1> to tensor<40x50xi64>
  %n = tc.reduce sum %k dims [0, 1] : tensor<40x50xi64> -> tensor<i64>
  tc.size_from "u0" = %n : tensor<i64>
  %r = tc.nonzero %m : tensor<40x50xi1> -> tensor<?x2xi64, #tc.sizes<[u0, 2]>>
  return %r : tensor<?x2xi64, #tc.sizes<[u0, 2]>>
}
