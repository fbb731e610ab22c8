//===- InputOps.td - The memory of inputs ---------------------------*- tablegen -*-===//

#ifndef TC_INPUT_OPS
#define TC_INPUT_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

def TC_InputStorageOp : TC_Op<"input_storage", [Pure]> {
  let summary = "the memory of a strided input as a row-major tensor";
  let description = [{
    The operand is an argument of the function that has `tc.strides`. The
    result starts where the operand does and is row-major: the element of the
    operand at (i, j) is at i * stride 0 + j * stride 1 in the result's
    row-major order. Its other elements are undefined, and those behind the
    operand's last one may not be memory of the caller's: nothing reads them,
    as slices take the operand's elements out of the result.

    Example: the rows of 72 elements of a matrix whose rows have 96
    ```mlir
    func.func @f(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<8x72xf32> {
      %0 = tc.input_storage %x : tensor<8x72xf32> -> tensor<8x96xf32>
      %1 = tc.slice %0 offsets <[0, 0]> strides [1, 1] : tensor<8x96xf32> -> tensor<8x72xf32>
      return %1 : tensor<8x72xf32>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$x);
  let results = (outs AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The strides of the operand, in elements, one for each dimension.
    ::tc::Sizes getInputStrides();
  }];
}

#endif // TC_INPUT_OPS
