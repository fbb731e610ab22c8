//===- Passes.td - Passes of the compiler -----------------------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_PASSES
#define TC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

include "TC/Transforms/Decompositions.td"
include "TC/Transforms/Simplifications.td"
include "TC/Transforms/FusionPasses.td"
include "TC/Transforms/SchedulePasses.td"
include "TC/Transforms/ParameterPasses.td"
include "TC/Transforms/Specializations.td"

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
    blocks of contractions are as many as keep them busy.

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
                        "what code is generated for: cpu, cpu:NAME or cuda:sm_NN">];
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

def TCBufferizeKernelsPass : Pass<"tc-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "put kernels on memrefs and write results where the caller wants them";
  let description = [{
    Tensors become row-major memrefs. A kernel's `tc.empty` destination becomes
    a `tc.buffer`, or the `tc.output_buffer` of the result that the kernel
    computes; a destination with elements is copied first, unless it is a
    kernel's result that nothing else reads. A reshape is the same memory. A
    constant is a `memref.global`. What cannot be written in place is copied by
    a kernel named "copy": an argument, parameter or constant that is returned,
    and a value returned a second time. Each is a remark. Both branches of a
    `tc.if` write to the buffers of its results; their own intermediates are
    buffers of the function.

    The function then has no results. Their types are kept as
    `tc.result_types`, what they replace as `mutates` of `tc.signature`.

    #### Input
    Functions of one block of `tc.kernel`, `tc.empty`, `tc.reshape`, `tc.if`,
    `tc.parameter`, `tc.constant` and `tc.guard`, after phase fuse.

    #### Output
    No tensor is left; a `tc.buffer` for each intermediate.

    #### Before
    ```mlir
    func.func @main(%x: tensor<2x4xf32>) -> tensor<8xf32> {
      %d = tc.empty : tensor<2x4xf32>
      %n = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 4>] ins(%a = %x : tensor<2x4xf32>) outs(%o = %d : tensor<2x4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<2x4xf32> -> f32
        %w = tc.neg %v : f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<2x4xf32>
      }
      %e = tc.empty : tensor<4x2xf32>
      %t = tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 2>] ins(%a = %n : tensor<2x4xf32>) outs(%o = %e : tensor<4x2xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : tensor<2x4xf32> -> f32
        tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x2xf32>
      }
      %r = tc.reshape %t : tensor<4x2xf32> -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<2x4xf32>) attributes {tc.result_types = [tensor<8xf32>]} {
      %y = tc.output_buffer 0 : memref<8xf32>
      %n = tc.buffer : memref<2x4xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 4>] ins(%a = %x : memref<2x4xf32>) outs(%o = %n : memref<2x4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<2x4xf32> -> f32
        %w = tc.neg %v : f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<2x4xf32>
      }
      %t = tc.buffer_reshape %y : memref<8xf32> -> memref<4x2xf32>
      tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 2>] ins(%a = %n : memref<2x4xf32>) outs(%o = %t : memref<4x2xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : memref<2x4xf32> -> f32
        tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x2xf32>
      }
      return
    }
    ```

    #### Limits
    Calls are refused. A mutated argument is a result like any other; whoever
    calls puts it in place.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def TCPlanKernelOrderPass : Pass<"tc-plan-kernel-order", "::mlir::func::FuncOp"> {
  let summary = "reorder kernels so that less memory is live at once";
  let description = [{
    Tries two orders that respect what reads and writes what: one where next is
    always the kernel that leaves the least memory taken, and one where a kernel
    comes right before what needs it. The better one is taken when it lowers the
    peak of live intermediates by more than 1/64; else the order stays, which
    tends to read what has just been made.

    #### Input
    Kernels on memrefs, intermediates as `tc.buffer`.

    #### Output
    The same kernels, perhaps in another order, behind all buffers and views.

    #### Before
    ```mlir
    func.func @main(%x: memref<1024xf32>, %y: memref<1024xf32>) {
      %a = tc.buffer : memref<1024xf32>
      %b = tc.buffer : memref<1024xf32>
      %c = tc.buffer : memref<16xf32>
      %d = tc.buffer : memref<16xf32>
      tc.kernel "a" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %a : memref<1024xf32>) {}
      tc.kernel "b" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %b : memref<1024xf32>) {}
      tc.kernel "c" custom dims [] ins(%i = %a : memref<1024xf32>) outs(%o = %c : memref<16xf32>) {}
      tc.kernel "d" custom dims [] ins(%i = %b : memref<1024xf32>) outs(%o = %d : memref<16xf32>) {}
      tc.kernel "e" custom dims [] ins(%i = %c : memref<16xf32>, %j = %d : memref<16xf32>) outs(%o = %y : memref<1024xf32>) {}
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<1024xf32>, %y: memref<1024xf32>) {
      %a = tc.buffer : memref<1024xf32>
      %b = tc.buffer : memref<1024xf32>
      %c = tc.buffer : memref<16xf32>
      %d = tc.buffer : memref<16xf32>
      tc.kernel "a" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %a : memref<1024xf32>) {}
      tc.kernel "c" custom dims [] ins(%i = %a : memref<1024xf32>) outs(%o = %c : memref<16xf32>) {}
      tc.kernel "b" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %b : memref<1024xf32>) {}
      tc.kernel "d" custom dims [] ins(%i = %b : memref<1024xf32>) outs(%o = %d : memref<16xf32>) {}
      tc.kernel "e" custom dims [] ins(%i = %c : memref<16xf32>, %j = %d : memref<16xf32>) outs(%o = %y : memref<1024xf32>) {}
      return
    }
    ```

    #### Limits
    Two heuristics, no search. Symbolic sizes are compared at the largest value
    of the symbols.
  }];
}

def TCAssignBuffersInPlacePass : Pass<"tc-assign-buffers-in-place", "::mlir::func::FuncOp"> {
  let summary = "write a kernel's output over an input that dies there";
  let description = [{
    An intermediate whose last reader is a pointwise kernel gives its memory to
    the kernel's output when each of its elements is read only at the point
    that writes that element: equal types, equal maps that send each point of
    the domain to an element of its own. When the output is the caller's
    storage, the intermediate lives there from the begin.

    Attention that a CPU computes tile by tile of its query rows writes a row's
    result over the row's queries, where the two lie at the same elements, column
    by column, and nothing else reads them.

    #### Input
    Kernels on memrefs, intermediates as `tc.buffer`.

    #### Output
    Fewer `tc.buffer`s; kernels with an input and an output that are one buffer.

    #### Before
    ```mlir
    func.func @main(%x: memref<32xf32>) {
      %y = tc.output_buffer 0 : memref<32xf32>
      %b = tc.buffer : memref<32xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %b : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<32xf32>) {
      %y = tc.output_buffer 0 : memref<32xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %y : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      return
    }
    ```

    #### Limits
    Other kernels with a reduction, contraction, scan or sort keep input and
    output apart, and so do element types that differ. Queries that lie head by
    head keep apart from a result that lies row by row.
  }];
}

def TCPlanMemoryPass : Pass<"tc-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "give every intermediate an offset in one arena";
  let description = [{
    A `tc.buffer` is live from the first kernel that names it to the last.
    Buffers that are live together get places that do not overlap, by greedy
    best fit in several orders and then local search, until the arena is as
    small as what is live at one kernel or the effort is spent.

    With symbolic sizes the plan is made at samples of the symbols' ranges. It
    says which of two buffers lies above the other, and an offset is the largest
    end of what lies below, as an expression: no two overlap, whatever the
    symbols are.

    `tc.memory_plan` tells how many buffers there are, the bytes planned and the
    `peak`: the most bytes live at one kernel, below which no plan can be; with
    symbolic sizes at the values `at`. The same is a remark.

    #### Input
    Kernels on memrefs, intermediates as `tc.buffer`.

    #### Output
    One `tc.arena` and a `tc.arena_view` for each intermediate.

    #### Before
    ```mlir
    func.func @main(%x: memref<32xf32>) {
      %y = tc.output_buffer 0 : memref<32xf32>
      %b = tc.buffer : memref<32xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %b : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<32xf32>) attributes {tc.memory_plan = {buffers = 1 : i64, peak = 128 : i64, planned = 128 : i64}} {
      %y = tc.output_buffer 0 : memref<32xf32>
      %arena = tc.arena <128> : memref<128xi8>
      %b = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<32xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %b : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      return
    }
    ```

    #### Limits
    Outputs are not used for intermediates that die before they are written.
    Sizes that depend on data have no range and are not planned well.
  }];
}

def TCVerifyBufferizePass : Pass<"tc-verify-bufferize", "::mlir::func::FuncOp"> {
  let summary = "check that nothing is a tensor and that no two live buffers overlap";
  let description = [{
    What phase bufferize promises, checked from the IR alone: no tensor and no
    `tc.buffer` is left, each result has one `tc.output_buffer`, offsets are
    multiples of 64 inside the arena, views that are live at a common kernel do
    not overlap, and no kernel writes over an input that it reads again. Symbolic
    plans are checked at the smallest, a middle and the
    largest value of the symbols.

    #### Input
    Functions after phase bufferize.

    #### Output
    The same functions.

    #### Before
    ```mlir
    func.func @main(%x: memref<4xf32>) attributes {tc.result_types = []} {
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<4xf32>) attributes {tc.result_types = []} {
      return
    }
    ```

    #### Limits
    A symbolic plan is proved by its construction, not here.
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
      tc.launch @kernel count <4> grain 1(%x, %0) : memref<4xf32>, memref<4xf32>
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
      tc.launch @kernel count <4> grain 1(%x, %0) : memref<4xf32>, memref<4xf32>
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
