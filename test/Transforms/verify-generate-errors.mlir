// RUN: tc-opt %s --tc-verify-generate --split-input-file --verify-diagnostics

func.func @missing(%x: memref<4xf32>) {
  // expected-error @+2 {{'tc.launch' op runs @kernel, which is missing; expected a private function (!llvm.ptr, i64, i64)}}
  // expected-note @+1 {{convert-tc-to-vector should have made it}}
  tc.launch @kernel count <4> grain <1>(%x) : memref<4xf32>
  return
}

// -----

func.func @wrong(%x: memref<4xf32>) {
  // expected-error @+2 {{'tc.launch' op runs @kernel, which is no kernel function; expected a private function (!llvm.ptr, i64, i64)}}
  // expected-note @+1 {{convert-tc-to-vector should have made it}}
  tc.launch @kernel count <4> grain <1>(%x) : memref<4xf32>
  return
}
func.func private @kernel(%begin: i64, %end: i64) {
  return
}

// -----

func.func @tensors(%x: tensor<4xf32>) {
  // expected-error @+2 {{'tc.relu' op cannot be in a host function after phase generate}}
  // expected-note @+1 {{convert-tc-to-vector should have made it a tc.launch}}
  %0 = tc.relu %x : tensor<4xf32>
  return
}

// -----

func.func private @kernel(%context: !llvm.ptr, %x: f32) {
  // expected-error @+2 {{'tc.relu' op is left in a kernel function after phase generate}}
  // expected-note @+1 {{convert-tc-to-vector should have emitted it as loops and arithmetic}}
  %0 = tc.relu %x : f32
  return
}

// -----

func.func @no_grain(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has count #tc.expr<4> and grain #tc.expr<0>; expected at least 0 and at least 1}}
  tc.launch @kernel count <4> grain <0>(%x) : memref<4xf32>
  return
}
func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
  return
}

// -----

func.func @no_buffer(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op gives @kernel 2 slots (buffers, sizes, status), but it reads 3}}
  tc.launch @kernel count <4> grain <1>(%x) : memref<4xf32>
  return
}
func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
  %slot = llvm.getelementptr %context[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %pointer = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  return
}

// -----

// Also in a loop.
func.func @loop(%c: memref<i1>, %x: tensor<4xf32>) {
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    // expected-error @+2 {{'tc.relu' op cannot be in a host function after phase generate}}
    // expected-note @+1 {{convert-tc-to-vector should have made it a tc.launch}}
    %0 = tc.relu %x : tensor<4xf32>
  }
  return
}

// -----

// What runs with threads is a kernel of a gpu.module.
func.func @threads(%x: memref<4xf32>) {
  // expected-error @+2 {{'tc.launch' op runs @kernel with threads, expected a gpu.module with a kernel of that name and 2 arguments}}
  // expected-note @+1 {{convert-tc-to-gpu should have made it}}
  tc.launch @kernel count <4> grain <1>(%x) {threads = 32 : i64} : memref<4xf32>
  return
}
func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
  return
}

// -----

// A kernel is given its tensor maps by value, before the buffers.
func.func @tensor_maps(%x: memref<64x64xbf16>) {
  // expected-error @+2 {{'tc.launch' op runs @kernel with 1 tensor maps, expected as many first arguments '!llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}'}}
  // expected-note @+1 {{convert-tc-to-gpu should have made it}}
  tc.launch @kernel count <4> grain <1>(%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64, 64], swizzle = 128>] {threads = 32 : i64} : memref<64x64xbf16>
  return
}
gpu.module @kernel {
  gpu.func @kernel(%map: !llvm.ptr, %x: !llvm.ptr, %status: !llvm.ptr) kernel {
    gpu.return
  }
}
