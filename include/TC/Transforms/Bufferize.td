//===- Bufferize.td - Passes of the phase bufferize --------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_BUFFERIZE
#define TC_TRANSFORMS_BUFFERIZE

include "mlir/Pass/PassBase.td"

def TCBufferizeKernelsPass : Pass<"tc-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "put kernels on memrefs and write results to the caller's buffers";
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

    The carried values of a `tc.while` are in the buffers of its results. The
    kernel that makes an initial value writes it there if nothing else reads it,
    else it is copied. The kernel of the body that makes a value of the next
    iteration writes it over the value before if nothing reads that any more;
    other values are copied when the body ends, through a buffer of their own
    where a value that is still to be copied would be overwritten.

    The function then has no results. Their types are kept as
    `tc.result_types`, what they replace as `mutates` of `tc.signature`.

    #### Input
    Functions of one block of `tc.kernel`, `tc.empty`, `tc.reshape`, `tc.if`,
    `tc.while`, `tc.parameter`, `tc.constant` and `tc.guard`, after phase fuse.

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
    tends to read what has just been made. A `tc.size_from` and all of its
    function's kernels stay in their order.

    #### Input
    Kernels on memrefs, intermediates as `tc.buffer`.

    #### Output
    All buffers and views, then the same kernels, perhaps in another order.

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

    An output that may overwrite an argument of the function (`may_overwrite`)
    is the argument's memory (`over`) in the same way, or where its first kernel
    comes after all that read the argument.

    On a CPU, a reduction of rows or columns writes over them too, as a softmax
    or a normalization does: one thread folds a row, then writes it, and while it
    writes a point it reads no other. A scan and a sort are alike. Every element
    has to belong to the row that its thread writes.

    A kernel all of whose outputs are written over inputs uses ordinary stores,
    as the caches have the lines that it has just read, also where its schedule
    says `nontemporal`.

    Attention that a CPU computes tile by tile of its query rows writes a row's
    result over the row's queries, where both have the same elements, column by
    column, and nothing else reads them. So does a contraction of few columns,
    all of which are in one register tile, with its row operand.

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
    Other contractions have inputs and outputs in different buffers, and so have
    kernels whose input and output differ in element type. Of several outputs of
    a kernel one takes an input that no later one needs, unless it needs the same
    element itself. A result that is stored row by row does not overwrite queries
    that are stored head by head.
  }];
}

def TCAssignBuffersToResultsPass : Pass<"tc-assign-buffers-to-results", "::mlir::func::FuncOp"> {
  let summary = "put intermediates into results that are not written yet";
  let description = [{
    A result's memory is idle until the first kernel that names it, or the
    `tc.while` around that kernel if it is named outside of the loop too. Intermediates
    that are dead by then and fit, for all values of the symbols, become views of
    it, as long as that makes the most bytes live at one kernel fewer. Those that
    are live together do not overlap, and begin at multiples of 64 bytes.

    #### Input
    Kernels on memrefs, intermediates as `tc.buffer`.

    #### Output
    Some of the intermediates as a `tc.arena_view` of a result's bytes.

    #### Before
    ```mlir
    func.func @main(%x: memref<32xf32>) {
      %y = tc.output_buffer 0 : memref<32xf32>
      %a = tc.buffer : memref<32xf32>
      %b = tc.buffer : memref<32xf32>
      tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %x : memref<32xf32>) outs(%o = %a : memref<32xf32>) {
        %v = tc.read %i[affine_map<(d0) -> (31 - d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %a : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
        %v = tc.read %i[affine_map<(d0) -> (31 - d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %b : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %i[affine_map<(d0) -> (31 - d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<32xf32>) {
      %y = tc.output_buffer 0 : memref<32xf32>
      %bytes = tc.buffer_reshape %y : memref<32xf32> -> memref<128xi8>
      %a = tc.arena_view %bytes offset <0> : memref<128xi8> -> memref<32xf32>
      %b = tc.buffer : memref<32xf32>
      tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %x : memref<32xf32>) outs(%o = %a : memref<32xf32>) {
        %v = tc.read %i[affine_map<(d0) -> (31 - d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %a : memref<32xf32>) outs(%o = %b : memref<32xf32>) {
        %v = tc.read %i[affine_map<(d0) -> (31 - d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      tc.kernel "reverse" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%i = %b : memref<32xf32>) outs(%o = %y : memref<32xf32>) {
        %v = tc.read %i[affine_map<(d0) -> (31 - d0)>] : memref<32xf32> -> f32
        tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
      }
      return
    }
    ```

    #### Limits
    Storage of the caller's may be aligned to its elements alone: what has wider
    ones stays in the arena. Which intermediates are worth it is decided at the
    largest sizes, and greedily.
  }];
}

def TCAssignWorkspacesPass : Pass<"tc-assign-workspaces", "::mlir::func::FuncOp"> {
  let summary = "give every sort and routine a buffer for what its tasks work on";
  let description = [{
    A sort or a routine keeps the rows or matrices of its tasks in memory of its
    own: as many times the bytes of one task as its `#tc.task_schedule` has tasks,
    or as the kernel has iterations where these are fewer. On a GPU a sort keeps
    two copies of all rows, a scan of segments their folds, and a kernel that
    replaces elements by atomic operations the number of the last point of each.
    The buffer becomes the
    kernel's `workspace`, which the memory plan gives a place like any other
    intermediate.

    #### Input
    Kernels with schedules on memrefs, intermediates as `tc.buffer`.

    #### Output
    Each sort and routine of a CPU has a `workspace`.

    #### Before
    ```mlir
    func.func @main(%x: memref<8x10xf32>) {
      %y = tc.output_buffer 0 : memref<8x10xf32>
      tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 2> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x10xf32> -> f32
        %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
        tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x10xf32>
      }
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%x: memref<8x10xf32>) {
      %y = tc.output_buffer 0 : memref<8x10xf32>
      %bytes = tc.buffer : memref<640xi8>
      tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 2> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) workspace(%w = %bytes : memref<640xi8>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x10xf32> -> f32
        %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
        tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x10xf32>
      }
      return
    }
    ```

    #### Limits
    The workspaces of other kernels are on the stacks of their threads.
  }];
}

def TCPlanMemoryPass : Pass<"tc-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "give every intermediate an offset in one arena";
  let description = [{
    A `tc.buffer` is live from the first kernel that names it to the last; one
    that is named inside and outside of a `tc.while`, during the whole loop.
    Buffers that are live together get places that do not overlap, by greedy
    best fit in several orders and then local search, until the arena is as
    small as what is live at one kernel or the effort is spent.

    With symbolic sizes the plan is made at samples of the symbols' ranges. It
    says which of two buffers has the larger offset, and an offset is the largest
    end of the buffers below it, as an expression: no two overlap, whatever the
    symbols are. Buffers whose sizes name data-dependent symbols are allocated in
    arenas of their own, one after each `tc.size_from`, when their sizes are
    known.

    `tc.memory_plan` tells how many buffers there are, the bytes planned and the
    `peak`: the most bytes live at one kernel, below which no plan can be; with
    symbolic sizes at the values `at`. The same is a remark.

    #### Input
    Kernels on memrefs, intermediates as `tc.buffer`.

    #### Output
    One `tc.arena`, further ones for data-dependent sizes, and a
    `tc.arena_view` for each intermediate.

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
    Data-dependent sizes without a range are planned as if they were up to 1024.
  }];
}

def TCVerifyBufferizePass : Pass<"tc-verify-bufferize", "::mlir::func::FuncOp"> {
  let summary = "check that nothing is a tensor and that no two live buffers overlap";
  let description = [{
    What phase bufferize promises, checked from the IR alone: no tensor and no
    `tc.buffer` is left, each result has one `tc.output_buffer`, offsets are
    multiples of 64 inside the arena, views that are live at a common kernel do
    not overlap, a sort or a routine has a workspace of at least the size that its
    schedule asks for, and no kernel writes over an input that it reads again. Symbolic
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

#endif // TC_TRANSFORMS_BUFFERIZE
