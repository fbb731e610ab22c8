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

#endif // TC_INTERFACES
