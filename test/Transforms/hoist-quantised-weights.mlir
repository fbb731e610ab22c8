// RUN: tc-opt %s --tc-hoist-parameter-computations | FileCheck %s --check-prefix=CPU
// RUN: tc-run %s --target=cuda:sm_90a --compile-to=simplify | FileCheck %s --check-prefix=GPU
// RUN: tc-opt %s --tc-hoist-parameter-computations --remarks-filter=tc-hoist 2>&1 | FileCheck %s --check-prefix=REMARK

// A weight of i8 and the scales of groups of its elements: where few rows are multiplied by it, a call reads the i8 and not the bf16 that they become, which are twice as many bytes.
tc.parameter_source @w : tensor<1024x1024xi8> {file = "w.bin", offset = 0 : i64, role = "parameter"}
tc.parameter_source @s : tensor<1024x8x1xbf16> {file = "w.bin", offset = 1048576 : i64, role = "parameter"}

// REMARK: computed in every call, as its parameters have fewer bytes than its result, and products of few rows read it

// CPU-LABEL: func.func @one_row(
// CPU: tc.parameter @w : tensor<1024x1024xi8>
// CPU: tc.mul
// CPU: tc.contract
func.func @one_row(%x: tensor<1x1024xbf16>) -> tensor<1x1024xbf16> {
  %w = tc.parameter @w : tensor<1024x1024xi8>
  %s = tc.parameter @s : tensor<1024x8x1xbf16>
  %g = tc.reshape %w : tensor<1024x1024xi8> -> tensor<1024x8x128xi8>
  %c = tc.cast %g : tensor<1024x8x128xi8> to tensor<1024x8x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<1024x8x1xbf16> -> tensor<1024x8x128xbf16>
  %m = tc.mul %c, %b : tensor<1024x8x128xbf16>
  %r = tc.reshape %m : tensor<1024x8x128xbf16> -> tensor<1024x1024xbf16>
  %p = tc.contract "mk,nk->mn" %x, %r : tensor<1x1024xbf16>, tensor<1024x1024xbf16> -> tensor<1x1024xbf16>
  return %p : tensor<1x1024xbf16>
}

// A CPU packs it ahead of the calls for more rows.
// CPU-LABEL: func.func @some_rows(
// CPU: tc.parameter @w.prepared
// CPU-NEXT: tc.reshape
// CPU-NEXT: tc.contract
// GPU-LABEL: func.func @some_rows(
// GPU: tc.parameter @w : tensor<1024x1024xi8>
// GPU: tc.contract
func.func @some_rows(%x: tensor<64x1024xbf16>) -> tensor<64x1024xbf16> {
  %w = tc.parameter @w : tensor<1024x1024xi8>
  %s = tc.parameter @s : tensor<1024x8x1xbf16>
  %g = tc.reshape %w : tensor<1024x1024xi8> -> tensor<1024x8x128xi8>
  %c = tc.cast %g : tensor<1024x8x128xi8> to tensor<1024x8x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<1024x8x1xbf16> -> tensor<1024x8x128xbf16>
  %m = tc.mul %c, %b : tensor<1024x8x128xbf16>
  %r = tc.reshape %m : tensor<1024x8x128xbf16> -> tensor<1024x1024xbf16>
  %p = tc.contract "mk,nk->mn" %x, %r : tensor<64x1024xbf16>, tensor<1024x1024xbf16> -> tensor<64x1024xbf16>
  return %p : tensor<64x1024xbf16>
}

// With many rows tensor cores multiply what the copy engine takes as it is in memory.
// GPU-LABEL: func.func @many_rows(
// GPU: tc.parameter @w.prepared
// GPU-NEXT: tc.reshape
// GPU-NEXT: tc.contract
func.func @many_rows(%x: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %w = tc.parameter @w : tensor<1024x1024xi8>
  %s = tc.parameter @s : tensor<1024x8x1xbf16>
  %g = tc.reshape %w : tensor<1024x1024xi8> -> tensor<1024x8x128xi8>
  %c = tc.cast %g : tensor<1024x8x128xi8> to tensor<1024x8x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<1024x8x1xbf16> -> tensor<1024x8x128xbf16>
  %m = tc.mul %c, %b : tensor<1024x8x128xbf16>
  %r = tc.reshape %m : tensor<1024x8x128xbf16> -> tensor<1024x1024xbf16>
  %p = tc.contract "mk,nk->mn" %x, %r : tensor<512x1024xbf16>, tensor<1024x1024xbf16> -> tensor<512x1024xbf16>
  return %p : tensor<512x1024xbf16>
}
