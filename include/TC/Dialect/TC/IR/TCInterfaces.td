//===- TCInterfaces.td - Interfaces of tc ops -------------------*- tablegen -*-===//

#ifndef TC_INTERFACES
#define TC_INTERFACES

include "mlir/IR/OpBase.td"

def TC_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let description = [{
    An op of the elementwise table: each result element is a scalar function of
    the operands' elements at the same index. On scalars it is a pointwise
    stage of a `tc.kernel`.
  }];
  let cppNamespace = "::tc";
}

def TC_SizePreconditionsOpInterface : OpInterface<"SizePreconditionsOpInterface"> {
  let description = [{
    An op that needs something of its sizes beyond what its types say. The list
    is the only place where it is stated: the verifier refuses an op of which a
    condition can never hold, `tc-plan-size-guards` proves the others from the
    ranges of the symbols or makes them guards of the function, and the
    reference interpreter checks them before it runs the op.
  }];
  let cppNamespace = "::tc";
  let methods = [InterfaceMethod<[{
    What the op needs of its sizes, for an op whose operands, attributes and
    result types fit each other. That results have no negative size is not in
    the list: it holds for every op.
  }], "::llvm::SmallVector<::tc::SizePrecondition>", "getSizePreconditions">];
  // Behind the op's own verifier, which the list relies on.
  let verifyWithRegions = 1;
  let verify = [{ return ::tc::verifySizePreconditions($_op); }];
}

defvar TC_SizePreconditions = DeclareOpInterfaceMethods<TC_SizePreconditionsOpInterface>;

#endif // TC_INTERFACES
