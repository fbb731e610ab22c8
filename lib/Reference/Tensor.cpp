//===- Tensor.cpp - Tensor values of the reference interpreter ------------===//

#include "TC/Reference/Tensor.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

using namespace mlir;

namespace tc::reference {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

std::optional<ElementKind> getElementKind(Type elementType) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType,
          Float8E5M2Type>(elementType))
    return ElementKind::Float;
  if (auto complex = dyn_cast<ComplexType>(elementType))
    if (isa<Float64Type, Float32Type>(complex.getElementType()))
      return ElementKind::Complex;
  if (elementType.isInteger(1))
    return ElementKind::Bool;
  if (auto integer = dyn_cast<IntegerType>(elementType);
      integer && integer.getWidth() <= 64)
    return integer.isUnsigned() ? ElementKind::Unsigned : ElementKind::Signed;
  return std::nullopt;
}

namespace {
/// The numbers of 128 bits that words stand for.
class WideNumbers {
public:
  using Parts = std::pair<uint64_t, uint64_t>;

  uint64_t getPlace(Parts parts) {
    std::lock_guard lock(mutex);
    auto [entry, isNew] = places.try_emplace(parts, numbers.size());
    if (isNew)
      numbers.push_back(parts);
    return entry->second;
  }
  Parts get(uint64_t place) {
    std::lock_guard lock(mutex);
    return numbers[place];
  }

private:
  std::mutex mutex;
  std::map<Parts, uint64_t> places = {{Parts(), 0}};
  std::vector<Parts> numbers = {Parts()};
};
} // namespace

static WideNumbers &getWideNumbers() {
  static WideNumbers numbers;
  return numbers;
}

Word makeComplexWord(uint64_t real, uint64_t imaginary, Type part) {
  return part.isF32() ? imaginary << 32 | real
                      : getWideNumbers().getPlace({real, imaginary});
}

std::pair<uint64_t, uint64_t> getComplexParts(Word word, Type part) {
  if (part.isF32())
    return {uint32_t(word), word >> 32};
  return getWideNumbers().get(word);
}

/// The type of the parts of a complex type.
static Type getPart(Type elementType) {
  return cast<ComplexType>(elementType).getElementType();
}

int64_t getStoredBytes(Type elementType) {
  if (isa<ComplexType>(elementType))
    return 2 * getStoredBytes(getPart(elementType));
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

/// A float type narrower than f32: bits of mantissa, exponent of the smallest
/// normal number, largest finite value, whether there are infinities.
struct NarrowFormat {
  int mantissa;
  int minExponent;
  double largest;
  bool hasInfinity;
};

static NarrowFormat getNarrowFormat(Type elementType) {
  if (isa<Float16Type>(elementType))
    return {10, -14, 65504.0, true};
  if (isa<BFloat16Type>(elementType))
    return {7, -126, 0x1.FEp127, true};
  if (isa<Float8E5M2Type>(elementType))
    return {2, -14, 57344.0, true};
  return {3, -6, 448.0, false}; // Float8E4M3FN
}

/// Rounds to nearest even. What is too large becomes infinity, or the largest
/// number of a format without infinities.
static double roundToNarrow(double value, const NarrowFormat &format) {
  double overflow = format.hasInfinity ? HUGE_VAL : format.largest;
  if (std::isinf(value))
    return std::copysign(overflow, value);
  if (value == 0 || std::isnan(value))
    return value;
  int exponent = std::max(std::ilogb(value), format.minExponent);
  int unit = exponent - format.mantissa;
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  if (std::fabs(rounded) <= format.largest)
    return rounded;
  return std::copysign(overflow, value);
}

double roundToType(double value, Type elementType) {
  if (isa<Float64Type>(elementType))
    return value;
  if (isa<Float32Type>(elementType))
    return double(float(value));
  return roundToNarrow(value, getNarrowFormat(elementType));
}

void wrapToType(Word *words, int64_t count, Type elementType) {
  std::optional<ElementKind> kind = getElementKind(elementType);
  if (kind == ElementKind::Bool || kind == ElementKind::Complex ||
      isa<Float64Type>(elementType))
    return;
  unsigned unused = 64 - std::min(64u, elementType.getIntOrFloatBitWidth());
  if (kind == ElementKind::Signed) {
    int64_t *integers = reinterpret_cast<int64_t *>(words);
    for (int64_t i = 0; unused && i < count; ++i)
      integers[i] = int64_t(uint64_t(integers[i]) << unused) >> unused;
  } else if (kind == ElementKind::Unsigned) {
    for (int64_t i = 0; unused && i < count; ++i)
      words[i] = words[i] << unused >> unused;
  } else if (isa<Float32Type>(elementType)) {
    double *floats = reinterpret_cast<double *>(words);
    for (int64_t i = 0; i < count; ++i)
      floats[i] = double(float(floats[i]));
  } else {
    double *floats = reinterpret_cast<double *>(words);
    NarrowFormat format = getNarrowFormat(elementType);
    for (int64_t i = 0; i < count; ++i)
      floats[i] = roundToNarrow(floats[i], format);
  }
}

//===----------------------------------------------------------------------===//
// Elements in memory
//===----------------------------------------------------------------------===//

static double decodeNarrow(uint32_t bits, unsigned width,
                           const NarrowFormat &format) {
  uint32_t mantissa = bits & ((1u << format.mantissa) - 1);
  uint32_t field =
      bits >> format.mantissa & ((1u << (width - 1 - format.mantissa)) - 1);
  uint32_t largestField = (1u << (width - 1 - format.mantissa)) - 1;
  double sign = bits >> (width - 1) ? -1.0 : 1.0;
  if (field == largestField) {
    if (format.hasInfinity)
      return mantissa ? std::copysign(std::nan(""), sign) : sign * HUGE_VAL;
    if (mantissa == (1u << format.mantissa) - 1)
      return std::copysign(std::nan(""), sign);
  }
  if (field == 0)
    return sign *
           std::ldexp(double(mantissa), format.minExponent - format.mantissa);
  double significand = double(mantissa | 1u << format.mantissa);
  return sign * std::ldexp(significand, int(field) - 1 + format.minExponent -
                                            format.mantissa);
}

static uint32_t encodeNarrow(double value, unsigned width,
                             const NarrowFormat &format) {
  value = roundToNarrow(value, format);
  uint32_t sign = uint32_t(std::signbit(value)) << (width - 1);
  uint32_t largestField = (1u << (width - 1 - format.mantissa)) - 1;
  if (std::isnan(value)) {
    uint32_t quiet = format.hasInfinity ? 1u << (format.mantissa - 1)
                                        : (1u << format.mantissa) - 1;
    return sign | largestField << format.mantissa | quiet;
  }
  if (std::isinf(value))
    return sign | largestField << format.mantissa;
  if (value == 0)
    return sign;
  int exponent = std::max(std::ilogb(value), format.minExponent);
  uint32_t significand =
      uint32_t(std::ldexp(std::fabs(value), format.mantissa - exponent));
  // A subnormal has no leading bit, so the sum leaves its exponent field at 0.
  return sign | ((uint32_t(exponent - format.minExponent) << format.mantissa) +
                 significand);
}

template <typename Stored, typename Held>
static void decodeAs(const char *bytes, Word *words, int64_t count) {
  Held *held = reinterpret_cast<Held *>(words);
  for (int64_t i = 0; i < count; ++i) {
    Stored element;
    std::memcpy(&element, bytes + i * sizeof(Stored), sizeof(Stored));
    held[i] = Held(element);
  }
}

template <typename Stored, typename Held>
static void encodeAs(const Word *words, char *bytes, int64_t count) {
  const Held *held = reinterpret_cast<const Held *>(words);
  for (int64_t i = 0; i < count; ++i) {
    Stored element = Stored(held[i]);
    std::memcpy(bytes + i * sizeof(Stored), &element, sizeof(Stored));
  }
}

static void decodeComplex(const char *bytes, Type part, Word *words,
                          int64_t count) {
  int64_t size = getStoredBytes(part);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t real = 0, imaginary = 0;
    std::memcpy(&real, bytes + 2 * i * size, size);
    std::memcpy(&imaginary, bytes + (2 * i + 1) * size, size);
    words[i] = makeComplexWord(real, imaginary, part);
  }
}

static void encodeComplex(const Word *words, Type part, char *bytes,
                          int64_t count) {
  int64_t size = getStoredBytes(part);
  for (int64_t i = 0; i < count; ++i) {
    auto [real, imaginary] = getComplexParts(words[i], part);
    std::memcpy(bytes + 2 * i * size, &real, size);
    std::memcpy(bytes + (2 * i + 1) * size, &imaginary, size);
  }
}

void decodeElements(const char *bytes, Type elementType, Word *words,
                    int64_t count) {
  if (isa<ComplexType>(elementType))
    return decodeComplex(bytes, getPart(elementType), words, count);
  unsigned width = elementType.getIntOrFloatBitWidth();
  switch (*getElementKind(elementType)) {
  case ElementKind::Complex:
    return; // above
  case ElementKind::Float:
    if (width == 64)
      return decodeAs<double, double>(bytes, words, count);
    if (width == 32)
      return decodeAs<float, double>(bytes, words, count);
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, bytes + i * (width / 8), width / 8);
      reinterpret_cast<double *>(words)[i] =
          decodeNarrow(bits, width, getNarrowFormat(elementType));
    }
    return;
  case ElementKind::Bool:
    for (int64_t i = 0; i < count; ++i)
      words[i] = bytes[i] != 0;
    return;
  case ElementKind::Signed:
    return width == 8    ? decodeAs<int8_t, int64_t>(bytes, words, count)
           : width == 16 ? decodeAs<int16_t, int64_t>(bytes, words, count)
           : width == 32 ? decodeAs<int32_t, int64_t>(bytes, words, count)
                         : decodeAs<int64_t, int64_t>(bytes, words, count);
  case ElementKind::Unsigned:
    return width == 8    ? decodeAs<uint8_t, uint64_t>(bytes, words, count)
           : width == 16 ? decodeAs<uint16_t, uint64_t>(bytes, words, count)
           : width == 32 ? decodeAs<uint32_t, uint64_t>(bytes, words, count)
                         : decodeAs<uint64_t, uint64_t>(bytes, words, count);
  }
}

void encodeElements(const Word *words, Type elementType, char *bytes,
                    int64_t count) {
  if (isa<ComplexType>(elementType))
    return encodeComplex(words, getPart(elementType), bytes, count);
  unsigned width = elementType.getIntOrFloatBitWidth();
  switch (*getElementKind(elementType)) {
  case ElementKind::Complex:
    return; // above
  case ElementKind::Float:
    if (width == 64)
      return encodeAs<double, double>(words, bytes, count);
    if (width == 32)
      return encodeAs<float, double>(words, bytes, count);
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits = encodeNarrow(reinterpret_cast<const double *>(words)[i],
                                   width, getNarrowFormat(elementType));
      std::memcpy(bytes + i * (width / 8), &bits, width / 8);
    }
    return;
  case ElementKind::Bool:
  case ElementKind::Signed:
  case ElementKind::Unsigned: // two's complement: the low bytes, whatever the
                              // sign
    return width <= 8    ? encodeAs<uint8_t, uint64_t>(words, bytes, count)
           : width == 16 ? encodeAs<uint16_t, uint64_t>(words, bytes, count)
           : width == 32 ? encodeAs<uint32_t, uint64_t>(words, bytes, count)
                         : encodeAs<uint64_t, uint64_t>(words, bytes, count);
  }
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

Tensor::Tensor(Type elementType, ArrayRef<int64_t> sizes)
    : elementType(elementType), kind(*getElementKind(elementType)),
      sizes(sizes), elementCount(1) {
  for (int64_t size : sizes)
    elementCount *= size;
  elements = std::make_shared<uint64_t[]>(std::max<int64_t>(elementCount, 1));
}

int64_t Tensor::getByteCount() const {
  return elementCount * getStoredBytes(elementType);
}

FailureOr<Tensor> Tensor::fromBytes(Location loc, Type elementType,
                                    ArrayRef<int64_t> sizes,
                                    ArrayRef<char> bytes) {
  if (!getElementKind(elementType))
    return emitError(loc)
           << "the reference interpreter has no elements of type "
           << elementType;
  Tensor result(elementType, sizes);
  if (result.getByteCount() != int64_t(bytes.size()))
    return emitError(loc) << "a tensor of type " << elementType << " with "
                          << result.elementCount << " elements takes "
                          << result.getByteCount() << " bytes, but "
                          << bytes.size() << " are given";
  decodeElements(bytes.data(), elementType, result.words(),
                 result.elementCount);
  return result;
}

void Tensor::toBytes(MutableArrayRef<char> bytes) const {
  encodeElements(words(), elementType, bytes.data(), elementCount);
}

std::vector<char> Tensor::toBytes() const {
  std::vector<char> bytes(getByteCount());
  toBytes(bytes);
  return bytes;
}

Tensor Tensor::fromDoubles(Type elementType, ArrayRef<int64_t> sizes,
                           ArrayRef<double> values) {
  Tensor result(elementType, sizes);
  for (auto [index, value] : llvm::enumerate(values)) {
    if (result.kind == ElementKind::Float)
      result.data<double>()[index] = value;
    else
      result.data<int64_t>()[index] =
          result.kind == ElementKind::Bool ? value != 0 : int64_t(value);
  }
  wrapToType(result.words(), result.elementCount, elementType);
  return result;
}

Tensor Tensor::fromIntegers(Type elementType, ArrayRef<int64_t> sizes,
                            ArrayRef<int64_t> values) {
  Tensor result(elementType, sizes);
  for (auto [index, value] : llvm::enumerate(values)) {
    if (result.kind == ElementKind::Float)
      result.data<double>()[index] = double(value);
    else
      result.data<int64_t>()[index] =
          result.kind == ElementKind::Bool ? value != 0 : value;
  }
  wrapToType(result.words(), result.elementCount, elementType);
  return result;
}

double Tensor::getDouble(int64_t index) const {
  switch (kind) {
  case ElementKind::Float:
    return data<double>()[index];
  case ElementKind::Unsigned:
    return double(words()[index]);
  default:
    return double(data<int64_t>()[index]);
  }
}

int64_t Tensor::getInteger(int64_t index) const {
  return kind == ElementKind::Float ? int64_t(data<double>()[index])
                                    : data<int64_t>()[index];
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newSizes) const {
  Tensor result = *this;
  result.sizes.assign(newSizes.begin(), newSizes.end());
  return result;
}

Tensor Tensor::reinterpreted(Type newElementType) const {
  Tensor result = *this;
  result.elementType = newElementType;
  return result;
}

Tensor Tensor::clone() const {
  Tensor result = *this;
  result.elements = std::make_shared_for_overwrite<uint64_t[]>(
      std::max<int64_t>(elementCount, 1));
  std::memcpy(result.elements.get(), elements.get(),
              sizeof(uint64_t) * elementCount);
  return result;
}

/// A complex number as "(real, imaginary)".
static std::string formatComplex(Word word, Type part) {
  auto [real, imaginary] = getComplexParts(word, part);
  auto toDouble = [&](uint64_t bits) {
    return part.isF32() ? double(llvm::bit_cast<float>(uint32_t(bits)))
                        : llvm::bit_cast<double>(bits);
  };
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("(%.9g, %.9g)", toDouble(real), toDouble(imaginary));
  return text;
}

std::string Tensor::str(int64_t limit) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tensor<";
  for (int64_t size : sizes)
    os << size << "x";
  os << elementType << "> [";
  for (int64_t i = 0; i < std::min(elementCount, limit); ++i) {
    if (i)
      os << ", ";
    if (kind == ElementKind::Float)
      os << llvm::format("%.9g", data<double>()[i]);
    else if (kind == ElementKind::Unsigned)
      os << uint64_t(words()[i]);
    else if (kind == ElementKind::Complex)
      os << formatComplex(words()[i], getPart(elementType));
    else
      os << data<int64_t>()[i];
  }
  os << (elementCount > limit ? ", ...]" : "]");
  return text;
}

} // namespace tc::reference
