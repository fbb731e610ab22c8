//===- DType.h - Element types ----------------------------------*- C++ -*-===//

#ifndef TC_RUNTIME_DTYPE_H
#define TC_RUNTIME_DTYPE_H

#include "TC/Runtime/ABI.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tc::runtime {

/// An element type. The values are those of tc_dtype.
enum class DType : int32_t {
  F64 = TC_DTYPE_F64,
  F32 = TC_DTYPE_F32,
  F16 = TC_DTYPE_F16,
  BF16 = TC_DTYPE_BF16,
  I64 = TC_DTYPE_I64,
  I32 = TC_DTYPE_I32,
  I16 = TC_DTYPE_I16,
  I8 = TC_DTYPE_I8,
  U64 = TC_DTYPE_U64,
  U32 = TC_DTYPE_U32,
  U16 = TC_DTYPE_U16,
  U8 = TC_DTYPE_U8,
  Bool = TC_DTYPE_BOOL,
  F8E4M3FN = TC_DTYPE_F8E4M3FN,
  F8E5M2 = TC_DTYPE_F8E5M2,
  C64 = TC_DTYPE_C64,
  C128 = TC_DTYPE_C128,
};

/// Number of element types; their values are 0 to this, exclusive.
inline constexpr int32_t dtypeCount = 17;

enum class DTypeKind : uint8_t { Float, SignedInt, UnsignedInt, Bool, Complex };

/// One row of the table of element types.
struct DTypeInfo {
  std::string_view name; ///< as MLIR spells it: f32, i1, ui8
  size_t size;           ///< bytes of one element
  DTypeKind kind;
  std::string_view numpyDescr;      ///< as numpy.save writes it: <f4, |b1
  std::string_view safetensorsName; ///< such as F32; empty when it has none
};

/// The row of a dtype.
const DTypeInfo &dtypeInfo(DType dtype);

inline std::string_view dtypeName(DType dtype) { return dtypeInfo(dtype).name; }
inline size_t dtypeSize(DType dtype) { return dtypeInfo(dtype).size; }
inline bool isFloat(DType dtype) {
  return dtypeInfo(dtype).kind == DTypeKind::Float;
}
inline bool isComplex(DType dtype) {
  return dtypeInfo(dtype).kind == DTypeKind::Complex;
}

/// The dtype of a tc_dtype value, if it is one.
std::optional<DType> dtypeFromABI(int32_t value);

/// The dtype that MLIR spells `name`; also takes si8..si64, bool, c64 and c128.
std::optional<DType> dtypeFromName(std::string_view name);

/// Reads the element at `data`, which need not be aligned, as a double: a
/// complex number's real part, 0 or 1 for a bool. Integers beyond 2^53 round.
double loadAsDouble(DType dtype, const void *data);

/// Writes `value` rounded to nearest even to the element at `data`; integers
/// take it truncated and saturated, a bool is `value != 0`.
void storeFromDouble(DType dtype, void *data, double value);

/// Reads an integer or bool element; those of ui64 beyond the range wrap.
int64_t loadAsInt(DType dtype, const void *data);

/// Writes an integer, truncated to the type's bits; floats round.
void storeFromInt(DType dtype, void *data, int64_t value);

} // namespace tc::runtime

#endif // TC_RUNTIME_DTYPE_H
