// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of factorisations and Fourier transforms.

// All operands have one type.
func.func @element_types(%a: tensor<4x4xf32>, %b: tensor<4x2xf64>) {
  // expected-error @+1 {{'tc.routine' op expects operands of type 'f32', but operand 1 is 'tensor<4x2xf64>'}}
  %x, %info = tc.routine solve(%a, %b) : (tensor<4x4xf32>, tensor<4x2xf64>) -> (tensor<4x2xf32>, tensor<f32>)
  return
}

// -----

// The leading sizes are equal.
func.func @leading_sizes(%a: tensor<8x4x4xf32>, %b: tensor<7x4x2xf32>) {
  // expected-error @+1 {{'tc.routine' op expects leading sizes [8], but those of operand 1 are [7]}}
  %x, %info = tc.routine solve(%a, %b) : (tensor<8x4x4xf32>, tensor<7x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<8xf32>)
  return
}

// -----

// A matrix to invert is square.
func.func @square(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{'tc.routine' op expects operand 0 to have sizes [n, n] in its last dimensions, but they are [4, 3]}}
  %x, %info = tc.routine inverse(%a) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<f32>)
  return
}

// -----

// A right side has as many rows as the matrix.
func.func @rows(%a: tensor<4x4xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{'tc.routine' op expects operand 1 to have sizes [n, k] in its last dimensions, but they are [3, 2]}}
  %x, %info = tc.routine solve(%a, %b) : (tensor<4x4xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<f32>)
  return
}

// -----

// A transform takes two operands.
func.func @operand_count(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tc.routine' op expects 2 operands, but it has 1}}
  %x, %y = tc.routine fft(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// A routine has all of its results.
func.func @result_count(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{'tc.routine' op expects 2 results, but it has 1}}
  %x = tc.routine inverse(%a) : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return
}

// -----

// A matrix has two dimensions at least.
func.func @rank(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tc.routine' op expects operand 0 of rank 2 at least, but it is 'tensor<4xf32>'}}
  %x, %info = tc.routine inverse(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

// The results' types follow from the operands'.
func.func @result_type(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{'tc.routine' op expects result 1 of type 'tensor<2x2xf32>', but it is 'tensor<4x2xf32>'}}
  %q, %r = tc.routine qr(%a) : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----

// A stage has distinct dimensions of the domain.
func.func @distinct(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tc.kernel "inverse" custom dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>]
      ins(%x = %a : tensor<4x4xf32>) outs(%y = %o : tensor<4x4xf32>) {
    %v = tc.read %x[affine_map<(i, j) -> (i, j)>] : tensor<4x4xf32> -> f32
    // expected-error @+1 {{'tc.routine_stage' op names dimension 0 in 'to'; expected distinct dimensions below 2}}
    %l, %info = tc.routine_stage inverse(%v) over [[0, 1]] to [[0, 1], []] : (f32) -> (f32, f32)
    tc.write %l, %y[affine_map<(i, j) -> (i, j)>] : f32, tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// Each list has as many dimensions as the operand.
func.func @list_length(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tc.kernel "inverse" custom dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>]
      ins(%x = %a : tensor<4x4xf32>) outs(%y = %o : tensor<4x4xf32>) {
    %v = tc.read %x[affine_map<(i, j) -> (i, j)>] : tensor<4x4xf32> -> f32
    // expected-error @+1 {{'tc.routine_stage' op expects list 0 of 'over' to have 2 dimensions}}
    %l, %info = tc.routine_stage inverse(%v) over [[0]] to [[0, 1], []] : (f32) -> (f32, f32)
    tc.write %l, %y[affine_map<(i, j) -> (i, j)>] : f32, tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// There is a list for each operand.
func.func @list_count(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tc.kernel "inverse" custom dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>]
      ins(%x = %a : tensor<4x4xf32>) outs(%y = %o : tensor<4x4xf32>) {
    %v = tc.read %x[affine_map<(i, j) -> (i, j)>] : tensor<4x4xf32> -> f32
    // expected-error @+1 {{'tc.routine_stage' op expects 1 lists in 'over', but there are 0}}
    %l, %info = tc.routine_stage inverse(%v) over [] to [[0, 1], []] : (f32) -> (f32, f32)
    tc.write %l, %y[affine_map<(i, j) -> (i, j)>] : f32, tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// The dimensions of a result have its sizes.
func.func @stage_sizes(%a: tensor<4x4xf32>, %o: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = tc.kernel "inverse" custom dims [#tc.dim<"i", reduced, 4>, #tc.dim<"j", reduced, 4>, #tc.dim<"k", parallel, 4>, #tc.dim<"l", parallel, 3>]
      ins(%x = %a : tensor<4x4xf32>) outs(%y = %o : tensor<4x3xf32>) {
    %v = tc.read %x[affine_map<(i, j, k, l) -> (i, j)>] : tensor<4x4xf32> -> f32
    // expected-error @+1 {{'tc.routine_stage' op has result 0 over a dimension of size 3; expected 4}}
    %l, %info = tc.routine_stage inverse(%v) over [[0, 1]] to [[2, 3], []] : (f32) -> (f32, f32)
    tc.write %l, %y[affine_map<(i, j, k, l) -> (k, l)>] : f32, tensor<4x3xf32>
  }
  return %r : tensor<4x3xf32>
}

// -----

// A stage has the routine's operands.
func.func @stage_operands(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tc.kernel "solve" custom dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>]
      ins(%x = %a : tensor<4x4xf32>) outs(%y = %o : tensor<4x4xf32>) {
    %v = tc.read %x[affine_map<(i, j) -> (i, j)>] : tensor<4x4xf32> -> f32
    // expected-error @+1 {{'tc.routine_stage' op expects 2 operands and 2 results, but it has 1 and 2}}
    %l, %info = tc.routine_stage solve(%v) over [[0, 1]] to [[0, 1], []] : (f32) -> (f32, f32)
    tc.write %l, %y[affine_map<(i, j) -> (i, j)>] : f32, tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// The values of a stage have one type.
func.func @stage_types(%a: tensor<4x4xf32>, %o: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %r = tc.kernel "inverse" custom dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>]
      ins(%x = %a : tensor<4x4xf32>) outs(%y = %o : tensor<4x4xf64>) {
    %v = tc.read %x[affine_map<(i, j) -> (i, j)>] : tensor<4x4xf32> -> f32
    // expected-error @+1 {{'tc.routine_stage' op has values of type 'f64' and 'f32'; expected one type}}
    %l, %info = tc.routine_stage inverse(%v) over [[0, 1]] to [[0, 1], []] : (f32) -> (f64, f32)
    tc.write %l, %y[affine_map<(i, j) -> (i, j)>] : f64, tensor<4x4xf64>
  }
  return %r : tensor<4x4xf64>
}

// -----

// No more elements are selected than there are.
func.func @selected(%x: tensor<4x8xf64>, %k: tensor<4x9xf64>) {
  // expected-error @+1 {{'tc.routine' op expects the last size of operand 1 of at most the last size of operand 0, 8, but it is 9}}
  %a = tc.routine largest(%x, %k) : (tensor<4x8xf64>, tensor<4x9xf64>) -> tensor<4x9xf64>
  return
}
