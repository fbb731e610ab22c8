// RUN: tc-run %s --function=uniform --input=4xi64=0,0,0,0 --input=0xf32= | FileCheck %s --check-prefix=NONE
// RUN: tc-run %s --function=uniform --input=4xi64=0,0,0,0 --input=5xf32=1,1,1,1,1 | FileCheck %s --check-prefix=FIVE
// RUN: tc-run %s --function=repeated --input=4x2xf32=1,1,1,1,1,1,1,1 --input=1x2xi64=2,3 --input=1x2xf32=2,3 --input=0xf32= | FileCheck %s --check-prefix=REPEATED0
// RUN: tc-run %s --function=repeated --input=4x2xf32=1,1,1,1,1,1,1,1 --input=1x2xi64=2,3 --input=1x2xf32=2,3 --input=3xf32=0,0,0 | FileCheck %s --check-prefix=REPEATED3
// RUN: tc-run %s --function=uniform --random-inputs=1 --size=s0=3 --check
// RUN: tc-run %s --function=repeated --random-inputs=1 --size=s0=3 --check
// RUN: tc-run %s --function=empty --input=4xf32=0,1,2,3 | FileCheck %s --check-prefix=EMPTY

// What is scattered is scattered once for each index, also where all indices
// and all values are the same: not at all where there are none.

// NONE: 4xi64=0 0 0 0
// NONE: 4xi64=0 0 0 0
// FIVE: 4xi64=0 0 10 0
// FIVE: 4xi64=0 2 0 0
func.func @uniform(%x: tensor<4xi64>, %like: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<4xi64>, tensor<4xi64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 8>]} {
  %i = tc.full 2 : i64 -> tensor<?xi64, #tc.sizes<[s0]>>
  %j = tc.full -3 : i64 -> tensor<?xi64, #tc.sizes<[s0]>>
  %v = tc.full 2 : i64 -> tensor<?xi64, #tc.sizes<[s0]>>
  %0 = tc.scatter sum %x[%i] = %v dim 0 : tensor<4xi64>, tensor<?xi64, #tc.sizes<[s0]>>, tensor<?xi64, #tc.sizes<[s0]>>
  %1 = tc.index_put replace %x[%j] = %v dims [0] : tensor<4xi64>, tensor<?xi64, #tc.sizes<[s0]>>, tensor<?xi64, #tc.sizes<[s0]>>
  return %0, %1 : tensor<4xi64>, tensor<4xi64>
}

// REPEATED0: 4x2xf32={{\[1 1\]\[1 1\]\[1 1\]\[1 1\]}}
// REPEATED3: 4x2xf32={{\[1 1\]\[1 1\]\[7 1\]\[1 10\]}}
func.func @repeated(%x: tensor<4x2xf32>, %i: tensor<1x2xi64>, %v: tensor<1x2xf32>, %like: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<4x2xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 8>]} {
  %0 = tc.broadcast %i dims [0, 1] : tensor<1x2xi64> -> tensor<?x2xi64, #tc.sizes<[s0, 2]>>
  %1 = tc.broadcast %v dims [0, 1] : tensor<1x2xf32> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  %2 = tc.scatter sum %x[%0] = %1 dim 0 : tensor<4x2xf32>, tensor<?x2xi64, #tc.sizes<[s0, 2]>>, tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  return %2 : tensor<4x2xf32>
}

// EMPTY: 4xf32=0 1 2 3
func.func @empty(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = tc.full 2 : i64 -> tensor<0xi64>
  %v = tc.full 1.0 : f32 -> tensor<0xf32>
  %0 = tc.index_put sum %x [%i] = %v dims [0] : tensor<4xf32>, tensor<0xf32>, tensor<0xi64>
  return %0 : tensor<4xf32>
}
