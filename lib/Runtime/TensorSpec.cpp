//===- TensorSpec.cpp - Tensors on a command line -------------------------===//

#include "TC/Runtime/TensorSpec.h"
#include "TC/Runtime/MappedFile.h"
#include "TC/Runtime/Npy.h"
#include "TC/Runtime/Npz.h"
#include "TC/Runtime/TensorPrint.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace tc::runtime;

namespace {

Status invalid(const std::string &message) {
  return Status(ErrorCode::InvalidArgument, message);
}

std::string quote(std::string_view text) {
  // A long list of values would drown the message.
  constexpr size_t longest = 80;
  if (text.size() > longest)
    return "'" + std::string(text.substr(0, longest)) + "...'";
  return "'" + std::string(text) + "'";
}

/// Removes `word` from the front of `text`.
bool consume(std::string_view &text, std::string_view word) {
  if (!text.starts_with(word))
    return false;
  text.remove_prefix(word.size());
  return true;
}

/// Reads a number as strtod does, and moves past it. Takes inf, nan and
/// hexadecimal numbers in any case.
bool readFloat(std::string_view &text, double &value) {
  if (text.empty() || std::strchr(" \t\n\r\v\f", text[0]))
    return false;
  const std::string terminated(text);
  char *end = nullptr;
  value = std::strtod(terminated.c_str(), &end);
  const size_t length = size_t(end - terminated.c_str());
  text.remove_prefix(length);
  return length > 0;
}

/// Reads an integer of the dtype; false if it is none or does not fit.
bool parseInteger(DType dtype, std::string_view token, void *element) {
  const bool negative = consume(token, "-");
  if (!negative)
    consume(token, "+");
  const int base = consume(token, "0x") || consume(token, "0X") ? 16 : 10;
  uint64_t magnitude = 0;
  auto result = std::from_chars(token.data(), token.data() + token.size(),
                                magnitude, base);
  if (result.ec != std::errc() || result.ptr != token.data() + token.size())
    return false;
  const unsigned bits = unsigned(dtypeSize(dtype) * 8);
  const bool isSigned = dtypeInfo(dtype).kind == DTypeKind::SignedInt;
  const uint64_t half = uint64_t(1) << (bits - 1);
  uint64_t largest = half - 1 + half; // all bits
  if (isSigned)
    largest = negative ? half : half - 1;
  else if (negative)
    largest = 0;
  if (magnitude > largest)
    return false;
  storeFromInt(dtype, element, int64_t(negative ? 0 - magnitude : magnitude));
  return true;
}

/// Reads "1", "2j", "1+2j" or "1-2j".
bool parseComplex(DType dtype, std::string_view token, char *element) {
  const DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
  double real = 0, imaginary = 0;
  if (!readFloat(token, real))
    return false;
  if (token == "j") {
    imaginary = std::exchange(real, 0);
  } else if (!token.empty()) {
    if ((token[0] != '+' && token[0] != '-') || !readFloat(token, imaginary) ||
        token != "j")
      return false;
  }
  storeFromDouble(part, element, real);
  storeFromDouble(part, element + dtypeSize(part), imaginary);
  return true;
}

/// Reads one element; false if the token is not one of the dtype.
bool parseElement(DType dtype, std::string_view token, char *element) {
  switch (dtypeInfo(dtype).kind) {
  case DTypeKind::SignedInt:
  case DTypeKind::UnsignedInt:
    return parseInteger(dtype, token, element);
  case DTypeKind::Bool:
    if (token != "0" && token != "1" && token != "true" && token != "false")
      return false;
    *element = token == "1" || token == "true";
    return true;
  case DTypeKind::Complex:
    return parseComplex(dtype, token, element);
  case DTypeKind::Float:
    break;
  }
  if (dtype == DType::F32) {
    // Not by way of double, which would round twice.
    const std::string terminated(token);
    char *end = nullptr;
    const float value = std::strtof(terminated.c_str(), &end);
    if (token.empty() || end != terminated.c_str() + terminated.size())
      return false;
    storeFromDouble(dtype, element, double(value));
    return true;
  }
  double value = 0;
  if (!readFloat(token, value) || !token.empty())
    return false;
  storeFromDouble(dtype, element, value);
  return true;
}

/// Gives the elements of a list one by one. Whitespace, commas and brackets
/// separate; brackets must close in order.
class ElementList {
public:
  explicit ElementList(std::string_view text) : text(text) {}

  /// The next element, or nothing at the end.
  std::optional<std::string_view> next() {
    static constexpr std::string_view separators = " \t\r\n,[]";
    while (position < text.size() &&
           separators.find(text[position]) != std::string_view::npos) {
      depth += text[position] == '[';
      depth -= text[position] == ']';
      balanced &= depth >= 0;
      ++position;
    }
    if (position == text.size())
      return std::nullopt;
    const size_t end =
        std::min(text.find_first_of(separators, position), text.size());
    std::string_view token = text.substr(position, end - position);
    position = end;
    return token;
  }

  bool bracketsMatch() const { return balanced && depth == 0; }

private:
  std::string_view text;
  size_t position = 0;
  int depth = 0;
  bool balanced = true;
};

Expected<Tensor> parseElements(const TensorType &type, std::string_view text) {
  const std::string typeText = typeString(type.dtype, type.sizes);
  Expected<Tensor> tensor = Tensor::empty(type.dtype, type.sizes);
  if (!tensor.ok())
    return tensor;
  const int64_t count = tensor->elementCount();
  const size_t bytes = dtypeSize(type.dtype);
  char *data = tensor->dataAs<char>();
  char surplus[16];
  int64_t given = 0;
  ElementList list(text);
  while (auto token = list.next()) {
    if (!parseElement(type.dtype, *token,
                      given < count ? data + size_t(given) * bytes : surplus))
      return invalid(quote(*token) + " is not a value of type " +
                     std::string(dtypeName(type.dtype)) + ", in '" + typeText +
                     "'");
    ++given;
  }
  if (!list.bracketsMatch())
    return invalid("the brackets in " + quote(text) + " do not match");
  if (given == 1)
    for (int64_t i = 1; i < count; ++i)
      std::memcpy(data + size_t(i) * bytes, data, bytes);
  else if (given != count)
    return invalid("'" + typeText + "' has " + std::to_string(given) +
                   " values, expected " + std::to_string(count) +
                   " or 1 for all");
  return tensor;
}

bool isNpy(std::string_view path) { return path.ends_with(".npy"); }

Expected<Tensor> readTyped(const TensorType &type, const std::string &path) {
  const std::string typeText = typeString(type.dtype, type.sizes);
  if (isNpy(path)) {
    Expected<Tensor> tensor = readNpy(path, type.dtype);
    if (tensor.ok() && tensor->typeString() != typeText)
      return invalid("'" + path + "' holds " + tensor->typeString() +
                     ", expected " + typeText);
    return tensor;
  }
  Expected<StorageRef> file = mapFile(path);
  if (!file.ok())
    return file.takeStatus();
  Expected<Tensor> tensor = Tensor::empty(type.dtype, type.sizes);
  if (!tensor.ok())
    return tensor;
  if ((*file)->bytes != tensor->byteCount())
    return invalid("'" + path + "' has " + std::to_string((*file)->bytes) +
                   " bytes, expected " + std::to_string(tensor->byteCount()) +
                   " for " + typeText);
  if (tensor->byteCount() > 0)
    std::memcpy(tensor->data(), (*file)->data, tensor->byteCount());
  return tensor;
}

Expected<std::vector<Tensor>> readUntyped(const std::string &path,
                                          std::optional<DType> expected) {
  if (isNpy(path))
    return readNpyStream(path, expected);
  if (!path.ends_with(".npz"))
    return invalid("'" + path +
                   "' is neither .npy nor .npz: give its type, as in "
                   "2x3xf32=@file.bin");
  Expected<std::vector<NamedTensor>> named = readNpz(path, expected);
  if (!named.ok())
    return named.takeStatus();
  std::vector<Tensor> tensors;
  for (auto &[name, tensor] : *named)
    tensors.push_back(std::move(tensor));
  return tensors;
}

/// The type of a bare scalar that nobody expects a type of.
DType scalarType(std::string_view text) {
  const bool isInteger =
      text.find_first_not_of("+-0123456789") == std::string_view::npos;
  if (text == "true" || text == "false")
    return DType::Bool;
  if (!text.empty() && text.back() == 'j')
    return DType::C64;
  return isInteger || text.starts_with("0x") ? DType::I64 : DType::F32;
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

} // namespace

Expected<TensorType> tc::runtime::parseTensorType(std::string_view text) {
  TensorType type;
  std::string_view rest = text;
  while (!rest.empty() && (rest[0] == '?' || rest[0] == '-' ||
                           (rest[0] >= '0' && rest[0] <= '9'))) {
    int64_t size = 0;
    auto result = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const size_t length = size_t(result.ptr - rest.data());
    if (result.ec != std::errc() || size < 0 || length >= rest.size() ||
        rest[length] != 'x')
      return invalid("the size at " + quote(rest) + " in type " + quote(text) +
                     " is no number followed by 'x'");
    type.sizes.push_back(size);
    rest.remove_prefix(length + 1);
  }
  const std::optional<DType> dtype = dtypeFromName(rest);
  if (!dtype)
    return invalid("the type " + quote(text) + " has the unknown dtype " +
                   quote(rest));
  type.dtype = *dtype;
  if (type.sizes.size() > TC_MAX_RANK)
    return invalid("the type " + quote(text) + " has rank " +
                   std::to_string(type.sizes.size()) + ", more than " +
                   std::to_string(TC_MAX_RANK));
  return type;
}

Expected<std::vector<Tensor>>
tc::runtime::parseInputSpec(std::string_view spec,
                            std::optional<DType> expectedDType) {
  spec = trim(spec);
  if (spec.empty())
    return invalid("an input is empty");
  if (spec[0] == '@' || spec[0] == '*')
    return readUntyped(std::string(spec.substr(1)), expectedDType);

  auto single = [](Expected<Tensor> tensor) -> Expected<std::vector<Tensor>> {
    if (!tensor.ok())
      return tensor.takeStatus();
    return std::vector<Tensor>{*std::move(tensor)};
  };
  const size_t equals = spec.find('=');
  const std::string_view typeText = trim(spec.substr(0, equals));
  Expected<TensorType> type = parseTensorType(typeText);
  if (equals == std::string_view::npos) {
    if (type.ok())
      return single(Tensor::zeros(type->dtype, type->sizes));
    const DType dtype = expectedDType.value_or(scalarType(spec));
    char element[16];
    if (!parseElement(dtype, spec, element)) {
      // With an 'x' it was rather meant as a type.
      if (spec.find('x') != std::string_view::npos && !spec.starts_with("0x"))
        return type.takeStatus();
      return invalid(quote(spec) + " is neither a type nor a value of type " +
                     std::string(dtypeName(dtype)));
    }
    return single(parseElements({dtype, {}}, spec));
  }
  if (!type.ok())
    return type.takeStatus();
  const std::string_view value = trim(spec.substr(equals + 1));
  if (value.starts_with('@'))
    return single(readTyped(*type, std::string(value.substr(1))));
  return single(parseElements(*type, value));
}

Expected<OutputSpec> tc::runtime::parseOutputSpec(std::string_view spec) {
  OutputSpec result;
  spec = trim(spec);
  if (spec.empty()) {
    result.action = OutputSpec::Action::Ignore;
    return result;
  }
  if (spec == "-")
    return result;
  if ((spec[0] != '@' && spec[0] != '+') || spec.size() == 1)
    return invalid("the output " + quote(spec) +
                   " is none of '-', '@file' and '+file'");
  result.append = spec[0] == '+';
  result.path = spec.substr(1);
  result.action = isNpy(result.path) ? OutputSpec::Action::WriteNpy
                                     : OutputSpec::Action::WriteRaw;
  return result;
}

Status tc::runtime::writeOutput(const OutputSpec &spec, const Tensor &tensor,
                                std::string &text) {
  switch (spec.action) {
  case OutputSpec::Action::Ignore:
    return Status::success();
  case OutputSpec::Action::Print:
    text += printTensor(tensor) + "\n";
    return Status::success();
  case OutputSpec::Action::WriteNpy:
    return spec.append ? appendNpy(spec.path, tensor)
                       : writeNpy(spec.path, tensor);
  case OutputSpec::Action::WriteRaw:
    break;
  }
  Expected<Tensor> rowMajor = tensor.contiguous();
  if (!rowMajor.ok())
    return rowMajor.takeStatus();
  const std::span<const char> bytes(rowMajor->dataAs<const char>(),
                                    rowMajor->byteCount());
  return writeFile(spec.path, {&bytes, 1}, spec.append);
}
