//===- Passes.td - Passes of the compiler -----------------------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_PASSES
#define TC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

include "TC/Transforms/Decompositions.td"
include "TC/Transforms/Simplifications.td"
include "TC/Transforms/FusionPasses.td"

def TCBeginPhasePass : Pass<"tc-begin-phase", "::mlir::ModuleOp"> {
  let summary = "refuse a module that is not at the phase before the named one";
  let description = [{
    Every phase starts with this pass. It reads the module's `tc.phase`, which
    `tc-end-phase` wrote, and fails unless it names the phase before `phase`.
    A module without `tc.phase` is taken for a freshly written one, where
    nothing has run.

    #### Input
    Any module.

    #### Output
    The same module.

    #### Before
    ```mlir
    module attributes {tc.phase = "specialize"} {}
    ```

    #### After
    ```mlir
    module attributes {tc.phase = "specialize"} {}
    ```

    #### Limits
    Trusts the attribute; what a phase promises is checked by its
    `tc-verify-<phase>`.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"simplify\"", "name of the phase that is about to run">];
}

def TCEndPhasePass : Pass<"tc-end-phase", "::mlir::ModuleOp"> {
  let summary = "record that a phase has run";
  let description = [{
    Every phase ends with this pass, after its verifier: it sets the module's
    `tc.phase`, from which tc-run and `--tc-pipeline` go on.

    #### Input
    A module that the phase's verifier accepted.

    #### Output
    The module with `tc.phase`.

    #### Before
    ```mlir
    module {}
    ```

    #### After
    ```mlir
    module attributes {tc.phase = "simplify"} {}
    ```

    #### Limits
    None.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"simplify\"", "name of the phase that has run">];
}

#endif // TC_TRANSFORMS_PASSES
