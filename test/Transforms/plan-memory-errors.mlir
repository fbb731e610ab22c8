// RUN: tc-opt %s --tc-plan-memory --verify-diagnostics

// No arena has 2^66 bytes.
func.func @beyond_memory() {
  // expected-error @+1 {{'tc.buffer' op has type 'memref<4294967296x4294967296xf32>', of more bytes than memory can have}}
  %0 = tc.buffer : memref<4294967296x4294967296xf32>
  return
}
