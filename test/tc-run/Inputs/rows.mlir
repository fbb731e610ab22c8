// x * y, where y is one row.
func.func @main(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    attributes {tc.signature = {inputs = ["x", "y"]},
                tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 512>]} {
  tc.guard no_alias(%x, %y) {origin = "the test"} : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xf32, #tc.sizes<[s1]>>
  %b = tc.broadcast %y dims [1] : tensor<?xf32, #tc.sizes<[s1]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %0 = tc.mul %x, %b : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}
