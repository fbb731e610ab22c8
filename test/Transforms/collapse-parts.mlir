// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | FileCheck %s
// RUN: tc-run %s --target=cpu:x86-64-v3 --compile-to=fuse | FileCheck %s --check-prefix=CPU

// On a GPU rows of no whole vectors, one part after the other, are two long rows: each begins anywhere, but few of its vectors are at an end. On a CPU the
// rows of each part have loops of their own.
// CHECK-DAG: #[[FIRST:.*]] = affine_set<(d0) : (-d0 + 1650 >= 0)>
// CHECK-DAG: #[[SECOND:.*]] = affine_set<(d0) : (d0 - 1651 >= 0)>
// CHECK-DAG: #[[LATER:.*]] = affine_map<(d0) -> (d0 - 1651)>
// CHECK-DAG: #[[PAIRS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2 * 128 + d3)>
// CHECK-LABEL: func.func @concat
// CHECK: dims [#tc.dim<"i", parallel, 2540>]
// CHECK: tc.read %{{.*}} within #[[FIRST]] : tensor<1651xf16>
// CHECK: tc.read %{{.*}}[#[[LATER]]] within #[[SECOND]] : tensor<889xf16>
// CPU-LABEL: func.func @concat
// CPU: dims [#tc.dim<"i", parallel, 20>, #tc.dim<"j", parallel, 127>]
func.func @concat(%x: tensor<13x127xf16>, %y: tensor<7x127xf16>) -> tensor<20x127xf16> {
  %0 = tc.concat %x, %y dim 0 : tensor<13x127xf16>, tensor<7x127xf16> -> tensor<20x127xf16>
  return %0 : tensor<20x127xf16>
}

// So are those of a size that a call gives, as long as the rows have a constant one.
// CHECK-LABEL: func.func @concat_of_any_size
// CHECK: dims [#tc.dim<"i", parallel, s0 * 127 + s1 * 127>]
func.func @concat_of_any_size(%x: tensor<?x127xf16, #tc.sizes<[s0, 127]>>, %y: tensor<?x127xf16, #tc.sizes<[s1, 127]>>) -> tensor<?x127xf16, #tc.sizes<[s0 + s1, 127]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1000>, #tc.symbol<"s1", min = 1, max = 1000>]} {
  %0 = tc.concat %x, %y dim 0 : tensor<?x127xf16, #tc.sizes<[s0, 127]>>, tensor<?x127xf16, #tc.sizes<[s1, 127]>> -> tensor<?x127xf16, #tc.sizes<[s0 + s1, 127]>>
  return %0 : tensor<?x127xf16, #tc.sizes<[s0 + s1, 127]>>
}

// Rows in front, and rows that are left out.
// CHECK-LABEL: func.func @pad
// CHECK: dims [#tc.dim<"i", parallel, 2540>]
func.func @pad(%x: tensor<13x127xf16>) -> tensor<20x127xf16> {
  %0 = tc.pad constant %x low [3, 0] high [4, 0] value 2.5 : f16 : tensor<13x127xf16> -> tensor<20x127xf16>
  return %0 : tensor<20x127xf16>
}

// CHECK-LABEL: func.func @slice
// CHECK: dims [#tc.dim<"i", parallel, 762>]
func.func @slice(%x: tensor<13x127xf32>) -> tensor<6x127xf32> {
  %0 = tc.slice %x offsets <[3, 0]> strides [1, 1] : tensor<13x127xf32> -> tensor<6x127xf32>
  return %0 : tensor<6x127xf32>
}

// Rows of whole vectors stay rows, and so do those with columns of their own, or that only some columns have.
// CHECK-LABEL: func.func @whole_vectors
// CHECK: dims [#tc.dim<"i", parallel, 20>, #tc.dim<"j", parallel, 128>]
func.func @whole_vectors(%x: tensor<13x128xf16>, %y: tensor<7x128xf16>) -> tensor<20x128xf16> {
  %0 = tc.concat %x, %y dim 0 : tensor<13x128xf16>, tensor<7x128xf16> -> tensor<20x128xf16>
  return %0 : tensor<20x128xf16>
}

// CHECK-LABEL: func.func @columns
// CHECK: dims [#tc.dim<"i", parallel, 20>, #tc.dim<"j", parallel, 127>]
func.func @columns(%x: tensor<13x127xf16>, %y: tensor<7x127xf16>, %b: tensor<127xf16>) -> tensor<20x127xf16> {
  %0 = tc.concat %x, %y dim 0 : tensor<13x127xf16>, tensor<7x127xf16> -> tensor<20x127xf16>
  %1 = tc.broadcast %b dims [1] : tensor<127xf16> -> tensor<20x127xf16>
  %2 = tc.mul %0, %1 : tensor<20x127xf16>
  return %2 : tensor<20x127xf16>
}

// CHECK-LABEL: func.func @pad_both
// CHECK: dims [#tc.dim<"i", parallel, 20>, #tc.dim<"j", parallel, 129>]
func.func @pad_both(%x: tensor<13x127xf16>) -> tensor<20x129xf16> {
  %0 = tc.pad constant %x low [3, 1] high [4, 1] value 2.5 : f16 : tensor<13x127xf16> -> tensor<20x129xf16>
  return %0 : tensor<20x129xf16>
}

// Pairs that are folded, as weights of 4 bits are, are no dimension of their own where what they begin behind is folded too: a group of them has a scale.
// CHECK-LABEL: func.func @pairs
// CHECK: contraction dims [{{.*}} parallel, 16>, {{.*}} parallel, 136>, {{.*}} reduced, 4>, {{.*}} reduced, 128>]
// CHECK: tc.read %{{.*}}[#[[PAIRS]]] : tensor<136x512xi8> -> i8
func.func @pairs(%x: tensor<16x512xbf16>, %w: tensor<136x256x2xi8>, %s: tensor<136x4x1xbf16>) -> tensor<16x136xbf16> {
  %c = tc.cast %w : tensor<136x256x2xi8> to tensor<136x256x2xbf16>
  %g = tc.reshape %c : tensor<136x256x2xbf16> -> tensor<136x4x128xbf16>
  %b = tc.broadcast %s dims [0, 1, 2] : tensor<136x4x1xbf16> -> tensor<136x4x128xbf16>
  %p = tc.mul %g, %b : tensor<136x4x128xbf16>
  %r = tc.reshape %p : tensor<136x4x128xbf16> -> tensor<136x512xbf16>
  %y = tc.contract "mk,nk->mn" %x, %r : tensor<16x512xbf16>, tensor<136x512xbf16> -> tensor<16x136xbf16>
  return %y : tensor<16x136xbf16>
}
