// Long rows of concatenations, paddings and slices: vectors away from all ends have code of their own.

// Every vector begins an element after an aligned address.
// types: f32 bf16 f64 i8
func.func @roll(%x: tensor<5x1040xf32>) -> tensor<5x1040xf32> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<5x1040xf32> -> tensor<5x1039xf32>
  %b = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<5x1040xf32> -> tensor<5x1xf32>
  %c = tc.concat %a, %b dim 1 : tensor<5x1039xf32>, tensor<5x1xf32> -> tensor<5x1040xf32>
  %r = tc.neg %c : tensor<5x1040xf32>
  return %r : tensor<5x1040xf32>
}

// Rows begin anywhere.
// types: f32 bf16
func.func @roll_odd(%x: tensor<7x1037xf32>) -> tensor<7x1037xf32> {
  %a = tc.slice %x offsets <[0, 5]> strides [1, 1] : tensor<7x1037xf32> -> tensor<7x1032xf32>
  %b = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<7x1037xf32> -> tensor<7x5xf32>
  %c = tc.concat %a, %b dim 1 : tensor<7x1032xf32>, tensor<7x5xf32> -> tensor<7x1037xf32>
  %r = tc.neg %c : tensor<7x1037xf32>
  return %r : tensor<7x1037xf32>
}

// types: f32 bf16
// sizes: s0=0,s1=8 s0=3,s1=1040 s0=5,s1=1037 s0=2,s1=9
func.func @roll_symbolic(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100000>, #tc.symbol<"s1", min = 8, max = 100000>]} {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1 - 1]>>
  %b = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?x1xf32, #tc.sizes<[s0, 1]>>
  %r = tc.concat %a, %b dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1 - 1]>>, tensor<?x1xf32, #tc.sizes<[s0, 1]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %r : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// types: f32 bf16
func.func @pad(%x: tensor<3x1048xf32>) -> tensor<3x1056xf32> {
  %p = tc.pad constant %x low [0, 3] high [0, 5] value 2.5 : f32 : tensor<3x1048xf32> -> tensor<3x1056xf32>
  %r = tc.abs %p : tensor<3x1056xf32>
  return %r : tensor<3x1056xf32>
}

// Parts that end in the middle of a vector, one of them within a single vector.
// types: f32 bf16
func.func @parts(%x: tensor<3x601xf32>, %y: tensor<3x2xf32>, %z: tensor<3x709xf32>, %w: tensor<3x1312xf32>) -> tensor<3x1312xf32> {
  %c = tc.concat %x, %y, %z dim 1 : tensor<3x601xf32>, tensor<3x2xf32>, tensor<3x709xf32> -> tensor<3x1312xf32>
  %r = tc.add %c, %w : tensor<3x1312xf32>
  return %r : tensor<3x1312xf32>
}

// types: f32 bf16
func.func @slice(%x: tensor<5x1041xf32>) -> tensor<5x1040xf32> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<5x1041xf32> -> tensor<5x1040xf32>
  %r = tc.neg %a : tensor<5x1040xf32>
  return %r : tensor<5x1040xf32>
}

// Reversed lanes have no vectors; a condition of them does.
func.func @reversed(%x: tensor<3x1040xf32>, %y: tensor<3x8xf32>) -> tensor<3x1048xf32> {
  %a = tc.slice %x offsets <[0, 1039]> strides [1, -1] : tensor<3x1040xf32> -> tensor<3x1040xf32>
  %r = tc.concat %a, %y dim 1 : tensor<3x1040xf32>, tensor<3x8xf32> -> tensor<3x1048xf32>
  return %r : tensor<3x1048xf32>
}

// Rows of words too short for vectors: several elements a thread.
// types: f32 bf16
func.func @short_rows(%x: tensor<611x33xf32>, %y: tensor<611x34xf32>) -> tensor<611x67xf32> {
  %c = tc.concat %x, %y dim 1 : tensor<611x33xf32>, tensor<611x34xf32> -> tensor<611x67xf32>
  %r = tc.neg %c : tensor<611x67xf32>
  return %r : tensor<611x67xf32>
}
