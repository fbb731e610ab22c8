// Inputs with strides, which kernels read where they are: rows of a wider matrix, every second
// column, transposes, and dimensions in another order.

// types: f32 bf16 i64 i1
func.func @pitched(%x: tensor<37x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<37x72xf32> {
  %r = tc.broadcast %x dims [0, 1] : tensor<37x72xf32> -> tensor<37x72xf32>
  return %r : tensor<37x72xf32>
}

// types: f32 bf16 f64
func.func @odd_pitch(%x: tensor<37x72xf32> {tc.strides = [#tc.expr<75>, #tc.expr<1>]}, %y: tensor<37x72xf32>) -> tensor<37x72xf32> {
  %0 = tc.add %x, %y : tensor<37x72xf32>
  %r = tc.exp %0 : tensor<37x72xf32>
  return %r : tensor<37x72xf32>
}

// types: f32 bf16 i64
func.func @stepped(%x: tensor<37x72xf32> {tc.strides = [#tc.expr<144>, #tc.expr<2>]}) -> tensor<37x72xf32> {
  %r = tc.mul %x, %x : tensor<37x72xf32>
  return %r : tensor<37x72xf32>
}

func.func @stepped_vector(%x: tensor<1000xf32> {tc.strides = [#tc.expr<3>]}) -> (tensor<1000xf32>, tensor<f32>) {
  %0 = tc.relu %x : tensor<1000xf32>
  %1 = tc.reduce sum %x dims [0] : tensor<1000xf32> -> tensor<f32>
  return %0, %1 : tensor<1000xf32>, tensor<f32>
}

// types: f32 bf16
func.func @transposed(%x: tensor<37x72xf32> {tc.strides = [#tc.expr<1>, #tc.expr<37>]}, %y: tensor<37x72xf32>) -> tensor<37x72xf32> {
  %r = tc.add %x, %y : tensor<37x72xf32>
  return %r : tensor<37x72xf32>
}

// The queries of a product that gives queries, keys and values next to each other.
func.func @heads(%q: tensor<2x4x9x16xf32> {tc.strides = [#tc.expr<1728>, #tc.expr<16>, #tc.expr<192>, #tc.expr<1>]}, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x16xf32>) -> tensor<2x4x9x16xf32> {
  %r = tc.attention %q, %k, %v scale 0.25 : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32> -> tensor<2x4x9x16xf32>
  return %r : tensor<2x4x9x16xf32>
}

// types: f32 bf16
func.func @rows(%x: tensor<33x200xf32> {tc.strides = [#tc.expr<264>, #tc.expr<1>]}, %y: tensor<33x200xf32> {tc.strides = [#tc.expr<400>, #tc.expr<2>]}) -> (tensor<33x200xf32>, tensor<33xf32>) {
  %0 = tc.softmax %x dim 1 : tensor<33x200xf32>
  %1 = tc.reduce sum %y dims [1] : tensor<33x200xf32> -> tensor<33xf32>
  return %0, %1 : tensor<33x200xf32>, tensor<33xf32>
}

// types: f32 bf16
func.func @columns(%x: tensor<200x33xf32> {tc.strides = [#tc.expr<40>, #tc.expr<1>]}) -> tensor<33xf32> {
  %r = tc.reduce sum %x dims [0] : tensor<200x33xf32> -> tensor<33xf32>
  return %r : tensor<33xf32>
}

// types: f32 bf16
func.func @product(%x: tensor<33x48xf32> {tc.strides = [#tc.expr<64>, #tc.expr<1>]}, %w: tensor<48x40xf32> {tc.strides = [#tc.expr<1>, #tc.expr<56>]}) -> tensor<33x40xf32> {
  %r = tc.contract "mk,kn->mn" %x, %w : tensor<33x48xf32>, tensor<48x40xf32> -> tensor<33x40xf32>
  return %r : tensor<33x40xf32>
}

func.func @gathered(%x: tensor<20x24xf32> {tc.strides = [#tc.expr<32>, #tc.expr<1>]}, %i: tensor<50xi64> {tc.strides = [#tc.expr<2>]}) -> tensor<50x24xf32> {
  %0 = tc.index_tensors %x[%i] dims [0] : tensor<20x24xf32>, tensor<50xi64> -> tensor<50x24xf32>
  return %0 : tensor<50x24xf32>
}

// sizes: s0=5,s1=13 s0=0,s1=7 s0=1,s1=1 s0=64,s1=129
func.func @symbolic(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<s1 + 24>, #tc.expr<1>]}, %y: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<s1 * 2>, #tc.expr<2>]}, %z: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<1>, #tc.expr<s0>]}) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 512>, #tc.symbol<"s1", min = 0, max = 512>]} {
  %0 = tc.add %x, %y : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %1 = tc.add %0, %z : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// The width of the memory is known in the call only.
// sizes: s0=5,s1=13 s0=1,s1=13 s0=9,s1=1
func.func @free_pitch(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<p>, #tc.expr<1>]}) -> (tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 512>, #tc.symbol<"s1", min = 1, max = 512>, #tc.symbol<"p", min = 1, max = 4096>]} {
  %0 = tc.exp %x : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %1 = tc.reduce sum %x dims [1] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?xf32, #tc.sizes<[s0]>>
  return %0, %1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xf32, #tc.sizes<[s0]>>
}

// The memory of rows of every second element may end with the last one.
// types: f32 bf16
// sizes: s0=5,s1=13 s0=1,s1=300 s0=9,s1=1 s0=70,s1=128
func.func @free_pitch_of_steps(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<p>, #tc.expr<2>]}) -> (tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xf32, #tc.sizes<[s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 70000, likely = 50000>, #tc.symbol<"s1", min = 1, max = 512, likely = 127>, #tc.symbol<"p", min = 2, max = 4096>]} {
  %0 = tc.softmax %x dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %1 = tc.reduce sum %x dims [0] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?xf32, #tc.sizes<[s1]>>
  return %0, %1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xf32, #tc.sizes<[s1]>>
}
