//===- Specialize.td - Versions of functions, and guards ---*- tablegen -*-===//

#ifndef TC_TRANSFORMS_SPECIALIZE
#define TC_TRANSFORMS_SPECIALIZE

include "mlir/Pass/PassBase.td"

def TCSpecializeSizesPass : Pass<"tc-specialize-sizes", "::mlir::ModuleOp"> {
  let summary = "clone a function for each set of sizes that was asked for";
  let description = [{
    A function that is asked for with some sizes gets a copy in which they are
    known: the symbol becomes a constant in all types and expressions, or its
    range and divisor get narrower. What is known at compile time saves the
    remainders of loops, fixes offsets and lets kernels be chosen.

    Requests are the entries of the function's `tc.specializations`, each an
    array of `#tc.symbol`, then the strings of the option `specialize`:
    `main:s0=8`, `main:s0=16..64` (a range), `main:s0%16` (a multiple), several
    symbols as `main:s0=8:s1=4`. The copy is named after them, is marked
    `tc.version_of` and carries what was asked as `tc.specialization`.

    #### Input
    Functions whose symbolic sizes are declared in `tc.symbols`.

    #### Output
    The same functions without `tc.specializations`, and their versions.

    #### Before
    ```mlir
    func.func @main(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>) -> tensor<?xf32, #tc.sizes<[s0 * 4]>> attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      %0 = tc.reshape %x : tensor<?x4xf32, #tc.sizes<[s0, 4]>> -> tensor<?xf32, #tc.sizes<[s0 * 4]>>
      return %0 : tensor<?xf32, #tc.sizes<[s0 * 4]>>
    }
    ```

    #### After
    ```mlir
    func.func @main(%arg0: tensor<?x4xf32, #tc.sizes<[s0, 4]>>) -> tensor<?xf32, #tc.sizes<[s0 * 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      %0 = tc.reshape %arg0 : tensor<?x4xf32, #tc.sizes<[s0, 4]>> -> tensor<?xf32, #tc.sizes<[s0 * 4]>>
      return %0 : tensor<?xf32, #tc.sizes<[s0 * 4]>>
    }
    func.func @main.s0_8(%arg0: tensor<8x4xf32>) -> tensor<32xf32> attributes {tc.specialization = [#tc.symbol<"s0", min = 8, max = 8>], tc.version_of = @main} {
      %0 = tc.reshape %arg0 : tensor<8x4xf32> -> tensor<32xf32>
      return %0 : tensor<32xf32>
    }
    ```

    #### Limits
    Sizes only: what else a caller may promise, such as alignment, is written
    as a guard into the `tc.case` by hand. Sizes that depend on data cannot be
    known before the call.
  }];
  let options = [ListOption<"specialize", "specialize", "std::string",
                            "versions to make, each as FUNCTION:SYMBOL=VALUE[:SYMBOL=VALUE...]">];
}

def TCPlanLikelySizesPass : Pass<"tc-plan-likely-sizes", "::mlir::func::FuncOp"> {
  let summary = "ask for a version of the row lengths that are likely";
  let description = [{
    Where a graph was captured with sizes that may vary, those of its example
    are the `likely` ones of their symbols. How long rows are decides most of
    what their code is: how often loops over it are unrolled, and on a GPU who
    shares a row, what of it stays in registers, whether its vectors are
    aligned. So a short function is asked for once more
    with the likely sizes of rows, the last dimensions of its inputs of two and
    more dimensions; how many rows there are stays symbolic.

    #### Input
    Functions whose `tc.symbols` have likely values.

    #### Output
    The same functions with `tc.specializations`, unless they have some, or
    something in them could never have such sizes.

    #### Before
    ```mlir
    func.func @main(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096, likely = 64>, #tc.symbol<"s1", min = 2, max = 4096, likely = 1000>]} {
      %0 = tc.exp %x : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
      return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    }
    ```

    #### After
    ```mlir
    func.func @main(%arg0: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.specializations = [[#tc.symbol<"s1", min = 1000, max = 1000>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096, likely = 64>, #tc.symbol<"s1", min = 2, max = 4096, likely = 1000>]} {
      %0 = tc.exp %arg0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
      return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    }
    ```

    #### Limits
    A version is compiled like another function, so that functions of more than
    `most-ops` ops, whole models among them, get none.
  }];
  let options = [Option<"mostOps", "most-ops", "unsigned", "32",
                        "the most ops of a function that is compiled twice">];
}

def TCPlanSizeGuardsPass : Pass<"tc-plan-size-guards", "::mlir::func::FuncOp"> {
  let summary = "make what ops need of symbolic sizes guards of the function";
  let description = [{
    Ops say once what they need of their sizes (`SizePreconditionsOpInterface`):
    a slice ends within its tensor, k is at most the size that topk selects
    from; no size is negative. The verifier refuses what never holds. What
    follows from the ranges and divisors in `tc.symbols`, from the function's
    guards or from a condition before needs nothing; everything else becomes a
    `tc.size_guard` at the begin of its block, or in front of the op where a
    symbol is known only after that. Later passes may rely on the conditions
    and lose the ops. An argument or a result whose bytes are beyond 64 bits for
    all sizes is refused.

    #### Input
    Functions of `tc` ops. It comes before anything folds or fuses them.

    #### Output
    The same functions with their `tc.size_guard`s. Running it again adds none.

    #### Before
    ```mlir
    func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>) -> (tensor<3xf32>, tensor<3xi64>, tensor<?xf32, #tc.sizes<[s1 - 1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
      %v, %i = tc.topk %x dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
      %s = tc.slice %y offsets <[1]> strides [1] : tensor<?xf32, #tc.sizes<[s1]>> -> tensor<?xf32, #tc.sizes<[s1 - 1]>>
      return %v, %i, %s : tensor<3xf32>, tensor<3xi64>, tensor<?xf32, #tc.sizes<[s1 - 1]>>
    }
    ```

    #### After
    ```mlir
    func.func @main(%arg0: tensor<?xf32, #tc.sizes<[s0]>>, %arg1: tensor<?xf32, #tc.sizes<[s1]>>) -> (tensor<3xf32>, tensor<3xi64>, tensor<?xf32, #tc.sizes<[s1 - 1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
      tc.size_guard "tc.topk" needs "'k'" <3>  at_most "size 0 of 'x'" <s0>
      %values, %indices = tc.topk %arg0 dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
      %0 = tc.slice %arg1 offsets <[1]> strides [1] : tensor<?xf32, #tc.sizes<[s1]>> -> tensor<?xf32, #tc.sizes<[s1 - 1]>>
      return %values, %indices, %0 : tensor<3xf32>, tensor<3xi64>, tensor<?xf32, #tc.sizes<[s1 - 1]>>
    }
    ```

    #### Limits
    Conditions on several symbols are proved by their ends alone; a guard that
    follows from several others together stays.
  }];
}

def TCPlanDispatchPass : Pass<"tc-plan-dispatch", "::mlir::ModuleOp"> {
  let summary = "put a dispatch in the place of each function that has versions";
  let description = [{
    The function becomes one more version, for all inputs that no other takes;
    a `tc.dispatch` takes over its name. Each version gets a `tc.case` with a
    guard for each of its sizes, in the order in which they were asked for. The
    function's own guards move to the dispatch, as they hold for all versions,
    and are dropped there. Calls within the module go to the general version.

    #### Input
    What `tc-specialize-sizes` makes.

    #### Output
    A `tc.dispatch` for each function with versions.

    #### Before
    ```mlir
    func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      tc.guard no_alias(%x, %y) {origin = "y is written"} : tensor<?xf32, #tc.sizes<[s0]>>, tensor<4xf32>
      return %y : tensor<4xf32>
    }
    func.func @main.s0_8(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tc.specialization = [#tc.symbol<"s0", min = 8, max = 8>], tc.version_of = @main} {
      tc.guard no_alias(%x, %y) {origin = "y is written"} : tensor<8xf32>, tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```

    #### After
    ```mlir
    tc.dispatch @main(%arg0: tensor<?xf32, #tc.sizes<[s0]>>, %arg1: tensor<4xf32>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      tc.guard  no_alias(%arg0, %arg1) {origin = "y is written"} : tensor<?xf32, #tc.sizes<[s0]>>, tensor<4xf32>
      tc.case @main.s0_8 {
        tc.guard  size_equal(%arg0) {dim = 0 : i64, expr = #tc.expr<8>, origin = "specialisation main.s0_8"} : tensor<?xf32, #tc.sizes<[s0]>>
      }
      tc.otherwise @main.general
    }
    func.func @main.general(%arg0: tensor<?xf32, #tc.sizes<[s0]>>, %arg1: tensor<4xf32>) -> tensor<4xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>], tc.version_of = @main} {
      return %arg1 : tensor<4xf32>
    }
    func.func @main.s0_8(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> attributes {tc.specialization = [#tc.symbol<"s0", min = 8, max = 8>], tc.version_of = @main} {
      return %arg1 : tensor<4xf32>
    }
    ```

    #### Limits
    The order of the cases is the caller's: nothing puts the likely ones first.
  }];
}

def TCFoldGuardsPass : Pass<"tc-fold-guards", "::tc::DispatchOp"> {
  let summary = "drop the guards of a dispatch that follow from others";
  let description = [{
    A guard is dropped when it follows from the types of the inputs, from the
    ranges of `tc.symbols`, or from a guard before it that holds wherever it
    does: an equal one, a narrower range of the same size, a multiple of its
    divisor. Two ranges of one size become one. What remains is what the
    dispatch has to check, so that each check is made once.

    A guard that contradicts what is known is an error: a version after it can
    never run.

    #### Input
    Any `tc.dispatch`.

    #### Output
    The same `tc.dispatch` with fewer guards, which accept the same inputs.

    #### Before
    ```mlir
    func.func @main.general(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>) attributes {tc.version_of = @main} {
      return
    }
    tc.dispatch @main(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      tc.guard rank(%x) {value = 2 : i64} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
      tc.guard size_range(%x) {dim = 0 : i64, min = 4 : i64, max = 100 : i64, origin = "a"} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
      tc.guard size_range(%x) {dim = 0 : i64, min = 0 : i64, max = 32 : i64, origin = "b"} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
      tc.case @main.general {
        tc.guard size_equal(%x) {dim = 1 : i64, expr = #tc.expr<4>} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
        tc.guard alignment(%x) {divisor = 64 : i64} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
        tc.guard alignment(%x) {divisor = 16 : i64} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
      }
      tc.otherwise @main.general
    }
    ```

    #### After
    ```mlir
    func.func @main.general(%arg0: tensor<?x4xf32, #tc.sizes<[s0, 4]>>) attributes {tc.version_of = @main} {
      return
    }
    tc.dispatch @main(%arg0: tensor<?x4xf32, #tc.sizes<[s0, 4]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      tc.guard  size_range(%arg0) {dim = 0 : i64, max = 32 : i64, min = 4 : i64, origin = "a; b"} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
      tc.case @main.general {
        tc.guard  alignment(%arg0) {divisor = 64 : i64} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
      }
      tc.otherwise @main.general
    }
    ```

    #### Limits
    Facts about one expression at a time; that `s0 * s1` is large because both
    are is seen, that `s0 > s1` follows from `s0 - s1 > 0` is not.
  }];
}

def TCVerifySpecializePass : Pass<"tc-verify-specialize", "::mlir::ModuleOp"> {
  let summary = "check that each version is run by one dispatch and checks nothing itself";
  let description = [{
    What phase specialize promises: no request is left; every function marked
    `tc.version_of` is named by the dispatch of that name and by no other, and
    has no guard about its inputs, since the dispatch has checked it; nothing
    else calls it; every version that a dispatch names is marked so.

    #### Input
    A module after phase specialize.

    #### Output
    The same module.

    #### Before
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      return %arg0 : tensor<4xf32>
    }
    ```

    #### Limits
    That a version's types fit is checked by `tc.dispatch` itself.
  }];
}

#endif // TC_TRANSFORMS_SPECIALIZE
