// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the attributes that the dialect puts on other ops.

// tc.symbols is an array.
// expected-error @+1 {{attribute 'tc.symbols' is 4 : i64; expected an array of #tc.symbol}}
func.func private @symbols_array() attributes {tc.symbols = 4 : i64}

// -----

// tc.symbols holds symbols.
// expected-error @+1 {{entry of 'tc.symbols' is "s0"; expected a #tc.symbol}}
func.func private @symbols_entries() attributes {tc.symbols = ["s0"]}

// -----

// A symbol is declared once.
// expected-error @+1 {{'tc.symbols' declares 's0' twice}}
func.func private @symbols_twice() attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s0", min = 2, max = 8>]}

// -----

// tc.phase is a name.
// expected-error @+1 {{attribute 'tc.phase' is 4 : i64; expected a string}}
module attributes {tc.phase = 4 : i64} {}

// -----

// tc.target is a target.
// expected-error @+1 {{attribute 'tc.target' is "cpu"; expected a #tc.target of kind cpu or cuda}}
module attributes {tc.target = "cpu"} {}

// -----

// What a function returns are tensors.
// expected-error @+1 {{attribute 'tc.result_types' is [5]; expected an array of ranked tensor types of known sizes}}
func.func private @result_types() attributes {tc.result_types = [5]}

// -----

// A signature says what phase emit has written.
// expected-error @+1 {{entry "input_types" of 'tc.signature' is [7]; expected an entry that phase import, bufferize or emit writes}}
func.func private @signature() attributes {tc.signature = {input_types = [7]}}

// -----

// A target is a CPU or a CUDA device.
// expected-error @+1 {{attribute 'tc.target' is #tc.target<"tpu", chip = "v4", features = "">; expected a #tc.target of kind cpu or cuda}}
module attributes {tc.target = #tc.target<"tpu", chip = "v4", features = "">} {}

// -----

// A machine has a core.
// expected-error @+1 {{attribute 'tc.cores' is 0 : i64; expected an i64 of at least 1}}
module attributes {tc.cores = 0 : i64} {}

// -----

// Bytes are counted in 64 bits.
// expected-error @+1 {{attribute 'tc.core_cache_bytes' is 65536 : i32; expected an i64 of at least 1}}
module attributes {tc.core_cache_bytes = 65536 : i32} {}

// -----

// A cache has bytes.
// expected-error @+1 {{attribute 'tc.shared_cache_bytes' is "32M"; expected an i64 of at least 1}}
module attributes {tc.shared_cache_bytes = "32M"} {}

// -----

// Libraries are those that kernels may be calls of.
// expected-error @+1 {{attribute 'tc.libraries' is ["mkl"]; expected an array of the strings "cublaslt" and "cudnn"}}
module attributes {tc.libraries = ["mkl"]} {}

// -----

// A schedule library has schedules.
// expected-error @+1 {{attribute 'tc.schedules' is {k = 8 : i64}; expected a dictionary from keys of kernels to schedules}}
module attributes {tc.schedules = {k = 8 : i64}} {}

// -----

// A memory plan has numbers.
// expected-error @+1 {{attribute 'tc.memory_plan' is {peak = "all"}; expected a dictionary of the numbers 'buffers', 'planned' and 'peak', and of symbols in 'at'}}
func.func private @memory_plan() attributes {tc.memory_plan = {peak = "all"}}

// -----

// A signature has names.
// expected-error @+1 {{attribute 'tc.signature' is "f(x)"; expected a dictionary}}
func.func private @signature_kind() attributes {tc.signature = "f(x)"}

// -----

// The entries of a signature are known.
// expected-error @+1 {{entry "lunches" of 'tc.signature' is 1 : i64; expected an entry that phase import, bufferize or emit writes}}
func.func private @signature_entry() attributes {tc.signature = {lunches = 1 : i64}}

// -----

// A version is a version of a function.
// expected-error @+1 {{attribute 'tc.version_of' is "main"; expected a symbol}}
func.func private @version() attributes {tc.version_of = "main"}

// -----

// Versions are asked for by the ranges of their symbols.
// expected-error @+1 {{attribute 'tc.specializations' is [8]; expected an array of arrays of #tc.symbol}}
func.func private @specializations() attributes {tc.specializations = [8]}

// -----

// A version is specialised to symbols.
// expected-error @+1 {{attribute 'tc.specialization' is 8 : i64; expected an array of #tc.symbol}}
func.func private @specialization() attributes {tc.specialization = 8 : i64}

// -----

// The image of a kernel has its name.
// expected-error @+1 {{attribute 'tc.image' is 1 : i64; expected a string}}
llvm.mlir.global internal constant @image("ptx") {tc.image = 1 : i64}

// -----

// Results are rounded to a type of 16 bits.
func.func @rounded(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    // expected-error @+1 {{attribute 'tc.rounded' is f32; expected f16 or bf16}}
    %n = tc.exp %v {tc.rounded = f32} : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Room on the stack is counted in elements.
llvm.func @scratch(%n: i64) {
  // expected-error @+1 {{attribute 'tc.scratch_elements' is 8 : i64; expected a #tc.expr}}
  %0 = llvm.alloca %n x f32 {tc.scratch_elements = 8 : i64} : (i64) -> !llvm.ptr
  llvm.return
}

// -----

// A misspelt attribute is an error.
// expected-error @+1 {{attribute "tc.phse" is unknown; expected one of tc.phase, tc.target, tc.cores, tc.core_cache_bytes, tc.shared_cache_bytes, tc.libraries, tc.schedules, tc.rounded, tc.symbols, tc.signature, tc.result_types, tc.memory_plan, tc.specializations, tc.specialization, tc.version_of, tc.image, tc.scratch_elements}}
module attributes {tc.phse = "import"} {}

// -----

// Attributes of modules are on modules.
// expected-error @+1 {{attribute 'tc.cores' is on 'func.func'; expected it on a module}}
func.func private @place() attributes {tc.cores = 4 : i64}

// -----

// Attributes of functions are on functions.
// expected-error @+1 {{attribute 'tc.symbols' is on 'builtin.module'; expected it on a function}}
module attributes {tc.symbols = []} {}

// -----

// An op of the dialect has its own attributes declared.
func.func @own(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'tc.image' is on 'tc.relu'; expected it on an llvm.mlir.global}}
  %0 = tc.relu %x {tc.image = "relu"} : tensor<4xf32>
  return
}

// -----

// Arguments have strides and no other attribute of the dialect.
// expected-error @+1 {{argument 0 has the attribute "tc.mutates"; expected tc.strides or tc.random_seed}}
func.func private @argument(tensor<4xf32> {tc.mutates = 0 : i64})

// -----

// A result may replace an argument.
// expected-error @+1 {{result 0 has the attribute "tc.alias"; expected tc.mutates or tc.may_overwrite}}
func.func private @result(tensor<4xf32>) -> (tensor<4xf32> {tc.alias = 0 : i64})

// -----

// The argument that a result replaces is one of the function.
// expected-error @+1 {{result 0 has tc.mutates = 1 : i64; expected the symbol of a parameter or the index of one of 1 arguments}}
func.func private @mutates(tensor<4xf32>) -> (tensor<4xf32> {tc.mutates = 1 : i64})

// -----

// The argument that a result may be written over is one of the function.
// expected-error @+1 {{result 0 has tc.may_overwrite = @w; expected the index of one of 1 arguments}}
func.func private @may_overwrite(tensor<4xf32>) -> (tensor<4xf32> {tc.may_overwrite = @w})

// -----

// A seed is a number without a value in the text.
// expected-error @+1 {{argument 0 has tc.random_seed = 4 : i64; expected no value}}
func.func private @seed_value(tensor<i64> {tc.random_seed = 4 : i64})

// -----

// expected-error @+1 {{argument 0 has tc.random_seed and type 'tensor<2xi64>'; expected tensor<i64>}}
func.func private @seed_type(tensor<2xi64> {tc.random_seed})

// -----

// expected-error @+1 {{argument 1 has tc.random_seed, as argument 0 has; expected one seed}}
func.func private @seeds(tensor<i64> {tc.random_seed}, tensor<i64> {tc.random_seed})
