//===- Npy.cpp - numpy's array files --------------------------------------===//
//
// The format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/Npy.h"
#include "TC/Runtime/MappedFile.h"

#include <algorithm>
#include <cstring>

using namespace tc::runtime;

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// The content of the header.
struct NpyHeader {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the header, a Python dictionary of three entries.
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string_view name)
      : text(text), name(name) {}

  Expected<NpyHeader> parse() {
    NpyHeader header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!consume('{'))
      return error("a dictionary was expected");
    while (!consume('}')) {
      std::string key;
      if (!parseString(key) || !consume(':'))
        return error("a key and a colon were expected");
      if (key == "descr" && peek() == '[')
        return Status(ErrorCode::Unsupported,
                      quoted() +
                          " holds a structured dtype, which is no tensor");
      bool good = false;
      if (key == "descr")
        good = hasDescr = parseString(header.descr);
      else if (key == "fortran_order")
        good = hasOrder = parseBool(header.fortranOrder);
      else if (key == "shape")
        good = hasShape = parseShape(header.shape);
      if (!good)
        return error("entry '" + key +
                     "' is not one of numpy's, or its value is not");
      if (!consume(',') && peek() != '}')
        return error("a comma or the end was expected");
    }
    if (!hasDescr || !hasOrder || !hasShape)
      return error("'descr', 'fortran_order' or 'shape' is missing");
    return header;
  }

private:
  std::string quoted() const { return "'" + std::string(name) + "'"; }

  Status error(const std::string &reason) const {
    return Status(ErrorCode::CorruptData,
                  quoted() + " has a bad npy header: " + reason + " at byte " +
                      std::to_string(position));
  }

  char peek() {
    while (position < text.size() && std::strchr(" \t\r\n", text[position]) &&
           text[position])
      ++position;
    return position < text.size() ? text[position] : '\0';
  }

  bool consume(char c) {
    if (peek() != c || position >= text.size())
      return false;
    ++position;
    return true;
  }

  bool parseString(std::string &value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    const size_t end = text.find(quote, position + 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return true;
  }

  bool parseBool(bool &value) {
    peek();
    for (auto [word, meaning] :
         {std::pair<std::string_view, bool>("True", true), {"False", false}})
      if (text.substr(position, word.size()) == word) {
        position += word.size();
        value = meaning;
        return true;
      }
    return false;
  }

  bool parseShape(std::vector<int64_t> &shape) {
    if (!consume('('))
      return false;
    while (!consume(')')) {
      int64_t size = 0;
      bool any = false;
      for (char c = peek(); c >= '0' && c <= '9'; any = true) {
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, c - '0', &size))
          return false;
        ++position;
        c = position < text.size() ? text[position] : '\0';
      }
      if (!any || shape.size() == TC_MAX_RANK)
        return false;
      consume('L'); // Python 2 wrote long integers so
      shape.push_back(size);
      if (!consume(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
  std::string_view name;
  size_t position = 0;
};

/// Finds the dtype that `descr` means; `swapped` says that it is big-endian.
Expected<DType> dtypeOfDescr(const std::string &descr, std::string_view name,
                             std::optional<DType> expected, bool &swapped) {
  auto mismatch = [&](ErrorCode code, const std::string &reason) {
    return Status(code, "'" + std::string(name) + "' holds dtype '" + descr +
                            "', " + reason);
  };
  swapped = !descr.empty() && descr[0] == '>';
  const bool hasOrder = !descr.empty() && std::strchr("<>|=", descr[0]);
  const std::string_view kind = std::string_view(descr).substr(hasOrder);
  if (kind == "V1" || kind == "V2") {
    const size_t bytes = size_t(kind[1] - '0');
    if (expected && dtypeSize(*expected) == bytes)
      return *expected;
    if (expected)
      return mismatch(ErrorCode::InvalidArgument,
                      "expected " + std::string(dtypeName(*expected)));
    if (bytes == 2)
      return DType::BF16;
    return mismatch(ErrorCode::InvalidArgument,
                    "which may be any one-byte type: say which is expected");
  }
  for (int32_t i = 0; i < dtypeCount; ++i) {
    const DType dtype = DType(i);
    // ml_dtypes has numpy.save write f1, which numpy.load then refuses.
    const bool matches = dtypeInfo(dtype).numpyDescr.substr(1) == kind ||
                         (dtype == DType::F8E5M2 && kind == "f1");
    if (!matches)
      continue;
    if (expected && *expected != dtype)
      return mismatch(ErrorCode::InvalidArgument,
                      "expected " + std::string(dtypeName(*expected)));
    swapped = swapped && dtypeSize(dtype) > 1;
    return dtype;
  }
  return mismatch(ErrorCode::Unsupported, "which TC has no type for");
}

/// Reverses the bytes of each number; a complex element is two numbers.
void swapBytes(DType dtype, char *data, size_t bytes) {
  const size_t width =
      isComplex(dtype) ? dtypeSize(dtype) / 2 : dtypeSize(dtype);
  for (size_t i = 0; i < bytes; i += width)
    std::reverse(data + i, data + i + width);
}

/// The bytes of the magic string, the version and the header's text.
Expected<NpyHeader> parseHeader(std::span<const char> bytes, size_t &offset,
                                std::string_view name) {
  auto corrupt = [&](const std::string &reason) {
    return Status(ErrorCode::CorruptData,
                  "'" + std::string(name) + "' is no npy data: " + reason);
  };
  const std::string_view rest(bytes.data() + offset, bytes.size() - offset);
  if (rest.substr(0, magic.size()) != magic)
    return corrupt("it does not begin with \\x93NUMPY");
  if (rest.size() < 8)
    return corrupt("it ends inside the header");
  const int major = static_cast<unsigned char>(rest[6]);
  if (major < 1 || major > 3)
    return Status(ErrorCode::Unsupported,
                  "'" + std::string(name) + "' has npy version " +
                      std::to_string(major) + ", expected 1 to 3");
  const size_t lengthBytes = major == 1 ? 2 : 4;
  size_t length = 0;
  if (rest.size() < 8 + lengthBytes)
    return corrupt("it ends inside the header");
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(static_cast<unsigned char>(rest[8 + i])) << (8 * i);
  if (rest.size() - 8 - lengthBytes < length)
    return corrupt("a header of " + std::to_string(length) +
                   " bytes reaches beyond its end");
  offset += 8 + lengthBytes + length;
  return HeaderParser(rest.substr(8 + lengthBytes, length), name).parse();
}

} // namespace

Expected<Tensor> tc::runtime::parseNpy(std::span<const char> bytes,
                                       size_t &offset, std::string_view name,
                                       std::optional<DType> expectedDType) {
  size_t position = offset;
  Expected<NpyHeader> header = parseHeader(bytes, position, name);
  if (!header.ok())
    return header.takeStatus();
  bool swapped = false;
  Expected<DType> dtype =
      dtypeOfDescr(header->descr, name, expectedDType, swapped);
  if (!dtype.ok())
    return dtype.takeStatus();

  std::vector<int64_t> sizes = header->shape;
  const std::optional<int64_t> count = countElements(sizes);
  int64_t needed = 0;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t(dtypeSize(*dtype)), &needed))
    return Status(ErrorCode::CorruptData,
                  "'" + std::string(name) +
                      "' has a shape that is too large, " +
                      typeString(*dtype, sizes));
  if (size_t(needed) > bytes.size() - position)
    return Status(ErrorCode::CorruptData,
                  "'" + std::string(name) + "' holds " +
                      std::to_string(bytes.size() - position) +
                      " bytes of elements, expected " + std::to_string(needed) +
                      " for " + typeString(*dtype, sizes));

  // Fortran order is the row-major order of the reversed sizes.
  if (header->fortranOrder)
    std::reverse(sizes.begin(), sizes.end());
  Expected<Tensor> tensor = Tensor::empty(*dtype, sizes);
  if (!tensor.ok())
    return tensor;
  if (needed > 0)
    std::memcpy(tensor->data(), bytes.data() + position, size_t(needed));
  if (swapped)
    swapBytes(*dtype, tensor->dataAs<char>(), size_t(needed));
  offset = position + size_t(needed);
  if (!header->fortranOrder || sizes.size() < 2)
    return tensor;
  std::vector<int64_t> strides(tensor->strides().rbegin(),
                               tensor->strides().rend());
  return Tensor::viewUnchecked(tensor->storage(), tensor->data(), *dtype,
                               header->shape, strides)
      .clone();
}

Expected<Tensor> tc::runtime::readNpy(const std::string &path,
                                      std::optional<DType> expectedDType) {
  Expected<StorageRef> file = mapFile(path);
  if (!file.ok())
    return file.takeStatus();
  const std::span<const char> bytes = bytesOf(*file);
  size_t offset = 0;
  Expected<Tensor> tensor = parseNpy(bytes, offset, path, expectedDType);
  if (tensor.ok() && offset != bytes.size())
    return Status(ErrorCode::CorruptData,
                  "'" + path + "' holds " +
                      std::to_string(bytes.size() - offset) +
                      " bytes more than its one array");
  return tensor;
}

Expected<std::vector<Tensor>>
tc::runtime::readNpyStream(const std::string &path,
                           std::optional<DType> expectedDType) {
  Expected<StorageRef> file = mapFile(path);
  if (!file.ok())
    return file.takeStatus();
  const std::span<const char> bytes = bytesOf(*file);
  std::vector<Tensor> tensors;
  size_t offset = 0;
  do {
    Expected<Tensor> tensor = parseNpy(bytes, offset, path, expectedDType);
    if (!tensor.ok())
      return tensor.takeStatus();
    tensors.push_back(*std::move(tensor));
  } while (offset < bytes.size());
  return tensors;
}

std::string tc::runtime::encodeNpyHeader(DType dtype, Extents sizes) {
  std::string text = "{'descr': '" + std::string(dtypeInfo(dtype).numpyDescr) +
                     "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  text += sizes.size() == 1 ? ",), }" : "), }";
  // Padded so that the elements begin at a multiple of 64. At most 16 sizes of
  // 19 digits: version 1.0, of at most 65535 bytes, is always enough.
  constexpr size_t before = magic.size() + 4;
  const size_t end = (before + text.size() + 1 + 63) / 64 * 64;
  text.append(end - before - text.size() - 1, ' ');
  text += '\n';
  std::string header(magic);
  header +=
      {char(1), char(0), char(text.size() & 0xff), char(text.size() >> 8)};
  return header + text;
}

static Status writeArray(const std::string &path, const Tensor &tensor,
                         bool append) {
  Expected<Tensor> rowMajor = tensor.contiguous();
  if (!rowMajor.ok())
    return rowMajor.takeStatus();
  const std::string header = encodeNpyHeader(tensor.dtype(), tensor.sizes());
  const std::span<const char> parts[] = {
      header, {rowMajor->dataAs<const char>(), rowMajor->byteCount()}};
  return writeFile(path, parts, append);
}

Status tc::runtime::writeNpy(const std::string &path, const Tensor &tensor) {
  return writeArray(path, tensor, /*append=*/false);
}

Status tc::runtime::appendNpy(const std::string &path, const Tensor &tensor) {
  return writeArray(path, tensor, /*append=*/true);
}
