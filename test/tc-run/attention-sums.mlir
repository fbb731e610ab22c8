// Attention that writes the logarithms of the sums of its rows, on the tiles of attention that does not: each is written once, when the weights of its row
// are there. Rows fill no whole tiles.
// RUN: tc-run %s --function=causal --compile-to=fuse --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-run %s --function=narrow --compile-to=fuse --target=cpu:sapphirerapids | FileCheck %s --check-prefix=AMX
// RUN: tc-run %s --function=causal --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=causal --random-inputs=1 --check --target=cpu:x86-64-v3
// RUN: tc-run %s --function=masked --random-inputs=1 --check
// RUN: tc-run %s --function=narrow --random-inputs=1 --check --tolerance=0.016,0.006
// RUN: tc-run %s --function=narrow --random-inputs=1 --check --tolerance=0.016,0.006 --target=cpu:x86-64-v3
// RUN: tc-run %s --function=doubles --random-inputs=1 --check

// SCHEDULE: #tc.attention_schedule<multiply_adds = vector, rows = 6
// AMX: #tc.attention_schedule<multiply_adds = amx, rows = 32
func.func @causal(%q: tensor<2x3x77x40xf32>, %k: tensor<2x3x77x40xf32>, %v: tensor<2x3x77x72xf32>) -> (tensor<2x3x77x72xf32>, tensor<2x3x77xf32>) {
  %r, %l = tc.attention %q, %k, %v scale 0.15 {causal} : tensor<2x3x77x40xf32>, tensor<2x3x77x40xf32>, tensor<2x3x77x72xf32> -> tensor<2x3x77x72xf32>, tensor<2x3x77xf32>
  return %r, %l : tensor<2x3x77x72xf32>, tensor<2x3x77xf32>
}

// The first rows have no keys: minus infinity. What is read later is another function of the sums.
func.func @masked(%q: tensor<40x32xf32>, %k: tensor<50x32xf32>, %v: tensor<50x20xf32>, %x: tensor<40xf32>) -> (tensor<40x20xf32>, tensor<40xf32>) {
  %i = tc.iota dim 0 start 0 step 1 : tensor<40x50xi64>
  %ten = tc.full 10 : i64 -> tensor<40x50xi64>
  %m = tc.ge %i, %ten : tensor<40x50xi64>
  %r, %l = tc.attention %q, %k, %v mask %m : tensor<40x50xi1> scale 0.2 : tensor<40x32xf32>, tensor<50x32xf32>, tensor<50x20xf32> -> tensor<40x20xf32>, tensor<40xf32>
  %y = tc.add %l, %x : tensor<40xf32>
  return %r, %y : tensor<40x20xf32>, tensor<40xf32>
}

func.func @narrow(%q: tensor<12x77x40xbf16>, %k: tensor<12x65x40xbf16>, %v: tensor<12x65x72xbf16>) -> (tensor<12x77x72xbf16>, tensor<12x77xf32>) {
  %r, %l = tc.attention %q, %k, %v scale 0.15 : tensor<12x77x40xbf16>, tensor<12x65x40xbf16>, tensor<12x65x72xbf16> -> tensor<12x77x72xbf16>, tensor<12x77xf32>
  return %r, %l : tensor<12x77x72xbf16>, tensor<12x77xf32>
}

func.func @doubles(%q: tensor<3x9x8xf64>, %k: tensor<3x11x8xf64>, %v: tensor<3x11x8xf64>) -> (tensor<3x9x8xf64>, tensor<3x9xf64>) {
  %r, %l = tc.attention %q, %k, %v scale 0.35 : tensor<3x9x8xf64>, tensor<3x11x8xf64>, tensor<3x11x8xf64> -> tensor<3x9x8xf64>, tensor<3x9xf64>
  return %r, %l : tensor<3x9x8xf64>, tensor<3x9xf64>
}
