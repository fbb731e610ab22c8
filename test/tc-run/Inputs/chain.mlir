// Three ops, of which one kernel is made.
func.func @main(%x: tensor<?x37xf32, #tc.sizes<[s0, 37]>>) -> tensor<?x37xf32, #tc.sizes<[s0, 37]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %a = tc.exp %x : tensor<?x37xf32, #tc.sizes<[s0, 37]>>
  %b = tc.neg %a : tensor<?x37xf32, #tc.sizes<[s0, 37]>>
  %c = tc.exp %b : tensor<?x37xf32, #tc.sizes<[s0, 37]>>
  return %c : tensor<?x37xf32, #tc.sizes<[s0, 37]>>
}
