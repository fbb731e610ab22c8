//===- Passes.td - Passes of the .pt2 front end -----------------*- tablegen -*-===//

#ifndef TC_FRONTEND_PT2_PASSES
#define TC_FRONTEND_PT2_PASSES

include "mlir/Pass/PassBase.td"

def TCImportPT2Pass : Pass<"tc-import-pt2", "::mlir::ModuleOp"> {
  let summary = "put the program of a .pt2 archive into the module";
  let description = [{
    Reads an archive written by `torch.export.save` and replaces what the module
    holds by its captured graph: one `tc.aten` op for each call, arguments left
    at their default filled in, in-place calls as values, weights as
    `tc.parameter_source`s that point into the archive, sizes as expressions of
    named symbols, what the export assumed as `tc.guard`s, the user's source
    lines as locations. Nothing is decided here; `convert-aten-to-tc` gives the
    calls their meaning.

    `@main` returns the user's outputs, then the new values of mutated inputs
    and buffers (`tc.mutates` is the number of the argument or the name of the
    parameter). `tc.signature` has the names of inputs and outputs, the Python
    paths of the inputs, and for each of the user's outputs the number of its
    result or the constant it is (`unit` is None, an integer is in a list).

    #### Input
    Any module; without `file` it is left as it is.

    #### Output
    A module with one public function `@main`.

    #### Before
    ```mlir
    module {}
    ```

    #### After
    ```mlir
    module {}
    ```

    #### Limits
    Sizes that depend on the elements of a tensor, symbolic numbers as inputs,
    custom operators and objects, and loops are refused by name.
  }];
  let options = [
    Option<"file", "file", "std::string", "", "path of the archive">,
    Option<"model", "model", "std::string", "", "name of the program, in an archive of several">,
  ];
  let dependentDialects = ["::tc::TCDialect", "::mlir::func::FuncDialect"];
}

#endif // TC_FRONTEND_PT2_PASSES
