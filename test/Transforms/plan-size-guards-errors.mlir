// RUN: tc-opt %s --tc-plan-size-guards --split-input-file --verify-diagnostics

// No call can give a tensor of 2^66 bytes.
// expected-error @+1 {{function @result_beyond_64_bits has result 0 of type 'tensor<4294967296x4294967296xf32>', of more bytes than 64 bits count}}
func.func @result_beyond_64_bits() -> tensor<4294967296x4294967296xf32> {
  %0 = tc.full 1.0 : f32 -> tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}

// -----

// An argument has at most as many bytes as 64 bits count.
// expected-error @+1 {{function @argument_beyond_64_bits has argument 0 of type 'tensor<4294967296x4294967296xf32>', of more bytes than 64 bits count}}
func.func @argument_beyond_64_bits(%x: tensor<4294967296x4294967296xf32>) {
  return
}
