//===- DType.cpp - Element types ------------------------------------------===//

#include "TC/Runtime/DType.h"
#include "TC/Runtime/ReducedFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tc::runtime;

// Rows in the order of tc_dtype.
static constexpr DTypeInfo dtypeTable[dtypeCount] = {
    {"f64", 8, DTypeKind::Float, "<f8", "F64"},
    {"f32", 4, DTypeKind::Float, "<f4", "F32"},
    {"f16", 2, DTypeKind::Float, "<f2", "F16"},
    // numpy has no bf16 and no f8: they are bytes without meaning to it.
    {"bf16", 2, DTypeKind::Float, "<V2", "BF16"},
    {"i64", 8, DTypeKind::SignedInt, "<i8", "I64"},
    {"i32", 4, DTypeKind::SignedInt, "<i4", "I32"},
    {"i16", 2, DTypeKind::SignedInt, "<i2", "I16"},
    {"i8", 1, DTypeKind::SignedInt, "|i1", "I8"},
    {"ui64", 8, DTypeKind::UnsignedInt, "<u8", "U64"},
    {"ui32", 4, DTypeKind::UnsignedInt, "<u4", "U32"},
    {"ui16", 2, DTypeKind::UnsignedInt, "<u2", "U16"},
    {"ui8", 1, DTypeKind::UnsignedInt, "|u1", "U8"},
    {"i1", 1, DTypeKind::Bool, "|b1", "BOOL"},
    {"f8E4M3FN", 1, DTypeKind::Float, "<V1", "F8_E4M3"},
    {"f8E5M2", 1, DTypeKind::Float, "<V1", "F8_E5M2"},
    {"complex<f32>", 8, DTypeKind::Complex, "<c8", "C64"},
    {"complex<f64>", 16, DTypeKind::Complex, "<c16", ""},
};

const DTypeInfo &tc::runtime::dtypeInfo(DType dtype) {
  return dtypeTable[int32_t(dtype)];
}

std::optional<DType> tc::runtime::dtypeFromABI(int32_t value) {
  if (value < 0 || value >= dtypeCount)
    return std::nullopt;
  return DType(value);
}

std::optional<DType> tc::runtime::dtypeFromName(std::string_view name) {
  for (int32_t i = 0; i < dtypeCount; ++i)
    if (dtypeTable[i].name == name)
      return DType(i);
  static constexpr struct {
    std::string_view name;
    DType dtype;
  } synonyms[] = {
      {"si64", DType::I64},  {"si32", DType::I32},  {"si16", DType::I16},
      {"si8", DType::I8},    {"bool", DType::Bool}, {"c64", DType::C64},
      {"c128", DType::C128},
  };
  for (const auto &synonym : synonyms)
    if (synonym.name == name)
      return synonym.dtype;
  return std::nullopt;
}

namespace {

template <typename T> T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T> void store(void *data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

/// Truncates towards zero; a number out of range becomes the nearest end of the
/// range, and a NaN becomes 0.
template <typename T> T saturate(double value) {
  if (std::isnan(value))
    return 0;
  constexpr double upper = double(uint64_t(1) << (sizeof(T) * 8 - 1)) *
                           (std::numeric_limits<T>::is_signed ? 1.0 : 2.0);
  if (value >= upper)
    return std::numeric_limits<T>::max();
  if (value <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return T(value);
}

} // namespace

double tc::runtime::loadAsDouble(DType dtype, const void *data) {
  switch (dtype) {
  case DType::F64:
  case DType::C128:
    return load<double>(data);
  case DType::F32:
  case DType::C64:
    return load<float>(data);
  case DType::F16:
    return decodeF16(load<uint16_t>(data));
  case DType::BF16:
    return decodeBF16(load<uint16_t>(data));
  case DType::F8E4M3FN:
    return decodeF8E4M3FN(load<uint8_t>(data));
  case DType::F8E5M2:
    return decodeF8E5M2(load<uint8_t>(data));
  case DType::U64:
    return double(load<uint64_t>(data));
  default:
    return double(loadAsInt(dtype, data));
  }
}

void tc::runtime::storeFromDouble(DType dtype, void *data, double value) {
  switch (dtype) {
  case DType::F64:
    return store<double>(data, value);
  case DType::F32:
    return store<float>(data, float(value));
  case DType::F16:
    return store<uint16_t>(data, encodeF16(value));
  case DType::BF16:
    return store<uint16_t>(data, encodeBF16(value));
  case DType::I64:
    return store<int64_t>(data, saturate<int64_t>(value));
  case DType::I32:
    return store<int32_t>(data, saturate<int32_t>(value));
  case DType::I16:
    return store<int16_t>(data, saturate<int16_t>(value));
  case DType::I8:
    return store<int8_t>(data, saturate<int8_t>(value));
  case DType::U64:
    return store<uint64_t>(data, saturate<uint64_t>(value));
  case DType::U32:
    return store<uint32_t>(data, saturate<uint32_t>(value));
  case DType::U16:
    return store<uint16_t>(data, saturate<uint16_t>(value));
  case DType::U8:
    return store<uint8_t>(data, saturate<uint8_t>(value));
  case DType::Bool:
    return store<uint8_t>(data, value != 0);
  case DType::F8E4M3FN:
    return store<uint8_t>(data, encodeF8E4M3FN(value));
  case DType::F8E5M2:
    return store<uint8_t>(data, encodeF8E5M2(value));
  case DType::C64:
    store<float>(data, float(value));
    return store<float>(static_cast<char *>(data) + 4, 0.0f);
  case DType::C128:
    store<double>(data, value);
    return store<double>(static_cast<char *>(data) + 8, 0.0);
  }
}

int64_t tc::runtime::loadAsInt(DType dtype, const void *data) {
  switch (dtype) {
  case DType::I64:
  case DType::U64:
    return load<int64_t>(data);
  case DType::I32:
    return load<int32_t>(data);
  case DType::I16:
    return load<int16_t>(data);
  case DType::I8:
    return load<int8_t>(data);
  case DType::U32:
    return load<uint32_t>(data);
  case DType::U16:
    return load<uint16_t>(data);
  case DType::U8:
    return load<uint8_t>(data);
  case DType::Bool:
    return load<uint8_t>(data) != 0;
  default:
    return saturate<int64_t>(loadAsDouble(dtype, data));
  }
}

void tc::runtime::storeFromInt(DType dtype, void *data, int64_t value) {
  switch (dtypeInfo(dtype).kind) {
  case DTypeKind::SignedInt:
  case DTypeKind::UnsignedInt:
    // Little-endian: the low bytes come first.
    std::memcpy(data, &value, dtypeSize(dtype));
    return;
  case DTypeKind::Bool:
    return store<uint8_t>(data, value != 0);
  default:
    return storeFromDouble(dtype, data, double(value));
  }
}
