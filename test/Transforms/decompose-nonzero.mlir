// RUN: tc-opt %s --tc-decompose-nonzero | FileCheck %s

// True elements go to the places that the running count gives, all others after
// the last, where they are cut off; positions become rows and columns.
// CHECK-LABEL: func @matrix
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4x3xi1>
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<i64>
// CHECK-NEXT: tc.size_from "u0" = %[[N]] : tensor<i64>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[M]] : tensor<4x3xi1> -> tensor<12xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<12xi1> to tensor<12xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.scan sum %[[V1]] dim 0 : tensor<12xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.full 1 : i64 -> tensor<12xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.sub %[[V2]], %[[V3]] : tensor<12xi64>
// CHECK-NEXT: %[[V5:.*]] = tc.size_value <u0> : tensor<i64>
// CHECK-NEXT: %[[V6:.*]] = tc.broadcast %[[V5]] dims [] : tensor<i64> -> tensor<12xi64>
// CHECK-NEXT: %[[V7:.*]] = tc.select %[[V0]], %[[V4]], %[[V6]] : tensor<12xi1>, tensor<12xi64>
// CHECK-NEXT: %[[V8:.*]] = tc.full 0 : i64 -> tensor<?xi64, #tc.sizes<[u0 + 1]>>
// CHECK-NEXT: %[[V9:.*]] = tc.iota dim 0 start 0 step 1 : tensor<12xi64>
// CHECK-NEXT: %[[V10:.*]] = tc.scatter replace %[[V8]][%[[V7]]] = %[[V9]] dim 0 : tensor<?xi64, #tc.sizes<[u0 + 1]>>, tensor<12xi64>, tensor<12xi64>
// CHECK-NEXT: %[[V11:.*]] = tc.slice %[[V10]] offsets <[0]> strides [1] : tensor<?xi64, #tc.sizes<[u0 + 1]>> -> tensor<?xi64, #tc.sizes<[u0]>>
// CHECK-NEXT: %[[V12:.*]] = tc.full 3 : i64 -> tensor<?xi64, #tc.sizes<[u0]>>
// CHECK-NEXT: %[[V13:.*]] = tc.floor_div %[[V11]], %[[V12]] : tensor<?xi64, #tc.sizes<[u0]>>
// CHECK-NEXT: %[[V14:.*]] = tc.reshape %[[V13]] : tensor<?xi64, #tc.sizes<[u0]>> -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
// CHECK-NEXT: %[[V15:.*]] = tc.full 3 : i64 -> tensor<?xi64, #tc.sizes<[u0]>>
// CHECK-NEXT: %[[V16:.*]] = tc.remainder %[[V11]], %[[V15]] : tensor<?xi64, #tc.sizes<[u0]>>
// CHECK-NEXT: %[[V17:.*]] = tc.reshape %[[V16]] : tensor<?xi64, #tc.sizes<[u0]>> -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
// CHECK-NEXT: %[[V18:.*]] = tc.concat %[[V14]], %[[V17]] dim 1 : tensor<?x1xi64, #tc.sizes<[u0, 1]>>, tensor<?x1xi64, #tc.sizes<[u0, 1]>> -> tensor<?x2xi64, #tc.sizes<[u0, 2]>>
// CHECK-NEXT: return %[[V18]] : tensor<?x2xi64, #tc.sizes<[u0, 2]>>
func.func @matrix(%m: tensor<4x3xi1>, %n: tensor<i64>) -> tensor<?x2xi64, #tc.sizes<[u0, 2]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 12>]} {
  tc.size_from "u0" = %n : tensor<i64>
  %0 = tc.nonzero %m : tensor<4x3xi1> -> tensor<?x2xi64, #tc.sizes<[u0, 2]>>
  return %0 : tensor<?x2xi64, #tc.sizes<[u0, 2]>>
}

// A row of a 0-d tensor has no indices.
// CHECK-LABEL: func @number
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<i1>
// CHECK-NEXT: %[[V0:.*]] = tc.full 0 : i64 -> tensor<1x0xi64>
// CHECK-NEXT: return %[[V0]] : tensor<1x0xi64>
func.func @number(%m: tensor<i1>) -> tensor<1x0xi64> {
  %0 = tc.nonzero %m : tensor<i1> -> tensor<1x0xi64>
  return %0 : tensor<1x0xi64>
}
