//===- TCBase.td - The tc dialect: constraints and base classes -*- tablegen -*-===//

#ifndef TC_BASE
#define TC_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TC_Dialect : Dialect {
  let name = "tc";
  let cppNamespace = "::tc";
  let summary = "Tensor graphs with PyTorch's meaning, from capture to kernels";
  let description = [{
    The `tc` dialect holds a tensor program from the captured graph down to
    `tc.kernel` regions. Values are builtin ranked tensors; a size that is not
    known is an expression over named symbols in the tensor's encoding
    (`tensor<?x768xf32, #tc.sizes<[s0 * 4, 768]>>`), so two types are equal
    exactly when their sizes are. Meaning follows PyTorch throughout; where
    PyTorch is implicit (broadcasting, type promotion) `tc` has an op.
  }];
  let dependentDialects = ["::mlir::complex::ComplexDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

// The summaries are what diagnostics and the op pages say.
def TC_Float : AnyTypeOf<[F64, F32, F16, BF16], "float (f64, f32, f16, bf16)">;
def TC_SignedInteger : AnyTypeOf<[I<8>, I<16>, I<32>, I<64>], "signed integer">;
def TC_UnsignedInteger : AnyTypeOf<[UI<8>, UI<16>, UI<32>, UI<64>], "unsigned integer">;
def TC_Bool : I<1>;
def TC_Integer : AnyTypeOf<[TC_SignedInteger, TC_UnsignedInteger], "integer of 8 to 64 bits">;
def TC_IntegerOrBool : AnyTypeOf<[TC_Integer, TC_Bool], "integer or bool">;
def TC_Numeric : AnyTypeOf<[TC_Float, TC_Integer], "number">;
/// Moved, multiplied by contractions, and cast to and from numbers.
def TC_Float8 : AnyTypeOf<[F8E4M3FN, F8E5M2], "float8">;
def TC_Multiplied : AnyTypeOf<[TC_Numeric, TC_Float8], "number or float8">;
/// Moved alone.
def TC_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def TC_Computable : AnyTypeOf<[TC_Float, TC_Integer, TC_Bool], "number or bool">;
def TC_Castable : AnyTypeOf<[TC_Computable, TC_Float8], "number, bool or float8">;
def TC_Element : AnyTypeOf<[TC_Castable, TC_Complex], "number, bool, float8 or complex">;

/// Every `?` of a tensor type is named by its #tc.sizes.
def TC_HasSizes : CPred<"::tc::hasKnownSizes(::llvm::cast<::mlir::RankedTensorType>($_self))">;
class TC_TensorOf<Type element>
    : ConfinedType<RankedTensorOf<[element]>, [TC_HasSizes],
                   "tensor of " # element.summary # " with every '?' named in #tc.sizes">;
def TC_Tensor : TC_TensorOf<TC_Element>;
def TC_ComputableTensor : TC_TensorOf<TC_Computable>;
def TC_NumericTensor : TC_TensorOf<TC_Numeric>;
def TC_MultipliedTensor : TC_TensorOf<TC_Multiplied>;
def TC_FloatTensor : TC_TensorOf<TC_Float>;
def TC_IndexTensor : TC_TensorOf<AnyTypeOf<[I<32>, I<64>], "i32 or i64">>;
def TC_BoolTensor : TC_TensorOf<TC_Bool>;

/// An operand of an elementwise op: a tensor, or a scalar inside `tc.kernel`.
class TC_TensorOrScalarOf<Type element>
    : AnyTypeOf<[TC_TensorOf<element>, element],
                element.summary # ", or tensor of it with every '?' named in #tc.sizes">;

/// What a kernel reads and writes: a tensor before bufferize, a memref after.
def TC_Buffer : AnyTypeOf<[TC_Tensor, MemRefOf<[TC_Element]>],
                          "tensor or memref of number, bool, float8 or complex">;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class TC_Op<string mnemonic, list<Trait> traits = []> : Op<TC_Dialect, mnemonic, traits>;

/// A pure op whose result types follow from its operands and attributes.
class TC_InferredOp<string mnemonic, list<Trait> traits = []>
    : TC_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)>;

#endif // TC_BASE
