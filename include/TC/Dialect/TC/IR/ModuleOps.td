//===- ModuleOps.td - Captured calls, parameters and control flow --------*- tablegen -*-===//

#ifndef TC_MODULE_OPS
#define TC_MODULE_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def TC_AtenOp : TC_Op<"aten"> {
  let summary = "a captured call of an ATen overload";
  let description = [{
    One op for one call of the captured graph, before anything is decided.
    `operands` are the tensors of the call in order; `arguments` has every
    argument of the overload by name: `#tc.operand<i>` where it is operand i, an
    array of those for lists of tensors, `unit` for None, else a literal (i64,
    f64, bool, string, type for a dtype, `#tc.expr` for a symbolic size, or an
    array of these). The source line is the op's location. `numbers` lists the
    operands, 0-d tensors, that are Python numbers in the call, as what `item`
    gives; promotion of types treats them so. A data-dependent
    symbol that a result's type is the first to name is made by the call: its
    conversion puts a `tc.size_from` there.

    Example: `%r = tc.aten "aten.add.Tensor"(%x, %y) {self = #tc.operand<0>, other = #tc.operand<1>, alpha = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins StrAttr:$target, Variadic<TC_Tensor>:$inputs, DictionaryAttr:$arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$numbers);
  let results = (outs Variadic<TC_Tensor>:$results);
  let assemblyFormat = "$target `(` $inputs `)` $arguments attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

def TC_ParameterSourceOp : TC_Op<"parameter_source", [Symbol]> {
  let summary = "where a weight, buffer or constant is stored";
  let description = [{
    Declares a parameter of the module: its type, the file that holds its
    elements, the byte offset there, the strides in elements when not
    contiguous, and a content hash. The elements are never in the IR; a file
    may be replaced at run time (`--parameters`). `role` is parameter, buffer
    or constant.

    Example: `tc.parameter_source @fc.weight : tensor<16x8xf32> {file = "m.pt2", offset = 640 : i64, role = "parameter"}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, StrAttr:$file, I64Attr:$offset,
                       OptionalAttr<DenseI64ArrayAttr>:$strides, OptionalAttr<StrAttr>:$hash, StrAttr:$role);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def TC_ParameterOp : TC_Op<"parameter", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a declared parameter";
  let description = [{
    Its type is the declaration's, or after bufferize the memref of its sizes.

    Example:
    ```mlir
    tc.parameter_source @fc.weight : tensor<16x8xf32> {file = "m.pt2", offset = 640 : i64, role = "parameter"}
    func.func @weight() -> tensor<16x8xf32> {
      %w = tc.parameter @fc.weight : tensor<16x8xf32>
      return %w : tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source);
  let results = (outs TC_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def TC_GuardOp : TC_Op<"guard"> {
  let summary = "something that capture assumed of the inputs";
  let description = [{
    Checked on entry, before anything is computed; a miss names the guard, the
    expected and the actual value and `origin`. What is checked of the operand
    is `kind`: rank, dtype and device equal `value`; a size, stride or scalar at
    `dim` equals `expr`, is in [`min`, `max`], or is a multiple of `divisor`;
    the data is contiguous, aligned to `divisor` bytes, or does not overlap the
    second operand's. A `scalar` guard without an operand is about `expr` alone:
    its value is in [`min`, `max`]; one that names data-dependent symbols is
    checked at the op, after their `tc.size_from`. Labels: guard_rank, guard_dtype, guard_device,
    guard_size_equal, guard_size_range, guard_size_multiple, guard_stride,
    guard_contiguous, guard_alignment, guard_scalar, guard_no_alias,
    guard_identity.

    Example: `tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, max = 64 : i64, origin = "range_constraints"} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>`
  }];
  let arguments = (ins TC_GuardKindAttr:$kind, Variadic<TC_Buffer>:$inputs, OptionalAttr<I64Attr>:$dim,
                       OptionalAttr<AnyAttr>:$value, OptionalAttr<TC_SizeExprAttr>:$expr, OptionalAttr<I64Attr>:$min,
                       OptionalAttr<I64Attr>:$max, OptionalAttr<I64Attr>:$divisor, OptionalAttr<StrAttr>:$origin);
  let assemblyFormat = "``$kind `(` $inputs `)` attr-dict (`:` type($inputs)^)?";
  let hasVerifier = 1;
}

def TC_SizeGuardOp : TC_Op<"size_guard"> {
  let summary = "something that an op needs of sizes";
  let description = [{
    A precondition of an op of kind `user` that neither the types nor the ranges
    of the symbols prove: `value` compares with `bound` as `relation` says
    (`at_least`, `at_most`, `equal`, `multiple_of`), where `where`, if given, is
    at least 1. A miss is an error of the call at the op's location that says
    what `subject` and `reference`, the names of the two sides, are.

    It holds from the op to the end of its block; what may read or write by it
    comes after it. At the begin of a function it is checked before memory is
    allocated. A version of a `tc.dispatch` has its own.

    Example: `tc.size_guard "tc.topk" needs "'k'" <3> at_most "size 1 of 'x'" <s0>`
  }];
  let arguments = (ins StrAttr:$user, StrAttr:$subject, TC_SizeExprAttr:$value, TC_SizeRelationAttr:$relation,
                       OptionalAttr<StrAttr>:$reference, TC_SizeExprAttr:$bound,
                       OptionalAttr<TC_SizeExprAttr>:$where);
  let assemblyFormat = [{
    $user `needs` $subject $value $relation ($reference^)? $bound (`where` $where^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The condition that it checks.
    ::tc::SizePrecondition getPrecondition();
  }];
}

def TC_YieldOp : TC_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the values of a region";
  let description = [{
    On buffers only the condition of a `tc.while` is yielded.

    Example: `tc.yield %x : tensor<4xf32>`
  }];
  let arguments = (ins Variadic<TC_Buffer>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def TC_IfOp : TC_Op<"if", [NoRegionArguments, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one of two regions, by a condition";
  let description = [{
    `condition` is 0-d. PyTorch: `torch.cond`.

    On buffers it has no results: the kernels of both regions write what is
    needed after it, and the condition is read from memory when it is reached.

    Example: `%r = tc.if %c : tensor<i1> -> tensor<4xf32> { tc.yield %x : tensor<4xf32> } else { tc.yield %y : tensor<4xf32> }`
  }];
  let arguments = (ins AnyTypeOf<[0DTensorOf<[I1]>, MemRefRankOf<[I1], [0]>]>:$condition);
  let results = (outs Variadic<TC_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let extraClassDeclaration = [{
    /// Whether the regions write to buffers.
    bool hasBufferSemantics() { return ::mlir::isa<::mlir::MemRefType>(getCondition().getType()); }
  }];
  let assemblyFormat = "$condition attr-dict `:` type($condition) (`->` type($results)^)? $thenRegion `else` $elseRegion";
  let hasVerifier = 1;
}

def TC_WhileOp : TC_Op<"while", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a region that runs again while a condition holds";
  let description = [{
    `initial` are the carried values of the first iteration. The condition
    region yields a 0-d i1: while it is true, the body region runs and yields the
    carried values of the next iteration, of the same types. The results are the
    carried values for which the condition is false, the initial ones if that is
    so at once. An op whose condition stays true does not end.
    PyTorch: `torch.while_loop`.

    Values from outside are used in both regions as in those of `tc.if`: what a
    loop does not change need not be carried. What it changes has a new value in
    each iteration, which only an argument of a region can name, so both regions
    have one for each carried value.

    On buffers it has no operands, no results and no arguments of regions: the
    carried values are buffers of the function, which are written before the
    loop and by the body. The condition region yields the buffer of the
    condition, which is read from memory when the region has run.

    Example:
    ```mlir
    %n, %last = tc.while carry(%i = %zero : tensor<i64>, %v = %x : tensor<4xf32>) {
      %more = tc.lt %i, %limit : tensor<i64>
      tc.yield %more : tensor<i1>
    } do(%i, %v) {
      %next = tc.add %i, %one : tensor<i64>
      %half = tc.mul %v, %halves : tensor<4xf32>
      tc.yield %next, %half : tensor<i64>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<TC_Tensor>:$initial);
  let results = (outs Variadic<TC_Tensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let builders = [
    /// Both regions have a block with an argument for each initial value.
    OpBuilder<(ins "::mlir::ValueRange":$initial)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Block &getConditionBlock() { return getCondition().front(); }
    ::mlir::Block &getBodyBlock() { return getBody().front(); }
    YieldOp getConditionYield();
    YieldOp getBodyYield();
    /// Whether the regions write to buffers.
    bool hasBufferSemantics();
  }];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TC_MODULE_OPS
