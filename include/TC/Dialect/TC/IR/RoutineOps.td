//===- RoutineOps.td - Factorisations and Fourier transforms -*- tablegen -*-===//

#ifndef TC_ROUTINE_OPS
#define TC_ROUTINE_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_RealTensor : TC_TensorOf<AnyTypeOf<[F32, F64], "f32 or f64">>;

def TC_RoutineOp : TC_InferredOp<"routine", [TC_SizePreconditions]> {
  let summary = "a factorisation of matrices, a Fourier transform of rows, or a selection from rows";
  let description = [{
    Works on the last dimensions of its operands, for every point of the
    others, which all operands have alike. Computed in f64. `info` is 0 where
    it succeeded, and otherwise the number of the pivot that failed, from 1;
    with `checked` that is an error of the call.

    | routine | operands | results |
    |---|---|---|
    | `cholesky` | A [n, n], lower triangle read | L [n, n], info [] |
    | `inverse` | A [n, n] | its inverse [n, n], info [] |
    | `solve` | A [n, n], B [n, k] | X [n, k] with A X = B, info [] |
    | `solve_lower`, `solve_upper` | A [n, n], that triangle read, B [n, k] | X [n, k] with A X = B |
    | `determinant` | A [n, n] | determinant [], its sign [], logarithm of its absolute value [] |
    | `qr` | A [m, n] | Q [m, p], R [p, n], p = min(m, n) |
    | `svd` | A [m, n] | U [m, p], S [p] in descending order, V transposed [p, n], p = min(m, n) |
    | `eigh` | A [n, n], lower triangle read | eigenvalues [n] in ascending order, eigenvectors [n, n] |
    | `fft`, `inverse_fft` | real part [n], imaginary part [n] | real part [n], imaginary part [n], not scaled |
    | `largest`, `smallest` | x [n], a tensor [k] of which only the size counts | positions [k] of the k largest, or smallest, elements in order |
    | `largest_unsorted`, `smallest_unsorted` | the same | the same positions in an order that is not specified further |

    Selections need k to be at most n, count NaN as largest, and leave equal
    elements in the order in which PyTorch's CPU kernel of `topk` leaves them,
    as they run the same algorithms of the C++ library: `tc.topk`, of which
    the first of equal elements comes first, is the form for other devices.

    Operands and results are all f32 or all f64; the leading sizes of all
    operands are equal, and so are the sizes that the table names alike.
    PyTorch: `linalg.cholesky_ex`, `linalg.inv_ex`, `linalg.solve_ex`,
    `linalg.solve_triangular`, `linalg.det`, `linalg.slogdet`, `linalg.qr`,
    `linalg.svd`, `linalg.eigh`, `fft.fft`, indices of `topk`.

    Example: `%l, %info = tc.routine cholesky(%a) : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xf32>)`
  }];
  let arguments = (ins TC_RoutineKindAttr:$kind, Variadic<TC_RealTensor>:$operands, UnitAttr:$checked);
  let results = (outs Variadic<TC_RealTensor>:$results);
  let assemblyFormat = "``$kind `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether it selects k of the n elements of a row.
    bool isSelection();
  }];
}

def TC_RoutineStageOp : TC_Op<"routine_stage", [Pure, HasParent<"KernelOp">]> {
  let summary = "a routine on the values over some dimensions of the domain";
  let description = [{
    `tc.routine` inside of a kernel: operand i is the values over the
    dimensions `over[i]`, result i is values over the dimensions `to[i]`. All of
    these dimensions are distinct; over the others, which the operands may vary
    over, there is one call a point.

    Example: `%l, %info = tc.routine_stage cholesky(%a) over [[1, 2]] to [[3, 4], []] : (f32) -> (f32, f32)`
  }];
  let arguments = (ins TC_RoutineKindAttr:$kind, Variadic<AnyTypeOf<[F32, F64]>>:$operands,
                       ArrayAttr:$over, ArrayAttr:$to, UnitAttr:$checked);
  let results = (outs Variadic<AnyTypeOf<[F32, F64]>>:$results);
  let assemblyFormat = [{
    ``$kind `(` $operands `)` `over` custom<DimLists>($over) `to` custom<DimLists>($to) attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimensions that operand or result `index` is a matrix over.
    llvm::SmallVector<int64_t> getOverDims(unsigned index);
    llvm::SmallVector<int64_t> getToDims(unsigned index);
  }];
}

#endif // TC_ROUTINE_OPS
