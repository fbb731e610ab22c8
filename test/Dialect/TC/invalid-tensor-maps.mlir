// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the tensor maps of launches.
// A tensor map is of a buffer of the launch.
func.func @buffer(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map of buffer 1; expected one of its 1 buffers}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 1, sizes = <[64, 64]>, box = [64, 64]>] {threads = 128 : i64} : memref<64x64xbf16>
  return
}

// -----

// A tensor map has an element type that can be copied.
func.func @element(%x: memref<64x64xcomplex<f64>>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map of elements of type 'complex<f64>'; expected elements of at most 8 bytes}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64, 64]>] {threads = 128 : i64} : memref<64x64xcomplex<f64>>
  return
}

// -----

// A box is whole units of 16 bytes.
func.func @unit(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map whose box is 8 bytes wide with a swizzle of 0; expected a multiple of 16, at most as wide as a swizzle}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64, 4]>] {threads = 128 : i64} : memref<64x64xbf16>
  return
}

// -----

// A box is at most as wide as the rows that its units are permuted in.
func.func @width(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map whose box is 128 bytes wide with a swizzle of 64; expected a multiple of 16, at most as wide as a swizzle}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64, 64], swizzle = 64>] {threads = 128 : i64} : memref<64x64xbf16>
  return
}

// -----

// Rows begin at multiples of 16 bytes.
func.func @stride(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map with a stride of 120 bytes; expected a multiple of 16 that is at least 16 and below 1099511627776}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 60]>, box = [64, 64], swizzle = 128>] {threads = 128 : i64} : memref<64x64xbf16>
  return
}

// -----

// Of a view that the launch copies where they do not, rows follow each other.
func.func @realigned_stride(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map with a stride of -120 bytes; expected a multiple of 1 that is at least 0 and below 1099511627776}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 60]>, strides = <[-60, 1]>, box = [64, 64], swizzle = 128, realigns = true>] {threads = 128 : i64} : memref<64x64xbf16>
  return
}

// -----

// A view is inside its buffer.
func.func @end(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{'tc.launch' op has a tensor map over 4160 elements of buffer 0 of type 'memref<64x64xbf16>'; expected at most 4096}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[65, 64]>, box = [64, 64], swizzle = 128>] {threads = 128 : i64} : memref<64x64xbf16>
  return
}

// -----

// A tensor map has at most 5 dimensions.
// expected-error @+1 {{#tc.tensor_map has 6 sizes; expected 1 to 5}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[2, 2, 2, 2, 2, 8]>, box = [1, 1, 1, 1, 1, 8]>}

// -----

// A box has an extent along each dimension.
// expected-error @+1 {{#tc.tensor_map has 2 sizes, 2 strides and a box of 1; expected as many strides and a box of 2}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64]>}

// -----

// Strides are given for each dimension.
// expected-error @+1 {{#tc.tensor_map has 2 sizes, 1 strides and a box of 2; expected as many strides and a box of 2}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[64, 64]>, strides = <[1]>, box = [64, 64]>}

// -----

// No dimension is empty.
// expected-error @+1 {{#tc.tensor_map has size 0; expected at least 1}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[0, 64]>, box = [64, 64]>}

// -----

// A box is not larger than the copy engine takes.
// expected-error @+1 {{#tc.tensor_map has a box of 512 elements along a dimension; expected 1 to 256}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [512, 64]>}

// -----

// The elements of a row are side by side.
// expected-error @+1 {{#tc.tensor_map has stride 2 along its innermost dimension; expected 1}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[32, 32]>, strides = <[64, 2]>, box = [32, 32]>}

// -----

// Units are permuted in rows of 32, 64 or 128 bytes.
// expected-error @+1 {{#tc.tensor_map has a swizzle of 48 bytes; expected 0, 32, 64 or 128}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64, 64], swizzle = 48>}

// -----

// A window is over the dimensions between images and channels.
// expected-error @+1 {{#tc.tensor_map has 4 sizes and a window of 1 dimensions; expected 2}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[2, 8, 8, 64]>, box = [64, 64], window = <lower = [0], upper = [0], steps = [1]>>}

// -----

// The box of a window is of places and channels.
// expected-error @+1 {{#tc.tensor_map has 3 sizes, 3 strides and a box of 3; expected as many strides and a box of 2}}
func.func private @attribute() attributes {map = #tc.tensor_map<buffer = 0, sizes = <[2, 8, 64]>, box = [1, 64, 64], window = <lower = [0], upper = [0], steps = [1]>>}

// -----

// A window has the same number of all.
// expected-error @+1 {{#tc.window has 2 lower and 1 upper places and 2 steps; expected equally many, 1 to 3}}
func.func private @attribute() attributes {window = #tc.window<lower = [0, 0], upper = [0], steps = [1, 1]>}

// -----

// Two dimensions have 8 bits each.
// expected-error @+1 {{#tc.window has place -129; expected -128 to 127}}
func.func private @attribute() attributes {window = #tc.window<lower = [0, -129], upper = [0, 0], steps = [1, 1]>}

// -----

// Steps are few pixels.
// expected-error @+1 {{#tc.window has step 9; expected 1 to 8}}
func.func private @attribute() attributes {window = #tc.window<lower = [0], upper = [0], steps = [9]>}
