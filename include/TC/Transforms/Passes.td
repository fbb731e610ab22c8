//===- Passes.td - Passes of the compiler -----------------------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_PASSES
#define TC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

include "TC/Transforms/Decompose.td"
include "TC/Transforms/DecomposeAttention.td"
include "TC/Transforms/Scatter.td"
include "TC/Transforms/Simplify.td"
include "TC/Transforms/Convolution.td"
include "TC/Transforms/Fuse.td"
include "TC/Transforms/Fission.td"
include "TC/Transforms/FuseHorizontal.td"
include "TC/Transforms/Schedule.td"
include "TC/Transforms/Parameters.td"
include "TC/Transforms/Specialize.td"
include "TC/Transforms/Attention.td"
include "TC/Transforms/Bufferize.td"

def TCBeginPhasePass : Pass<"tc-begin-phase", "::mlir::ModuleOp"> {
  let summary = "refuse a module that is not at the phase before the named one";
  let description = [{
    Every phase starts with this pass. It reads the module's `tc.phase`, which
    `tc-end-phase` wrote, and fails unless it names the phase before `phase`.
    A module without `tc.phase` is taken for a freshly written one, where
    nothing has run.

    #### Input
    Any module.

    #### Output
    The same module.

    #### Before
    ```mlir
    module attributes {tc.phase = "specialize"} {}
    ```

    #### After
    ```mlir
    module attributes {tc.phase = "specialize"} {}
    ```

    #### Limits
    Trusts the attribute; what a phase promises is checked by its
    `tc-verify-<phase>`.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"simplify\"", "name of the phase that is about to run">];
}

def TCAssignTargetPass : Pass<"tc-assign-target", "::mlir::ModuleOp"> {
  let summary = "write what code is generated for into the module";
  let description = [{
    Every phase asks for a target, and the first one that does decides: the pass
    writes `tc.target` unless the module has one. When the target is this
    machine (`cpu`, `cpu:host`), its cores are written too, as `tc.cores`:
    blocks of contractions are as many as keep them busy. So are the bytes of a
    core's cache and of the shared one, as the system has them, in
    `tc.core_cache_bytes` and `tc.shared_cache_bytes`; what the module has of
    them stays. A target that is named has none of these: its schedules are the
    same on every machine.

    `tc.libraries` lists the libraries of the target that kernels may become
    calls of; a target has none unless the module or the option `libraries` says
    so. With `host` the target is this machine: `cublaslt` is listed for a module
    for a GPU that multiplies matrices, and `cudnn` for one with convolutions,
    where the library can be opened here. With `none` the module has no libraries
    afterwards, with `cublaslt`, `cudnn` or `cublaslt,cudnn` it has these.

    #### Input
    Any module.

    #### Output
    The same module with `tc.target`.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {}
    ```

    #### After
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {}
    ```

    #### Limits
    A target that the module names already stays, whatever the option says.
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"",
                        "what code is generated for: cpu, cpu:NAME or cuda:sm_NN">,
                 Option<"libraries", "libraries", "std::string", "\"\"",
                        "libraries of the target that kernels may call: none, host for those of this machine, or "
                        "cublaslt, cudnn or cublaslt,cudnn; empty for those that the module lists">];
  let dependentDialects = ["::tc::TCDialect"];
}

def TCEndPhasePass : Pass<"tc-end-phase", "::mlir::ModuleOp"> {
  let summary = "record that a phase has run";
  let description = [{
    Every phase ends with this pass, after its verifier: it sets the module's
    `tc.phase`, from which tc-run and `--tc-pipeline` go on.

    #### Input
    A module that the phase's verifier accepted.

    #### Output
    The module with `tc.phase`.

    #### Before
    ```mlir
    module {}
    ```

    #### After
    ```mlir
    module attributes {tc.phase = "simplify"} {}
    ```

    #### Limits
    None.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"simplify\"", "name of the phase that has run">];
}

def TCVerifyImportPass : Pass<"tc-verify-import", "::mlir::ModuleOp"> {
  let summary = "check that the graph is tc ops on tensors of declared sizes";
  let description = [{
    What phase import promises:

    - the module holds functions, dispatches and declarations of parameters;
    - no captured call, `tc.aten`, is left, and no `tc.random` marked
      `each_iteration`;
    - a function's ops are of the dialects tc and func, and none of them is one
      that phases bufferize or generate make;
    - all values outside of kernels are tensors, whose symbols `tc.symbols`
      declares;
    - a guard is about arguments of its function, or about sizes alone;
    - a result with `tc.mutates` has the type of the argument or parameter that
      it replaces.

    #### Input
    A module after phase import.

    #### Output
    The same module.

    #### Before
    ```mlir
    func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>>
        attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      %0 = tc.exp %x : tensor<?xf32, #tc.sizes<[s0]>>
      return %0 : tensor<?xf32, #tc.sizes<[s0]>>
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>>
        attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      %0 = tc.exp %x : tensor<?xf32, #tc.sizes<[s0]>>
      return %0 : tensor<?xf32, #tc.sizes<[s0]>>
    }
    ```

    #### Limits
    That every `tc.parameter` names a declaration of its type is checked by the
    op itself.
  }];
}

def TCVerifySimplifyPass : Pass<"tc-verify-simplify", "::mlir::ModuleOp"> {
  let summary = "check that only ops are left that phase fuse takes";
  let description = [{
    What phase simplify promises: every op of a function is one that
    `convert-tc-to-kernel` converts to a kernel, or one that may be next to
    kernels, on tensors. Of the composites that is softmax, layer norm, RMS
    norm, attention, convolution, pooling and sorting; the others are
    decomposed, pads are constant, and no `tc.aten` is left.

    #### Input
    A module after phase simplify.

    #### Output
    The same module.

    #### Before
    ```mlir
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tc.softmax %x dim 1 : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tc.softmax %x dim 1 : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    #### Limits
    What `convert-tc-to-kernel` refuses by its sizes, such as a symbolic ratio
    of heads, is refused there. That accesses are inside of their buffers is
    checked on kernels, by `tc-verify-fuse`.
  }];
}

def TCVerifyGeneratePass : Pass<"tc-verify-generate", "::mlir::ModuleOp"> {
  let summary = "check that host functions only launch and kernels hold no tc op";
  let description = [{
    What phase generate promises: a public function is a list of buffers and
    `tc.launch`es, every launch names a private function of a kernel's type, and
    no `tc` op is left in a kernel function.

    #### Input
    A module after phase generate.

    #### Output
    The same module.

    #### Before
    ```mlir
    func.func @main(%x: memref<4xf32>) {
      %0 = tc.output_buffer 0 : memref<4xf32>
      tc.launch @kernel count <4> grain <1>(%x, %0) : memref<4xf32>, memref<4xf32>
      return
    }
    func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<4xf32>) {
      %0 = tc.output_buffer 0 : memref<4xf32>
      tc.launch @kernel count <4> grain <1>(%x, %0) : memref<4xf32>, memref<4xf32>
      return
    }
    func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      return
    }
    ```

    #### Limits
    What a kernel computes is not looked at.
  }];
}

def TCVerifyEmitPass : Pass<"tc-verify-emit", "::mlir::ModuleOp"> {
  let summary = "check that only the llvm dialect is left, with host functions of the C ABI";
  let description = [{
    What phase emit promises: every op is of the llvm dialect or a
    `tc.parameter_source`, and a function with `tc.signature` takes a pointer
    and returns an i32.

    #### Input
    A module after phase emit.

    #### Output
    The same module.

    #### Before
    ```mlir
    llvm.func @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      llvm.return
    }
    ```

    #### After
    ```mlir
    llvm.func @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      llvm.return
    }
    ```

    #### Limits
    The layout of the C ABI is checked by the compiler that builds TC.
  }];
}

#endif // TC_TRANSFORMS_PASSES
