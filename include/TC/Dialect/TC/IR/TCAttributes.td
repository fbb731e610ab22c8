//===- TCAttributes.td - Attributes and enums of tc -------------*- tablegen -*-===//

#ifndef TC_ATTRIBUTES
#define TC_ATTRIBUTES

include "TC/Dialect/TC/IR/GPUScheduleAttributes.td"
include "TC/Dialect/TC/IR/ScheduleAttributes.td"
include "TC/Dialect/TC/IR/TCBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class TC_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TC_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class TC_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}
class TC_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<TC_Dialect, info, mnemonic>;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

def TC_SizeExprKind : TC_Enum<"SizeExprKind", "node of a size expression", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Symbol", 1, "symbol">,
  I32EnumAttrCase<"Sum", 2, "sum">, I32EnumAttrCase<"Product", 3, "product">,
  I32EnumAttrCase<"FloorDiv", 4, "floordiv">, I32EnumAttrCase<"Mod", 5, "mod">,
  I32EnumAttrCase<"Min", 6, "min">, I32EnumAttrCase<"Max", 7, "max">]>;

def TC_SizeExprAttr : TC_Attr<"SizeExpr", "expr"> {
  let summary = "integer expression over named symbols, in canonical form";
  let description = [{
    A size, an offset or a bound: an integer built from constants, symbols,
    `+`, `-`, `*`, `floordiv`, `mod`, `min` and `max`. Expressions are kept in
    one canonical form (a sum of products, sorted), so equal expressions are
    the same attribute. `floordiv` and `mod` round towards minus infinity, as
    in Python.

    Example: `#tc.expr<s0 * 4 + 1>`
  }];
  // Nodes are made by the builders in SizeExpr.h, which keep the form canonical.
  let parameters = (ins "::tc::SizeExprKind":$kind, "int64_t":$value,
                        "::mlir::StringAttr":$symbol,
                        ArrayRefParameter<"::mlir::Attribute">:$operands);
  let skipDefaultBuilders = 0;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Builders; each returns the canonical form.
    static SizeExprAttr constant(::mlir::MLIRContext *context, int64_t value);
    static SizeExprAttr named(::mlir::MLIRContext *context, ::llvm::StringRef name);
    SizeExprAttr add(SizeExprAttr other) const;
    SizeExprAttr sub(SizeExprAttr other) const;
    SizeExprAttr mul(SizeExprAttr other) const;
    SizeExprAttr floorDiv(SizeExprAttr other) const;
    SizeExprAttr ceilDiv(SizeExprAttr other) const;
    SizeExprAttr mod(SizeExprAttr other) const;
    SizeExprAttr min(SizeExprAttr other) const;
    SizeExprAttr max(SizeExprAttr other) const;
    SizeExprAttr add(int64_t other) const;
    SizeExprAttr mul(int64_t other) const;
    SizeExprAttr floorDiv(int64_t other) const;

    bool isConstant() const { return getKind() == SizeExprKind::Constant; }
    bool isConstant(int64_t value) const { return isConstant() && getValue() == value; }
    /// The value when this is a constant.
    std::optional<int64_t> getConstant() const;
    /// The value under an assignment of the symbols; nothing when a symbol is
    /// missing, a division is by zero or 64 bits do not hold a value on the way.
    std::optional<int64_t> evaluate(
        ::llvm::function_ref<std::optional<int64_t>(::llvm::StringRef)> valueOf) const;
    /// The same expression with symbols replaced where `replacement` gives one.
    SizeExprAttr substitute(
        ::llvm::function_ref<SizeExprAttr(::llvm::StringRef)> replacement) const;
    /// Calls `visit` with the name of every symbol, repeats included.
    void walkSymbols(::llvm::function_ref<void(::llvm::StringRef)> visit) const;
    /// Writes the expression as the assembly does, without `#tc.expr<>`.
    void printExpression(::llvm::raw_ostream &os) const;
    std::string str() const;
  }];
}

def TC_SizesAttr : TC_Attr<"Sizes", "sizes",
    [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface,
        ["isIdentity", "verifyLayout", "getStridesAndOffset"]>,
     DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the sizes of a tensor or memref, as expressions";
  let description = [{
    The encoding of a ranked tensor, or the layout of a row-major memref, some
    of whose sizes are symbolic: one expression a dimension. A dimension that
    is static in the type is the same constant here. Types with only constant
    sizes carry no encoding.

    Example: `tensor<?x768xf32, #tc.sizes<[s0 * 4, 768]>>`
  }];
  let parameters = (ins ArrayRefParameter<"::tc::SizeExprAttr">:$sizes);
  let hasCustomAssemblyFormat = 1;
}

def TC_SymbolAttr : TC_Attr<"Symbol", "symbol"> {
  let summary = "a symbolic size of a function: name, range, divisor";
  let description = [{
    An entry of a function's `tc.symbols`. The symbol's value is in
    [`min`, `max`] and a multiple of `divisor`. The name of a data-dependent
    symbol, which a `tc.size_from` defines, is u and a number: u0, u1; any other
    symbol has its value from the sizes of the function's arguments.

    `likely` is the value for which schedules are chosen, that of the example
    which the function was captured with; 0, the default, where none is known.
    Code is right for every value in the range.

    Example: `#tc.symbol<"s0", min = 2, max = 64, divisor = 1, likely = 16>`
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$min, "int64_t":$max,
                        DefaultValuedParameter<"int64_t", "1">:$divisor,
                        DefaultValuedParameter<"int64_t", "0">:$likely);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$min,
                                   "int64_t":$max, "int64_t":$divisor), [{
    return $_get($_ctxt, name, min, max, divisor, /*likely=*/int64_t(0));
  }]>];
  let assemblyFormat = [{
    `<` $name `,` `min` `=` $min `,` `max` `=` $max ``
    custom<SymbolRest>($divisor, $likely) `` `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Enums of ops
//===----------------------------------------------------------------------===//

def TC_ReductionKind : TC_Enum<"ReductionKind", "a monoid that a reduction folds with", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"All", 4, "all">, I32EnumAttrCase<"Any", 5, "any">,
  I32EnumAttrCase<"ArgMax", 6, "argmax">, I32EnumAttrCase<"ArgMin", 7, "argmin">,
  I32EnumAttrCase<"Welford", 8, "welford">]>;
def TC_ReductionKindAttr : TC_EnumAttr<TC_ReductionKind, "reduction">;

def TC_CombineKind : TC_Enum<"CombineKind", "how a scattered value meets the one in place", [
  I32EnumAttrCase<"Replace", 0, "replace">, I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Prod", 2, "prod">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">]>;
def TC_CombineKindAttr : TC_EnumAttr<TC_CombineKind, "combine">;

def TC_RoutineKind : TC_Enum<"RoutineKind", "what a routine computes", [
  I32EnumAttrCase<"Cholesky", 0, "cholesky">, I32EnumAttrCase<"Inverse", 1, "inverse">,
  I32EnumAttrCase<"Solve", 2, "solve">, I32EnumAttrCase<"SolveLower", 3, "solve_lower">,
  I32EnumAttrCase<"SolveUpper", 4, "solve_upper">, I32EnumAttrCase<"Determinant", 5, "determinant">,
  I32EnumAttrCase<"QR", 6, "qr">, I32EnumAttrCase<"SVD", 7, "svd">, I32EnumAttrCase<"Eigh", 8, "eigh">,
  I32EnumAttrCase<"FFT", 9, "fft">, I32EnumAttrCase<"InverseFFT", 10, "inverse_fft">,
  I32EnumAttrCase<"Largest", 11, "largest">, I32EnumAttrCase<"Smallest", 12, "smallest">,
  I32EnumAttrCase<"LargestUnsorted", 13, "largest_unsorted">,
  I32EnumAttrCase<"SmallestUnsorted", 14, "smallest_unsorted">]>;
def TC_RoutineKindAttr : TC_EnumAttr<TC_RoutineKind, "routine">;

def TC_IteratorKind : TC_Enum<"IteratorKind", "what a kernel's dimension does", [
  I32EnumAttrCase<"Parallel", 0, "parallel">, I32EnumAttrCase<"Reduced", 1, "reduced">]>;

def TC_KernelClass : TC_Enum<"KernelClass", "shape of a kernel's computation", [
  I32EnumAttrCase<"Pointwise", 0, "pointwise">, I32EnumAttrCase<"RowReduction", 1, "row_reduction">,
  I32EnumAttrCase<"ColumnReduction", 2, "column_reduction">, I32EnumAttrCase<"Transpose", 3, "transpose">,
  I32EnumAttrCase<"Contraction", 4, "contraction">, I32EnumAttrCase<"Attention", 5, "attention">,
  I32EnumAttrCase<"Scan", 6, "scan">, I32EnumAttrCase<"Scatter", 7, "scatter">,
  I32EnumAttrCase<"LibraryCall", 8, "library_call">, I32EnumAttrCase<"Custom", 9, "custom">]>;
def TC_KernelClassAttr : TC_EnumAttr<TC_KernelClass, "kernel_class">;

def TC_GuardKind : TC_Enum<"GuardKind", "what a guard checks", [
  I32EnumAttrCase<"Rank", 0, "rank">, I32EnumAttrCase<"DType", 1, "dtype">,
  I32EnumAttrCase<"Device", 2, "device">, I32EnumAttrCase<"SizeEqual", 3, "size_equal">,
  I32EnumAttrCase<"SizeRange", 4, "size_range">, I32EnumAttrCase<"SizeMultiple", 5, "size_multiple">,
  I32EnumAttrCase<"Stride", 6, "stride">, I32EnumAttrCase<"Contiguous", 7, "contiguous">,
  I32EnumAttrCase<"Alignment", 8, "alignment">, I32EnumAttrCase<"Scalar", 9, "scalar">,
  I32EnumAttrCase<"NoAlias", 10, "no_alias">, I32EnumAttrCase<"Identity", 11, "identity">]>;
def TC_GuardKindAttr : TC_EnumAttr<TC_GuardKind, "guard_kind">;

def TC_SizeRelation : TC_Enum<"SizeRelation", "how a size has to compare with a bound", [
  I32EnumAttrCase<"AtLeast", 0, "at_least">, I32EnumAttrCase<"AtMost", 1, "at_most">,
  I32EnumAttrCase<"Equal", 2, "equal">, I32EnumAttrCase<"MultipleOf", 3, "multiple_of">]>;
def TC_SizeRelationAttr : TC_EnumAttr<TC_SizeRelation, "size_relation">;

def TC_DistributionKind : TC_Enum<"DistributionKind", "a random distribution", [
  I32EnumAttrCase<"Uniform", 0, "uniform">, I32EnumAttrCase<"Normal", 1, "normal">]>;
def TC_DistributionKindAttr : TC_EnumAttr<TC_DistributionKind, "distribution">;

def TC_PadMode : TC_Enum<"PadMode", "what is outside a padded tensor", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
  I32EnumAttrCase<"Replicate", 2, "replicate">, I32EnumAttrCase<"Circular", 3, "circular">]>;
def TC_PadModeAttr : TC_EnumAttr<TC_PadMode, "pad_mode">;

def TC_ResampleMode : TC_Enum<"ResampleMode", "how a resampled element is found", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">]>;
def TC_ResampleModeAttr : TC_EnumAttr<TC_ResampleMode, "resample_mode">;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def TC_DimAttr : TC_Attr<"Dim", "dim"> {
  let summary = "one dimension of a kernel's iteration domain";
  let description = [{
    Example: `#tc.dim<"j", reduced, 4096>`
  }];
  let parameters = (ins StringRefParameter<>:$name,
                        EnumParameter<TC_IteratorKind>:$iterator,
                        "::tc::SizeExprAttr":$size);
  let hasCustomAssemblyFormat = 1;
}

def TC_TargetAttr : TC_Attr<"Target", "target"> {
  let summary = "what code is generated for";
  let description = [{
    A device kind (`cpu` or `cuda`), the chip (an LLVM CPU name, `sm_90a`), and
    the features in LLVM's form.

    Example: `#tc.target<"cpu", chip = "x86-64-v4", features = "">`
  }];
  let parameters = (ins StringRefParameter<>:$kind, StringRefParameter<>:$chip,
                        StringRefParameter<>:$features);
  let assemblyFormat = "`<` $kind `,` `chip` `=` $chip `,` `features` `=` $features `>`";
}

def TC_WindowAttr : TC_Attr<"Window", "window"> {
  let summary = "the places of a window that slides over images";
  let description = [{
    Of a tensor map of images, whose indices are image, pixel (one to three,
    outermost first) and channel: a copy takes channels of the pixels under one
    point of the window, for neighbouring places of the window, image after
    image (im2col). The places of the window's first point begin at `lower`, from
    the first pixel, and end at `upper`, from the last one, every `steps` pixels:
    a filter of 3 with padding 1 has lower -1 and upper -1.

    Example: `#tc.window<lower = [-1, -1], upper = [-1, -1], steps = [1, 1]>`
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$lower, "::mlir::DenseI64ArrayAttr":$upper,
                        "::mlir::DenseI64ArrayAttr":$steps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Dimensions of pixels.
    int64_t getRank() const { return getLower().size(); }
  }];
}

def TC_TensorMapAttr : TC_Attr<"TensorMap", "tensor_map"> {
  let summary = "a view of a launch's buffer whose boxes a GPU copies";
  let description = [{
    What a kernel is given for the copies that a GPU makes of boxes of a tensor
    to and from shared memory (TMA). The tensor is a view of buffer number
    `buffer` of the launch, with `sizes` from the outermost dimension, at most
    5, to the innermost. `strides` are in elements, that of the innermost
    dimension is 1; without them the view is row-major. The other strides are
    multiples of 16 bytes, and so is the address of the buffer.

    A copy moves a `box` of so many elements along each dimension, at most 256.
    Elements beyond the sizes are read as 0 and are not written. In shared
    memory the box is row-major; with a `swizzle` of 32, 64 or 128 bytes its
    units of 16 bytes are permuted among the rows of as many bytes, and the box
    is at most as wide.

    The sizes are at least 1: a launch over an empty tensor has no blocks.

    With `realigns` the address of the buffer and the strides may be any: where
    one of them is no multiple of 16 bytes, or a stride is 0, the launch makes a
    copy of the view for the kernel, and copies it back where the kernel has
    `written` it. A copy of a view with such strides has all rows of it, one
    behind the other, each padded to a multiple of 16 bytes; one of another view
    has its strides.

    With a `window` the box is of so many of its places and of channels.

    Example: `#tc.tensor_map<buffer = 0, sizes = <[s0, 4096]>, box = [128, 64], swizzle = 128>`
  }];
  let parameters = (ins "int64_t":$buffer, "::tc::SizesAttr":$sizes,
                        OptionalParameter<"::tc::SizesAttr">:$strides,
                        "::mlir::DenseI64ArrayAttr":$box,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle,
                        DefaultValuedParameter<"bool", "false">:$realigns,
                        DefaultValuedParameter<"bool", "false">:$written,
                        OptionalParameter<"::tc::WindowAttr">:$window);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getSizes().getSizes().size(); }
    /// The strides in elements, of a row-major view where none are given.
    ::llvm::SmallVector<::tc::SizeExprAttr> getElementStrides() const;
  }];
}

def TC_MatrixAttr : TC_Attr<"Matrix", "matrix"> {
  let summary = "where the elements of a library's matrices are";
  let description = [{
    Column-major matrices of a batch in one buffer, in elements: `pitch` from a
    column to the next one, `batch_stride` from a matrix to the next one, and
    `offset` from the buffer's first element to that of the first matrix.

    Example: `#tc.matrix<pitch = <128>, batch_stride = <s0 * 128>, offset = <0>>`
  }];
  let parameters = (ins "::tc::SizeExprAttr":$pitch, "::tc::SizeExprAttr":$batch_stride,
                        "::tc::SizeExprAttr":$offset);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TC_OperandAttr : TC_Attr<"Operand", "operand"> {
  let summary = "stands for an operand among the arguments of a captured call";
  let description = [{
    Example: `#tc.operand<0>`
  }];
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}

#endif // TC_ATTRIBUTES
