// RUN: tc-opt %s --split-input-file --verify-diagnostics

// A workspace is bytes.
func.func @workspace_of_floats(%x: memref<8xf32>, %w: memref<8xf32>) {
  // expected-error @+1 {{'tc.kernel' op operand #1 must be 1D memref of 8-bit signless integer values, but got 'memref<8xf32>'}}
  tc.kernel "k" pointwise dims [] outs(%o = %x : memref<8xf32>) workspace(%b = %w : memref<8xf32>) {
  }
  return
}

// -----

func.func @two_workspaces(%x: memref<8xf32>, %w: memref<8xi8>) {
  // expected-error @+1 {{expected one workspace, but there are 2}}
  tc.kernel "k" pointwise dims [] outs(%o = %x : memref<8xf32>) workspace(%b = %w : memref<8xi8>, %c = %w : memref<8xi8>) {
  }
  return
}

// -----

// No access names the workspace.
func.func @read_workspace(%x: memref<8xi8>, %w: memref<8xi8>) {
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 8>] outs(%o = %x : memref<8xi8>) workspace(%b = %w : memref<8xi8>) {
    // expected-error @+1 {{'tc.read' op accesses the workspace of the kernel; expected an input or an output}}
    %v = tc.read %b[affine_map<(d0) -> (d0)>] : memref<8xi8> -> i8
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : i8, memref<8xi8>
  }
  return
}
