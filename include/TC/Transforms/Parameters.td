//===- Parameters.td - What depends on parameters alone ----*- tablegen -*-===//

#ifndef TC_TRANSFORMS_PARAMETERS
#define TC_TRANSFORMS_PARAMETERS

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
    and of `@tc.prepare` are fused separately.

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

def TCPackParametersPass : Pass<"tc-pack-parameters", "::mlir::ModuleOp"> {
  let summary = "lay weights of contractions in the panels that the register tile reads";
  let description = [{
    A contraction multiplies a tile of rows with a tile of lanes, for one
    reduced point after the other. Where the operand with the lanes is a
    parameter, `@tc.prepare` packs it as the tile reads it: in panels as wide as
    the schedule's register tile, point after point. No call has to pack it, and
    each panel is read from its begin to its end.

    The kernel reads the panels through a map, so that it means what it meant:
    for lane `n` and reduced point `k`, each counted over all dimensions of its
    kind, `[n floordiv W, k, n mod W]` where a panel is W lanes wide. Where the
    target multiplies pairs of bf16, two points are next to each other in each lane:
    `[n floordiv W, k floordiv 2, n mod W, k mod 2]`. After the last lane and
    point are zeros. Runs after `tc-assign-schedules`, which decides W; a
    second run gives the kernels that pack their schedules.

    #### Input
    Kernels with schedules, for a CPU.

    #### Output
    The same, reading packed weights; prepared values that nothing reads any
    more are gone. A parameter that several kernels read alike is packed once;
    what other kernels read stays as it is next to it.

    #### Before
    ```mlir min-bytes=64
    tc.parameter_source @w : tensor<6x4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    func.func @main(%x: tensor<2x4xf32>) -> tensor<2x6xf32> {
      %w = tc.parameter @w : tensor<6x4xf32>
      %e = tc.empty : tensor<2x6xf32>
      %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<2x4xf32>, %b = %w : tensor<6x4xf32>) outs(%o = %e : tensor<2x6xf32>) {
        %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x4xf32> -> f32
        %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
        %c = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
        tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x6xf32>
      }
      return %0 : tensor<2x6xf32>
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2) -> (d0 * 4 + d2, d1)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    #map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map3 = affine_map<(d0, d1, d2) -> (d1 floordiv 4, d2, d1 mod 4)>
    #map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
    #set = affine_set<(d0, d1, d2) : (-(d0 * 4 + d2) + 5 >= 0)>
    module {
      tc.parameter_source @w : tensor<6x4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
      tc.prepared @w.packed : tensor<2x4x4xf32> {result = 0 : i64}
      func.func @tc.prepare() -> tensor<2x4x4xf32> {
        %0 = tc.parameter @w : tensor<6x4xf32>
        %1 = tc.empty : tensor<2x4x4xf32>
        %2 = tc.kernel "pack" transpose dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 4>, #tc.dim<"k", parallel, 4>] ins(%arg0 = %0 : tensor<6x4xf32>) outs(%arg1 = %1 : tensor<2x4x4xf32>) {
          %3 = tc.read %arg0[#map] within #set : tensor<6x4xf32> -> f32
          tc.write %3, %arg1[#map1] : f32, tensor<2x4x4xf32>
        }
        return %2 : tensor<2x4x4xf32>
      }
      func.func @main(%arg0: tensor<2x4xf32>) -> tensor<2x6xf32> {
        %0 = tc.empty : tensor<2x6xf32>
        %1 = tc.parameter @w.packed : tensor<2x4x4xf32>
        %2 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%arg1 = %arg0 : tensor<2x4xf32>, %arg2 = %1 : tensor<2x4x4xf32>) outs(%arg3 = %0 : tensor<2x6xf32>) {
          %3 = tc.read %arg1[#map2] : tensor<2x4xf32> -> f32
          %4 = tc.read %arg2[#map3] : tensor<2x4x4xf32> -> f32
          %5 = tc.contract_stage %3, %4 over [2] : f32, f32 -> f32
          tc.write %5, %arg3[#map4] : f32, tensor<2x6xf32>
        }
        return %2 : tensor<2x6xf32>
      }
    }
    ```

    #### Limits
    The weight is read by one map without a condition, has no prologue, and is
    the same for all batches; its sizes are constant. One of fewer than
    `min-bytes` bytes stays as it is, as its rows are close in memory. Panels that would be
    more padding than weight are not made, nor more than `max-layouts` layouts
    of one weight, which kernels with other tiles ask for.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "1024", "fewest bytes of a weight that is packed">,
    Option<"maxLayouts", "max-layouts", "int64_t", "2", "most layouts of one weight, for kernels with other tiles">];
  let statistics = [Statistic<"packings", "packed", "operands of kernels that are packed ahead of the calls">];
  let dependentDialects = ["::tc::TCDialect", "::mlir::func::FuncDialect"];
}

#endif // TC_TRANSFORMS_PARAMETERS
