//===- TensorPrint.cpp - Tensors as text ----------------------------------===//

#include "TC/Runtime/TensorPrint.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace tc::runtime;

/// Few digits that read back to the same bits.
static std::string printFloat(DType dtype, const void *element) {
  const double value = loadAsDouble(dtype, element);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[64];
  if (dtype == DType::F64 || dtype == DType::F32) {
    auto result = dtype == DType::F64
                      ? std::to_chars(text, text + sizeof(text), value)
                      : std::to_chars(text, text + sizeof(text), float(value));
    return std::string(text, result.ptr);
  }
  // 65504 rather than the shorter 6.55e+04.
  if (value == std::trunc(value) && std::abs(value) < 1e6 && value != 0)
    return std::to_string(int64_t(value));
  // The shortest text of a smaller type: try more digits until it reads back.
  const size_t bytes = dtypeSize(dtype);
  for (int digits = 1; digits < 17; ++digits) {
    auto result = std::to_chars(text, text + sizeof(text), value,
                                std::chars_format::general, digits);
    double back = 0;
    std::from_chars(text, result.ptr, back);
    char encoded[8];
    storeFromDouble(dtype, encoded, back);
    if (std::memcmp(encoded, element, bytes) == 0)
      return std::string(text, result.ptr);
  }
  auto result = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, result.ptr);
}

std::string tc::runtime::printElement(DType dtype, const void *element) {
  switch (dtypeInfo(dtype).kind) {
  case DTypeKind::Float:
    return printFloat(dtype, element);
  case DTypeKind::Complex: {
    const DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
    const std::string real = printFloat(part, element);
    const std::string imaginary =
        printFloat(part, static_cast<const char *>(element) + dtypeSize(part));
    return real + (imaginary[0] == '-' ? "" : "+") + imaginary + "j";
  }
  case DTypeKind::UnsignedInt:
    return std::to_string(uint64_t(loadAsInt(dtype, element)));
  default:
    return std::to_string(loadAsInt(dtype, element));
  }
}

namespace {

class Printer {
public:
  Printer(const Tensor &tensor, int64_t largestCount)
      : tensor(tensor), left(largestCount) {}

  std::string print() {
    text = tensor.typeString() + "=";
    printFrom(0, static_cast<const char *>(tensor.data()), false);
    return std::move(text);
  }

private:
  /// Prints dimension `dim` and those inside it; the outermost one has no
  /// brackets.
  void printFrom(int32_t dim, const char *data, bool brackets) {
    if (dim == tensor.rank()) {
      if (left-- > 0)
        text += printElement(tensor.dtype(), data);
      else
        text += "...";
      return;
    }
    if (brackets)
      text += '[';
    const int64_t step =
        tensor.strides()[size_t(dim)] * int64_t(dtypeSize(tensor.dtype()));
    const bool innermost = dim + 1 == tensor.rank();
    for (int64_t i = 0; i < tensor.size(dim); ++i) {
      if (innermost && i > 0)
        text += ' ';
      const bool full = left <= 0;
      if (full && !innermost) {
        text += "...";
        break;
      }
      printFrom(dim + 1, data + i * step, true);
      if (full)
        break;
    }
    if (brackets)
      text += ']';
  }

  const Tensor &tensor;
  int64_t left;
  std::string text;
};

} // namespace

std::string tc::runtime::printTensor(const Tensor &tensor,
                                     int64_t largestCount) {
  if (tensor.deviceKind() != TC_DEVICE_CPU)
    return tensor.typeString() + "=<on device>";
  return Printer(tensor, largestCount).print();
}
