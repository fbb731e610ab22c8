//===- TCInterfaces.td - Interfaces of tc ops and attributes ----*- tablegen -*-===//

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

def TC_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let description = [{
    How a kernel is computed: an attribute for each way of emission, whose
    fields are all that is decided. What an attribute alone can tell, its own
    verifier checks; what needs the kernel's body, `verifySchedule` of Analysis.
  }];
  let cppNamespace = "::tc";
  let methods = [
    InterfaceMethod<[{
      The dimension of the domain whose points are lanes of a vector, or
      neighbouring threads; -1 for none.
    }], "int64_t", "getVectorDim", (ins), [{}], [{ return -1; }]>,
    InterfaceMethod<"The same schedule with another `vector_dim`, if it has one.",
      "::tc::ScheduleAttrInterface", "withVectorDim", (ins "int64_t":$dim)>,
    InterfaceMethod<"The kind of target it is for: `cpu` or `cuda`.",
      "::llvm::StringRef", "getDeviceKind", (ins), [{}], [{ return "cpu"; }]>,
    InterfaceMethod<[{
      The widest stride, in elements, of lanes that are loaded in whole vectors
      together with what is between them; lanes of a wider one are gathered.
    }], "int64_t", "getMaxStride", (ins), [{}], [{ return ::tc::kUsualMaxStride; }]>,
    InterfaceMethod<[{
      Fails after an error when `kernel`, a `tc.kernel`, has fewer dimensions,
      or is of a class that is not computed so.
    }], "::llvm::LogicalResult", "verifyFor", (ins "::mlir::Operation *":$kernel)>
  ];
}

#endif // TC_INTERFACES
