// RUN: tc-opt %s --convert-tc-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' op has argument 0 of type 'tensor<4xf32>', expected a memref}}
func.func @tensor(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op declares symbol 's0', but no input has a size that gives its value}}
func.func @unbound(%x: memref<4xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}

// -----

// expected-error @+1 {{'func.func' op has input 0 of type 'memref<4xi3>', which the calling convention has no place for}}
func.func @narrow(%x: memref<4xi3>) {
  return
}

// -----

func.func @other(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has count #tc.expr<s0>, which the function's symbols do not give}}
  tc.launch @kernel count <s0> grain <1>(%x) : memref<4xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' op has an argument of type 'memref<4xf32>', expected a type of the LLVM dialect}}
func.func private @kernel(%x: memref<4xf32>) {
  return
}

// -----

// A case that needs what compiled code cannot see.
func.func @main.v(%x: memref<4xf32>) attributes {tc.version_of = @main, tc.result_types = []} {
  return
}
tc.dispatch @main(%x: tensor<4xf32>) {
  tc.case @main.v {
    // expected-error @+1 {{'tc.guard' op of kind identity cannot be checked in compiled code, so no tc.case can need it}}
    tc.guard identity(%x) : tensor<4xf32>
  }
  tc.otherwise @main.v
}

// -----

// All launches of a GPU's kernel have its one description.
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX">]
  func.func @main(%x: memref<4xf32>) attributes {tc.signature = {inputs = ["x"]}} {
    // expected-note @+1 {{the other launch}}
    tc.launch @k count <4> grain <1> (%x) {threads = 96 : i64} : memref<4xf32>
    // expected-error @+1 {{'tc.launch' op starts @k with other threads, cluster, shared memory, overlap, counters, alignment or boxes than another launch of it; expected the same}}
    tc.launch @k count <4> grain <1> (%x) {threads = 32 : i64} : memref<4xf32>
    return
  }
}

// -----

// The boxes are part of that description, the sizes are not.
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX">]
  func.func @main(%x: memref<64x64xbf16>) attributes {tc.signature = {inputs = ["x"]}} {
    // expected-note @+1 {{the other launch}}
    tc.launch @k count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [64, 64]>] {threads = 96 : i64} : memref<64x64xbf16>
    tc.launch @k count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[32, 64]>, box = [64, 64]>] {threads = 96 : i64} : memref<64x64xbf16>
    // expected-error @+1 {{'tc.launch' op starts @k with other threads, cluster, shared memory, overlap, counters, alignment or boxes than another launch of it; expected the same}}
    tc.launch @k count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[64, 64]>, box = [32, 64]>] {threads = 96 : i64} : memref<64x64xbf16>
    return
  }
}

// -----

// The sizes of a tensor map are those of the call.
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX">]
  func.func @main(%x: memref<64x64xbf16>) attributes {tc.signature = {inputs = ["x"]}} {
    // expected-error @+1 {{'tc.launch' op has tensor map #tc.tensor_map<buffer = 0, sizes = <[s0, 64]>, box = [64, 64]>, which the function's symbols do not give}}
    tc.launch @k count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 64]>, box = [64, 64]>] {threads = 96 : i64} : memref<64x64xbf16>
    return
  }
}

// -----

func.func @unknown_size(%x: memref<8x32xf32>, %w: memref<32x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @+1 {{'tc.library_call' op has size #tc.expr<s0>, which the function's symbols do not give}}
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0> batches <1> rows <64> columns <s0> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<8x32xf32>) <pitch = <32>, batch_stride = <0>, offset = <0>> d(%y : memref<8x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  return
}
