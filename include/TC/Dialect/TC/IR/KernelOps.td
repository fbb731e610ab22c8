//===- KernelOps.td - Kernels in normal form --------*- tablegen -*-===//

#ifndef TC_KERNEL_OPS
#define TC_KERNEL_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_SizeExprArrayAttr : TypedArrayAttrBase<TC_SizeExprAttr, "array of size expressions">;

def TC_KernelOp : TC_Op<"kernel", [IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock, NoTerminator]> {
  let summary = "one launch: stages over an iteration domain";
  let description = [{
    The normal form that `fuse` ends with and every code generator starts from.
    `dims` is the iteration domain: named dimensions, each `parallel` or
    `reduced`, with a size expression. `ins` and `outs` are the buffers, in
    destination-passing style: tensors (one result each of `outs`) or, after
    bufferize, memrefs (no results); the body is the same for both.

    The affine symbols of the index maps and sets in the body stand for
    `symbols`: symbols of the function, and expressions that no index map can
    have, of a minimum or a maximum (`symbols [#tc.expr<s0>, #tc.expr<min(s1,
    4)>]`). None of them is a constant or there twice.

    A value in the body is a scalar at a point of the domain. It varies over a
    set of dimensions: those a `tc.read`'s or `tc.index`'s map uses, the union
    of the operands' for a pointwise op, less the reduced ones for a reduction.
    A dimension is `reduced` when no `tc.write` varies over it.

    Every value is computed in the order of the block and has no side effect
    but `tc.write`. No element of a buffer is both read and written by
    different points, except that a buffer may be updated in place where the
    read and the write maps are equal; `tc-verify-bufferize` checks it.
    `writes_over_input` lists the numbers of the inputs that share memory with
    an output; phase generate, whose code for such a kernel may differ, sets it.

    A sort or a routine on memrefs has a `workspace`, bytes that its tasks share
    out and that no access of the body names: `workspace(%w = %bytes :
    memref<6400xi8>)` behind `outs`. `tc-assign-workspaces` gives it one of the
    size that its schedule asks for, and `tc-plan-memory` a place.

    Example:
    ```mlir
    %r = tc.kernel "softmax" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>]
        ins(%a = %x : tensor<4x8xf32>) outs(%o = %init : tensor<4x8xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
      %m = tc.reduce_stage max %v over [1] : f32 -> f32
      %s = tc.sub %v, %m : f32
      %e = tc.exp %s : f32
      %t = tc.reduce_stage sum %e over [1] : f32 -> f32
      %q = tc.div %e, %t : f32
      tc.write %q, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, TC_KernelClassAttr:$kernelClass, ArrayAttr:$dims,
                       DefaultValuedAttr<TC_SizeExprArrayAttr, "{}">:$symbols, OptionalAttr<TC_ScheduleAttrInterface>:$schedule,
                       OptionalAttr<DenseI64ArrayAttr>:$writes_over_input,
                       Variadic<TC_Buffer>:$ins, Variadic<TC_Buffer>:$outs,
                       Optional<MemRefRankOf<[I8], [1]>>:$workspace);
  let results = (outs Variadic<TC_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::tc::KernelClass":$kernelClass,
                   "::llvm::ArrayRef<::tc::DimAttr>":$dims, "::mlir::ValueRange":$ins,
                   "::mlir::ValueRange":$outs)>
  ];
  let extraClassDeclaration = [{
    unsigned getNumDims() { return getDims().size(); }
    DimAttr getDim(unsigned index) { return ::llvm::cast<DimAttr>(getDims()[index]); }
    ::tc::SizeExprAttr getDimSize(unsigned index) { return getDim(index).getSize(); }
    /// What affine symbol `index` stands for.
    ::tc::SizeExprAttr getSymbol(unsigned index) {
      return ::llvm::cast<::tc::SizeExprAttr>(getSymbols()[index]);
    }
    ::mlir::Block &getBodyBlock() { return getBody().front(); }
    bool hasBufferSemantics() { return getNumResults() == 0; }
    /// The block argument of `ins[index]` or `outs[index]`.
    ::mlir::BlockArgument getInArgument(unsigned index) { return getBodyBlock().getArgument(index); }
    ::mlir::BlockArgument getOutArgument(unsigned index) {
      return getBodyBlock().getArgument(getIns().size() + index);
    }
    /// The block argument of `workspace`; null where there is none.
    ::mlir::BlockArgument getWorkspaceArgument() {
      return getWorkspace() ? getBodyBlock().getArguments().back() : ::mlir::BlockArgument();
    }
    /// Gives a kernel on memrefs that has none a workspace.
    void addWorkspace(::mlir::Value workspace);
  }];
}

/// An access: an index map over the kernel's dimensions, then `indices`.
class TC_AccessOp<string mnemonic, list<Trait> traits = []>
    : TC_Op<mnemonic, !listconcat([HasParent<"KernelOp">], traits)> {
  let hasVerifier = 1;
}

def TC_ReadOp : TC_AccessOp<"read", [Pure]> {
  let summary = "the element of a buffer at an index map";
  let description = [{
    `map` takes the kernel's dimensions, then one dimension for each of
    `indices` (values of the body, checked against the buffer's sizes: an index
    out of range is an error of the call), and the kernel's `symbols`, to the
    buffer's indices. Outside the set `within` (over the kernel's dimensions)
    nothing is read and the value is zero.

    Example: `%v = tc.read %a[affine_map<(d0, d1, d2) -> (d2, d1)>] at %i : tensor<4x8xf32> -> f32`
  }];
  let arguments = (ins TC_Buffer:$source, AffineMapAttr:$map, Variadic<AnyTypeOf<[I<32>, I<64>]>>:$indices,
                       OptionalAttr<IntegerSetAttr>:$within);
  let results = (outs TC_Element:$result);
  let assemblyFormat = [{
    $source `[` $map `]` (`at` $indices^ `:` type($indices))? (`within` $within^)? attr-dict
    `:` type($source) `->` type($result)
  }];
}

def TC_WriteOp : TC_AccessOp<"write"> {
  let summary = "put a value into a buffer at an index map";
  let description = [{
    As `tc.read`, the other way. `combine` other than `replace` folds the value
    into the one in place, in the row-major order of the domain (scatter).

    Example: `tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>`
  }];
  let arguments = (ins TC_Element:$value, TC_Buffer:$destination, AffineMapAttr:$map,
                       Variadic<AnyTypeOf<[I<32>, I<64>]>>:$indices, OptionalAttr<IntegerSetAttr>:$within,
                       DefaultValuedAttr<TC_CombineKindAttr, "::tc::CombineKind::Replace">:$combine);
  let assemblyFormat = [{
    $value `,` $destination `[` $map `]` (`at` $indices^ `:` type($indices))? (`within` $within^)?
    (`combine` `` $combine^)? attr-dict `:` type($value) `,` type($destination)
  }];
  let extraClassDeclaration = [{
    /// Whether two points may meet at one element: it has indices or combines.
    bool isScatter() {
      return !getIndices().empty() || getCombine() != ::tc::CombineKind::Replace;
    }
  }];
}

def TC_DimIndexOp : TC_AccessOp<"index", [Pure]> {
  let summary = "an index expression as a value";
  let description = [{
    `map` has one result over the kernel's dimensions and symbols.

    Example: `%i = tc.index affine_map<(d0, d1) -> (d1 + 3)> : i64`
  }];
  let arguments = (ins AffineMapAttr:$map);
  let results = (outs AnyTypeOf<[I<32>, I<64>]>:$result);
  let assemblyFormat = "$map attr-dict `:` type($result)";
}

def TC_WithinOp : TC_AccessOp<"within", [Pure]> {
  let summary = "whether the point is in a set";
  let description = [{
    Example: `%c = tc.within affine_set<(d0, d1) : (d0 - d1 >= 0)> : i1`
  }];
  let arguments = (ins IntegerSetAttr:$set);
  let results = (outs I1:$result);
  let assemblyFormat = "$set attr-dict `:` type($result)";
}

def TC_ScalarOp : TC_AccessOp<"scalar", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant in a kernel";
  let description = [{
    Example: `%c = tc.scalar 2.0 : f32`
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs TC_Element:$result);
  let hasVerifier = 0;
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def TC_SizeScalarOp : TC_AccessOp<"size_scalar", [Pure]> {
  let summary = "the value of a size expression in a kernel";
  let description = [{
    Example: `%c = tc.size_scalar <s0 * 4> : i64`
  }];
  let arguments = (ins TC_SizeExprAttr:$size);
  let results = (outs I64:$result);
  let hasVerifier = 0;
  let assemblyFormat = "$size attr-dict `:` type($result)";
}

def TC_ReduceStageOp : TC_AccessOp<"reduce_stage", [Pure]> {
  let summary = "fold a value over dimensions of the domain";
  let description = [{
    A monoid over a tuple of states. `sum`, `prod`, `max`, `min`, `all`, `any`
    have one result of the operand's type. `argmax` and `argmin` have two: the
    extreme value and its row-major index within `over` as i64. `welford` has
    two: the mean and the sum of squared deviations from it. The order is fixed
    by the domain's sizes and the schedule, never by the number of threads.
    `over` may name dimensions the operand does not vary over: it counts once
    for each of their points.

    Example: `%m = tc.reduce_stage max %v over [1] : f32 -> f32`
  }];
  let arguments = (ins TC_ReductionKindAttr:$kind, TC_Computable:$value, DenseI64ArrayAttr:$over);
  let results = (outs Variadic<TC_Computable>:$results);
  let assemblyFormat = "``$kind $value `over` $over attr-dict `:` type($value) `->` type($results)";
}

def TC_ContractStageOp : TC_AccessOp<"contract_stage", [Pure]> {
  let summary = "sum of products over dimensions of the domain";
  let description = [{
    The sum over `over` of lhs times rhs. For bf16 and f16 operands, and for those
    of f8E4M3FN or f8E5M2 each, the result is f32; with `fast`, sums of products
    of floats of 8 bits may have the fewer bits that tensor cores keep. What is computed before its operands is the prologue, what uses its
    result the epilogue, of one contraction.

    Example: `%c = tc.contract_stage %a, %b over [2] : f32, f32 -> f32`
  }];
  let arguments = (ins TC_Multiplied:$lhs, TC_Multiplied:$rhs, DenseI64ArrayAttr:$over, UnitAttr:$fast);
  let results = (outs TC_Numeric:$result);
  let assemblyFormat = "$lhs `,` $rhs `over` $over (`fast` $fast^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def TC_ScanStageOp : TC_AccessOp<"scan_stage", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "running fold of a value along a dimension";
  let description = [{
    At point i of dimension `along`, the fold of the operand at points 0 to i
    with `sum`, `prod`, `max` or `min`.

    Example: `%s = tc.scan_stage sum %v along 1 : f32`
  }];
  let arguments = (ins TC_ReductionKindAttr:$kind, TC_Numeric:$value, I64Attr:$along);
  let results = (outs TC_Numeric:$result);
  let assemblyFormat = "``$kind $value `along` $along attr-dict `:` type($result)";
}

def TC_SortStageOp : TC_AccessOp<"sort_stage", [Pure]> {
  let summary = "a value in order along a dimension";
  let description = [{
    At point i of dimension `along`, the i-th of the operand's values along it
    and the index it came from. Stable; NaN is largest.

    Example: `%v, %i = tc.sort_stage %x along 1 : f32 -> f32, i64`
  }];
  let arguments = (ins TC_Computable:$value, I64Attr:$along, UnitAttr:$descending);
  let results = (outs TC_Computable:$sorted, I64:$origin);
  let assemblyFormat = "$value `along` $along attr-dict `:` type($value) `->` type($sorted) `,` type($origin)";
}

//===----------------------------------------------------------------------===//
// After bufferize
//===----------------------------------------------------------------------===//

def TC_BufferOp : TC_Op<"buffer"> {
  let summary = "an intermediate that has no place yet";
  let description = [{
    Row-major memory of its own, from the first kernel that names it to the
    last. `tc-plan-memory` replaces it by a part of the arena.

    Example: `%b = tc.buffer : memref<?x8xf32, #tc.sizes<[s0, 8]>>`
  }];
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TC_ArenaOp : TC_Op<"arena"> {
  let summary = "the memory of a function's intermediates";
  let description = [{
    Its size in bytes is an expression. One a function, and a further one after
    a `tc.size_from` for the intermediates whose sizes name its symbol;
    `tc-verify-bufferize` counts them.

    Example: `%a = tc.arena <s0 * 4096> : memref<?xi8>`
  }];
  let arguments = (ins TC_SizeExprAttr:$bytes);
  let results = (outs MemRefRankOf<[I8], [1]>:$result);
  let assemblyFormat = "$bytes attr-dict `:` type($result)";
}

def TC_ArenaViewOp : TC_Op<"arena_view", [Pure]> {
  let summary = "an intermediate: a buffer at an offset of the arena";
  let description = [{
    Offset in bytes in the arena, or in a result that is not written yet and is
    given as bytes. It is a multiple of 64, the view ends inside, and views
    overlap only where the last use of one comes before the first of the other:
    `tc-verify-bufferize` checks all three. From
    phase generate on, a view may also be a part of another: the slice of an
    intermediate that a kernel reads.

    Example: `%b = tc.arena_view %a offset <s0 * 1024> : memref<?xi8> -> memref<?x8xf32, #tc.sizes<[s0, 8]>>`
  }];
  let arguments = (ins MemRefRankOf<[I8], [1]>:$arena, TC_SizeExprAttr:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$arena `offset` $offset attr-dict `:` type($arena) `->` type($result)";
}

def TC_OutputBufferOp : TC_Op<"output_buffer", [Pure,
    OptionalTypesMatchWith<"the output is written over memory of its own type",
                           "result", "over", "$_self">]> {
  let summary = "the storage of a function's output";
  let description = [{
    Row-major, of the result's sizes, which `tc-verify-bufferize` compares;
    provided by the runtime or the caller. With `over`, an argument of the
    function, it is the memory of that argument, whose old elements nothing
    reads once the output is written; the function gives the caller the
    argument itself as the output.

    `may_overwrite` is the number of an argument that
    `tc-assign-buffers-in-place` may choose for `over`.

    Examples:
    ```mlir
    %b = tc.output_buffer 0 : memref<4x8xf32>
    %c = tc.output_buffer 1 over %arg0 : memref<8xf32>
    ```
  }];
  let arguments = (ins I64Attr:$index, Optional<AnyMemRef>:$over,
                       OptionalAttr<I64Attr>:$may_overwrite);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$index (`over` $over^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TC_BufferReshapeOp : TC_Op<"buffer_reshape", [Pure]> {
  let summary = "a contiguous buffer with other sizes";
  let description = [{
    Of as many bytes; the element type may be another one. Where the sizes are
    symbolic, tc-verify-bufferize proves that the result ends where the operand
    does.

    Example: `%b = tc.buffer_reshape %a : memref<4x8xf32> -> memref<32xf32>`
  }];
  let arguments = (ins AnyMemRef:$x);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def TC_LaunchOp : TC_Op<"launch"> {
  let summary = "run a generated kernel";
  let description = [{
    Calls the kernel function `kernel` over the iterations [0, `count`) in
    tasks of at least `grain`, on the threads of the call; how much work an
    iteration is may depend on symbolic sizes. The function is
    `(%context: !llvm.ptr, %begin: i64, %end: i64)`; the context is an array of
    8-byte slots: the data pointers of `buffers`, the values of `sizes`, which
    are `#tc.expr`s, and a pointer to an i64 status. The kernel of a launch with
    `may_fail` sets that status to 1 for an index out of range and to 2 for a
    singular matrix. Behind the status is, for a launch with `calls_routines`,
    the address of the runtime's routines.

    With `threads` the kernel is a `gpu.module`, `count` its blocks and
    `threads` the threads of a block. `cluster` is the blocks of a cluster, of
    which `count` is a multiple; `shared_bytes` is the dynamic shared memory of a
    block. With `programmatic` the kernel may start while the launch before it
    still runs: it waits for that one itself, before it touches memory. Behind the
    status is, for a launch with `uses_counters`, the address of 65536 numbers of 32
    bits that are 0 and that the kernel leaves 0: by them its blocks find out which
    of them is the last.
    With `aligned_buffers` every buffer begins at a multiple of 16 bytes: inputs of the
    function that do not are copied before its first launch.
    `tensor_maps` are the views of buffers whose boxes the kernel copies. It is
    given each as 128 bytes by value, before the buffers: its first arguments
    are of type `!llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x
    i64>}`.

    With `on_host` the function runs on the host though the buffers are a GPU's:
    [inputs, outputs] says how many of `buffers` the kernel reads and how many,
    after them, it writes. Both are copied to the host once all launches before
    have ended, and the outputs back; further buffers are workspace, which the
    host gets its own of.

    Example: `tc.launch @softmax count <s0> grain <8> (%x, %y) sizes [#tc.expr<s0>] : memref<?x8xf32, #tc.sizes<[s0, 8]>>, memref<?x8xf32, #tc.sizes<[s0, 8]>>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, TC_SizeExprAttr:$count, TC_SizeExprAttr:$grain,
                       Variadic<AnyMemRef>:$buffers, DefaultValuedAttr<ArrayAttr, "{}">:$sizes,
                       OptionalAttr<I64Attr>:$threads, UnitAttr:$may_fail, UnitAttr:$calls_routines,
                       OptionalAttr<I64Attr>:$cluster, OptionalAttr<I64Attr>:$shared_bytes,
                       UnitAttr:$programmatic, UnitAttr:$uses_counters, UnitAttr:$aligned_buffers,
                       OptionalAttr<DenseI64ArrayAttr>:$on_host,
                       DefaultValuedAttr<TypedArrayAttrBase<TC_TensorMapAttr, "array of tensor maps">, "{}">:$tensor_maps);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kernel `count` $count `grain` $grain `(` $buffers `)` (`sizes` $sizes^)?
    (`tensor_maps` $tensor_maps^)? attr-dict (`:` type($buffers)^)?
  }];
  let extraClassDeclaration = [{
    /// Slots of the context: buffers, sizes, the status and the counters.
    int64_t countSlots() {
      return int64_t(getBuffers().size() + getSizes().size()) + 1 + getUsesCounters();
    }
    /// The tensor maps as what they are.
    auto getTensorMapAttrs() {
      return getTensorMaps().getAsRange<::tc::TensorMapAttr>();
    }
    /// The type of the elements of the buffer that `map` is a view of.
    ::mlir::Type getElementType(::tc::TensorMapAttr map) {
      return ::mlir::cast<::mlir::MemRefType>(
                 getBuffers()[map.getBuffer()].getType()).getElementType();
    }
  }];
}

#endif // TC_KERNEL_OPS
