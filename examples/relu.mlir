// Two elementwise ops become one kernel: the sum is never in memory.
//
// $ tc-run examples/relu.mlir --input=2x3xf32=1,-2,3,-4,5,-6 --input=2x3xf32=0,1,0,1,0,1 --output=-
// $ tc-run examples/relu.mlir --random-inputs=0 --check

func.func @relu(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %sum = tc.add %x, %y : tensor<2x3xf32>
  %result = tc.relu %sum : tensor<2x3xf32>
  return %result : tensor<2x3xf32>
}
