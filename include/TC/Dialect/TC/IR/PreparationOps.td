//===- PreparationOps.td - Values prepared ahead of the calls -------*- tablegen -*-===//

#ifndef TC_PREPARATION_OPS
#define TC_PREPARATION_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

include "mlir/IR/SymbolInterfaces.td"

def TC_PreparedOp : TC_Op<"prepared", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a value that @tc.prepare computes from parameters alone";
  let description = [{
    Names result `result` of the function `@tc.prepare`, which runs when the
    parameters are loaded and again when one has changed, so that no call
    computes it. `tc.parameter` reads it as it reads a declared parameter; only
    `@tc.prepare` itself cannot.

    Example:
    ```mlir
    tc.parameter_source @fc.weight : tensor<16x8xf32> {file = "m.pt2", offset = 640 : i64, role = "parameter"}
    tc.prepared @fc.weight.prepared : tensor<16x8xf32> {result = 0 : i64}
    func.func @tc.prepare() -> tensor<16x8xf32> {
      %w = tc.parameter @fc.weight : tensor<16x8xf32>
      %0 = tc.exp %w : tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    }
    func.func @main() -> tensor<16x8xf32> {
      %w = tc.parameter @fc.weight.prepared : tensor<16x8xf32>
      return %w : tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, I64Attr:$result);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

#endif // TC_PREPARATION_OPS
