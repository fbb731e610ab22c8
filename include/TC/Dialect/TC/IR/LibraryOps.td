//===- LibraryOps.td - Calls of libraries ---------------------*- tablegen -*-===//

#ifndef TC_LIBRARY_OPS
#define TC_LIBRARY_OPS

include "TC/Dialect/TC/IR/LibraryScheduleAttributes.td"
include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_LibraryCallOp : TC_Op<"library_call", [AttrSizedOperandSegments]> {
  let summary = "multiply matrices by a call of a library";
  let description = [{
    What `kernel`, a kernel with a `#tc.library_schedule`, becomes in phase
    generate: D = activation(scale * A * B + bias) for each of `batches`, of
    column-major matrices. A has `rows` rows and `reduced` columns, B has
    `reduced` rows and `columns` columns, before they are transposed in memory as
    the schedule says; D and `bias` have `rows` rows. Each matrix says where in
    its buffer it is. D shares no memory with the others.

    Example: `tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0> batches <1> rows <64> columns <s0> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<?x32xf32, #tc.sizes<[s0, 32]>>) <pitch = <32>, batch_stride = <0>, offset = <0>> d(%y : memref<?x64xf32, #tc.sizes<[s0, 64]>>) <pitch = <64>, batch_stride = <0>, offset = <0>>`
  }];
  let arguments = (ins StrAttr:$kernel, TC_LibraryScheduleAttr:$schedule,
                       TC_SizeExprAttr:$batches, TC_SizeExprAttr:$rows,
                       TC_SizeExprAttr:$columns, TC_SizeExprAttr:$reduced,
                       AnyMemRef:$a, TC_MatrixAttr:$a_matrix, AnyMemRef:$b, TC_MatrixAttr:$b_matrix,
                       Optional<AnyMemRef>:$bias, AnyMemRef:$d, TC_MatrixAttr:$d_matrix,
                       Optional<MemRefRankOf<[I8], [1]>>:$workspace);
  let assemblyFormat = [{
    $kernel `schedule` $schedule `batches` $batches `rows` $rows `columns` $columns `reduced` $reduced
    `a` `(` $a `:` type($a) `)` $a_matrix `b` `(` $b `:` type($b) `)` $b_matrix
    (`bias` `(` $bias^ `:` type($bias) `)`)? `d` `(` $d `:` type($d) `)` $d_matrix
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Sizes and places of the matrices: what emitted code evaluates.
    ::llvm::SmallVector<::tc::SizeExprAttr, 13> getSizeExpressions();
  }];
}

def TC_LibraryConvolutionOp : TC_Op<"library_convolution", [AttrSizedOperandSegments]> {
  let summary = "convolve images by a call of a library";
  let description = [{
    What `kernel`, a kernel with a `#tc.convolution_library_schedule`, becomes in
    phase generate: result = relu(scale * convolution(images, filters) + addend +
    bias), as the schedule says, with `groups`, and with a stride, a padding on
    both sides and a dilation for each of 1 to 3 spatial dimensions. Images are
    of N images of C channels and the spatial sizes, filters of K, C / groups and
    the sizes of the window, results of N, K and their own sizes; with
    `channels_last` the channels are behind the spatial sizes in all three. One
    image may be without N, as its result is then, and filters of one point
    without the sizes of a window. The addend has the sizes of the result, which
    shares no memory with the others.

    Example: `tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)`
  }];
  let arguments = (ins StrAttr:$kernel, TC_ConvolutionLibraryScheduleAttr:$schedule,
                       I64Attr:$groups, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                       AnyMemRef:$images, AnyMemRef:$filters, Optional<AnyMemRef>:$bias,
                       Optional<AnyMemRef>:$addend, AnyMemRef:$result,
                       Optional<MemRefRankOf<[I8], [1]>>:$workspace);
  let assemblyFormat = [{
    $kernel `schedule` $schedule `groups` $groups `stride` $stride `padding` $padding `dilation` $dilation
    `images` `(` $images `:` type($images) `)` `filters` `(` $filters `:` type($filters) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? (`addend` `(` $addend^ `:` type($addend) `)`)?
    `result` `(` $result `:` type($result) `)`
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// N, C, K, and for each spatial dimension the sizes of the images, of the
    /// window and of the results: what emitted code evaluates.
    ::llvm::SmallVector<::tc::SizeExprAttr, 12> getSizeExpressions();
    unsigned getSpatialRank() { return getStride().size(); }
  }];
}

#endif // TC_LIBRARY_OPS
