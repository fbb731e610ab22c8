//===- DispatchOps.td - Choosing a version of a function -----------------*- tablegen -*-===//

#ifndef TC_DISPATCH_OPS
#define TC_DISPATCH_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def TC_DispatchOp : TC_Op<"dispatch", [IsolatedFromAbove, FunctionOpInterface,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function that chooses one of its versions by guards";
  let description = [{
    What callers see of a function that has been specialised. Its guards hold
    for every version: where one misses, the call fails. Then comes a `tc.case`
    for each version; the first whose guards all hold is run. `tc.otherwise`
    names the version for all other inputs.

    The versions are functions of the module with the same number of inputs and
    results, marked `tc.version_of`. Nothing runs them but the dispatch, so they
    check nothing themselves. The dispatch stays as it is through all phases:
    it is about the caller's tensors; emit writes it out as a function of the C
    ABI with one predicate a case.

    Example:
    ```mlir
    tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>>
        attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
      tc.case @main.s0_8 {
        tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?xf32, #tc.sizes<[s0]>>
      }
      tc.otherwise @main.general
    }
    func.func @main.s0_8(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tc.version_of = @main} {
      %0 = tc.neg %x : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main.general(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>>
        attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>], tc.version_of = @main} {
      %0 = tc.neg %x : tensor<?xf32, #tc.sizes<[s0]>>
      return %0 : tensor<?xf32, #tc.sizes<[s0]>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// The version for inputs that no case takes.
    OtherwiseOp getOtherwise();
    /// The names of all versions, the one of `tc.otherwise` last.
    ::llvm::SmallVector<::llvm::StringRef> getVersions();
  }];
}

def TC_CaseOp : TC_Op<"case", [HasParent<"DispatchOp">, SingleBlock, NoTerminator]> {
  let summary = "a version of a function, and the guards that it needs";
  let description = [{
    Taken when all guards of its region hold. One without guards is always
    taken.

    Example: `tc.case @main.s0_8 { tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?xf32, #tc.sizes<[s0]>> }`
  }];
  let arguments = (ins FlatSymbolRefAttr:$version);
  let regions = (region SizedRegion<1>:$guards);
  let assemblyFormat = "$version attr-dict-with-keyword $guards";
  let hasRegionVerifier = 1;
}

def TC_OtherwiseOp : TC_Op<"otherwise", [HasParent<"DispatchOp">, Terminator]> {
  let summary = "the version of a function that takes all inputs";
  let description = [{
    The end of a `tc.dispatch`: what runs when no case is taken.

    Example: `tc.otherwise @main.general`
  }];
  let arguments = (ins FlatSymbolRefAttr:$version);
  let assemblyFormat = "$version attr-dict";
}

#endif // TC_DISPATCH_OPS
