// A row is read once: maximum, exponentials and their sum are stages of one kernel.
//
// $ tc-run examples/softmax.mlir --input=1x4xf32=0,1,2,3 --output=-
// $ tc-run examples/softmax.mlir --random-inputs=0 --size=rows=1000 --check

func.func @softmax(%x: tensor<?x4xf32, #tc.sizes<[rows, 4]>>) -> tensor<?x4xf32, #tc.sizes<[rows, 4]>>
    attributes {tc.symbols = [#tc.symbol<"rows", min = 1, max = 100000>]} {
  %result = tc.softmax %x dim 1 : tensor<?x4xf32, #tc.sizes<[rows, 4]>>
  return %result : tensor<?x4xf32, #tc.sizes<[rows, 4]>>
}
