// Causal attention of four heads.
//
// $ tc-run examples/attention.mlir --random-inputs=0 --check

func.func @attention(%q: tensor<1x4x32x16xf32>, %k: tensor<1x4x32x16xf32>, %v: tensor<1x4x32x16xf32>)
    -> tensor<1x4x32x16xf32> {
  %0 = tc.attention %q, %k, %v scale 0.25 {causal} : tensor<1x4x32x16xf32>, tensor<1x4x32x16xf32>, tensor<1x4x32x16xf32> -> tensor<1x4x32x16xf32>
  return %0 : tensor<1x4x32x16xf32>
}
