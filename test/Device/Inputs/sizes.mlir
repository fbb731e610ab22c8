// Symbolic sizes, zero among them, and grids of many blocks.

// sizes: n=0 n=1 n=255 n=70001
func.func @pointwise(%x: tensor<?xf32, #tc.sizes<[n]>>, %y: tensor<?xf32, #tc.sizes<[n]>>) -> tensor<?xf32, #tc.sizes<[n]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 1000000>]} {
  %s = tc.add %x, %y : tensor<?xf32, #tc.sizes<[n]>>
  %r = tc.tanh %s : tensor<?xf32, #tc.sizes<[n]>>
  return %r : tensor<?xf32, #tc.sizes<[n]>>
}

// sizes: n=0,m=5 n=5,m=0 n=3,m=1 n=67,m=1025
func.func @row_sum(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>) -> tensor<?xf32, #tc.sizes<[n]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 100000>, #tc.symbol<"m", min = 0, max = 100000>]} {
  %r = tc.reduce sum %x dims [1] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<?xf32, #tc.sizes<[n]>>
  return %r : tensor<?xf32, #tc.sizes<[n]>>
}

// sizes: n=0,m=5 n=5,m=0 n=70003,m=3
func.func @column_sum(%x: tensor<?x?xf32, #tc.sizes<[n, m]>>) -> tensor<?xf32, #tc.sizes<[m]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 100000>, #tc.symbol<"m", min = 0, max = 100000>]} {
  %r = tc.reduce sum %x dims [0] : tensor<?x?xf32, #tc.sizes<[n, m]>> -> tensor<?xf32, #tc.sizes<[m]>>
  return %r : tensor<?xf32, #tc.sizes<[m]>>
}

// sizes: n=1 n=70001
func.func @softmax(%x: tensor<?x64xf32, #tc.sizes<[n, 64]>>) -> tensor<?x64xf32, #tc.sizes<[n, 64]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 100000>]} {
  %r = tc.softmax %x dim 1 : tensor<?x64xf32, #tc.sizes<[n, 64]>>
  return %r : tensor<?x64xf32, #tc.sizes<[n, 64]>>
}

// sizes: m=0,k=3,n=5 m=4,k=0,n=5 m=65,k=33,n=129
func.func @matmul(%a: tensor<?x?xf32, #tc.sizes<[m, k]>>, %b: tensor<?x?xf32, #tc.sizes<[k, n]>>) -> tensor<?x?xf32, #tc.sizes<[m, n]>>
    attributes {tc.symbols = [#tc.symbol<"m", min = 0, max = 4096>, #tc.symbol<"k", min = 0, max = 4096>, #tc.symbol<"n", min = 0, max = 4096>]} {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<?x?xf32, #tc.sizes<[m, k]>>, tensor<?x?xf32, #tc.sizes<[k, n]>> -> tensor<?x?xf32, #tc.sizes<[m, n]>>
  return %c : tensor<?x?xf32, #tc.sizes<[m, n]>>
}
