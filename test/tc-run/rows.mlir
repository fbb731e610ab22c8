// Rows that several loops need are kept; a row of reductions is then computed on lanes.
// RUN: tc-run %s --function=query_content --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=entropy --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=divide --check --benchmark_min_time=0.01 --input=8xf32=1,-0.0,0,inf,-inf,nan,3e38,1e-40 --input=5xf32=3,0,inf,1e-39,-2e38
// RUN: tc-run %s --function=divide --check --benchmark_min_time=0.01 --input=8xf32=7,1e-45,5e-324,-1e38,1e-30,1e30,2e-38,-3 --input=5xf32=1e-45,nan,-1e-20,1e20,-inf

// Similarity of each row of %c to that of %q, and its softmax: one kernel.
func.func @query_content(%q: tensor<3x37xf32>, %c: tensor<3x29x37xf32>) -> tensor<3x29xf32> {
  %q2 = tc.mul %q, %q : tensor<3x37xf32>
  %qs = tc.reduce sum %q2 dims [1] : tensor<3x37xf32> -> tensor<3xf32>
  %qn = tc.sqrt %qs : tensor<3xf32>
  %qb = tc.broadcast %qn dims [0] : tensor<3xf32> -> tensor<3x37xf32>
  %qu = tc.div %q, %qb : tensor<3x37xf32>
  %c2 = tc.mul %c, %c : tensor<3x29x37xf32>
  %cs = tc.reduce sum %c2 dims [2] : tensor<3x29x37xf32> -> tensor<3x29xf32>
  %cn = tc.sqrt %cs : tensor<3x29xf32>
  %cb = tc.broadcast %cn dims [0, 1] : tensor<3x29xf32> -> tensor<3x29x37xf32>
  %cu = tc.div %c, %cb : tensor<3x29x37xf32>
  %qw = tc.broadcast %qu dims [0, 2] : tensor<3x37xf32> -> tensor<3x29x37xf32>
  %p = tc.mul %qw, %cu : tensor<3x29x37xf32>
  %s = tc.reduce sum %p dims [2] : tensor<3x29x37xf32> -> tensor<3x29xf32>
  %r = tc.softmax %s dim 1 : tensor<3x29xf32>
  return %r : tensor<3x29xf32>
}

func.func @entropy(%x: tensor<5x301xf32>) -> tensor<5xf32> {
  %p = tc.softmax %x dim 1 : tensor<5x301xf32>
  %l = tc.log %p : tensor<5x301xf32>
  %m = tc.mul %p, %l : tensor<5x301xf32>
  %s = tc.reduce sum %m dims [1] : tensor<5x301xf32> -> tensor<5xf32>
  %r = tc.neg %s : tensor<5xf32>
  return %r : tensor<5xf32>
}

// All rows by one divisor each: zeros, infinities, NaN, and quotients outside of the normal range.
func.func @divide(%x: tensor<8xf32>, %y: tensor<5xf32>) -> tensor<5x8xf32> {
  %xs = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<5x8xf32>
  %ys = tc.broadcast %y dims [0] : tensor<5xf32> -> tensor<5x8xf32>
  %r = tc.div %xs, %ys : tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}
