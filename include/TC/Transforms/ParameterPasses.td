//===- ParameterPasses.td - What depends on parameters alone ----*- tablegen -*-===//

#ifndef TC_TRANSFORMS_PARAMETERPASSES
#define TC_TRANSFORMS_PARAMETERPASSES

include "mlir/Pass/PassBase.td"

def TCHoistParameterComputationsPass : Pass<"tc-hoist-parameter-computations", "::mlir::ModuleOp"> {
  let summary = "compute what depends on parameters alone once, in @tc.prepare, instead of in every call";
  let description = [{
    Weights that are scaled, cast to a narrower type, joined or gathered from
    are the same in every call. Such values become results of the function
    `@tc.prepare`, which runs when the parameters are loaded and again when one
    has changed; each is declared as a `tc.prepared`, which the call reads as it
    reads a parameter. Runs at the end of simplify, when all that is left is
    really needed, and before kernels are made, so that the kernels of calls
    and of `@tc.prepare` are fused apart.

    What a kernel reads through at no cost stays in the call: views, splats,
    iotas, and casts to a wider type. Arithmetic on constants alone is hoisted
    where it costs more than reading its result: a table of cosines is, the
    comparison of two iotas that makes a mask is not. A result may have up to
    `max-growth` times the bytes of the parameters it is computed from, or up
    to `max-bytes` where its arithmetic is costly, a sixty-fourth of that where
    it is not; beyond that, its operands are looked at.

    #### Input
    Functions of `tc` ops; phase simplify has folded them.

    #### Output
    No op in a call that depends on parameters alone, but for those named
    above. What several functions compute alike is computed once.

    #### Before
    ```mlir
    tc.parameter_source @w : tensor<4x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 128 : i64, role = "buffer"}
    func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
      %w = tc.parameter @w : tensor<4x8xf32>
      %s = tc.parameter @s : tensor<4xf32>
      %0 = tc.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x8xf32>
      %1 = tc.mul %w, %0 : tensor<4x8xf32>
      %2 = tc.contract "ik,jk->ij" %x, %1 : tensor<2x8xf32>, tensor<4x8xf32> -> tensor<2x4xf32>
      return %2 : tensor<2x4xf32>
    }
    ```

    #### After
    ```mlir
    tc.parameter_source @w : tensor<4x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 128 : i64, role = "buffer"}
    tc.prepared @w.prepared : tensor<4x8xf32> {result = 0 : i64}
    func.func @tc.prepare() -> tensor<4x8xf32> {
      %0 = tc.parameter @w : tensor<4x8xf32>
      %1 = tc.parameter @s : tensor<4xf32>
      %2 = tc.broadcast %1 dims [0] : tensor<4xf32> -> tensor<4x8xf32>
      %3 = tc.mul %0, %2 : tensor<4x8xf32>
      return %3 : tensor<4x8xf32>
    }
    func.func @main(%arg0: tensor<2x8xf32>) -> tensor<2x4xf32> {
      %0 = tc.parameter @w.prepared : tensor<4x8xf32>
      %1 = tc.contract "ik,jk->ij" %arg0, %0 : tensor<2x8xf32>, tensor<4x8xf32> -> tensor<2x4xf32>
      return %1 : tensor<2x4xf32>
    }
    ```

    #### Limits
    Only ops at the top of a function, with constant sizes and without regions,
    are hoisted. A parameter that a function gives a new value (`tc.mutates`)
    depends on the calls before. An index that is out of range fails when the
    parameters are loaded.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", "2", "most bytes of a result for a byte of its parameters">,
    Option<"maxBytes", "max-bytes", "int64_t", "4194304", "most bytes of a costly result that is larger than that">];
  let statistics = [Statistic<"hoisted", "hoisted", "values computed ahead of the calls">];
  let dependentDialects = ["::tc::TCDialect", "::mlir::func::FuncDialect"];
}

#endif // TC_TRANSFORMS_PARAMETERPASSES
