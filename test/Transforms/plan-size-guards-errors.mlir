// RUN: tc-opt %s --tc-plan-size-guards --split-input-file --verify-diagnostics

// No call can have a tensor of 2^66 bytes.
func.func @result_beyond_64_bits() {
  // expected-error @+1 {{'tc.full' op has result 0 of type 'tensor<4294967296x4294967296xf32>', of more bytes than 64 bits count}}
  %0 = tc.full 1.0 : f32 -> tensor<4294967296x4294967296xf32>
  return
}

// -----

// Nor take one.
// expected-error @+1 {{'func.func' op has argument 0 of type 'tensor<4294967296x4294967296xf32>', of more bytes than 64 bits count}}
func.func @argument_beyond_64_bits(%x: tensor<4294967296x4294967296xf32>) {
  return
}
