// RUN: tc-run %s --target=cpu:x86-64-v2 --random-inputs=1 --size=s0=7 --check
// RUN: tc-run %s --target=cpu:x86-64-v2 --input=i8=3 --input=0xi8= --input=i8=4 | FileCheck %s --check-prefix=NONE
// RUN: tc-run %s --target=cpu:x86-64-v2 --input=i8=3 --input=2xi8=7,8 --input=i8=4 | FileCheck %s --check-prefix=TWO

// One element each in some of the lanes, in any number of them.
// NONE: 9xi8=3 4 4 4 4 4 4 4 4
// TWO: 13xi8=3 3 3 7 8 4 4 4 4 4 4 4 4
func.func @main(%x: tensor<i8>, %y: tensor<?xi8, #tc.sizes<[s0]>>, %z: tensor<i8>) -> tensor<?xi8, #tc.sizes<[s0 * 2 + 9]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100>]} {
  %0 = tc.broadcast %x dims [] : tensor<i8> -> tensor<?xi8, #tc.sizes<[s0 + 1]>>
  %1 = tc.broadcast %z dims [] : tensor<i8> -> tensor<8xi8>
  %2 = tc.concat %0, %y, %1 dim 0 : tensor<?xi8, #tc.sizes<[s0 + 1]>>, tensor<?xi8, #tc.sizes<[s0]>>, tensor<8xi8> -> tensor<?xi8, #tc.sizes<[s0 * 2 + 9]>>
  return %2 : tensor<?xi8, #tc.sizes<[s0 * 2 + 9]>>
}
