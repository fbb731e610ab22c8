//===- SafeTensors.cpp - safetensors files --------------------------------===//

#include "TC/Runtime/SafeTensors.h"
#include "Json.h"
#include "TC/Runtime/MappedFile.h"

#include <cstring>

using namespace tc::runtime;

const Tensor *SafeTensors::find(std::string_view name) const {
  for (const auto &[tensorName, tensor] : tensors)
    if (tensorName == name)
      return &tensor;
  return nullptr;
}

namespace {

/// The longest header that other readers take.
constexpr uint64_t longestHeader = 100000000;

class Reader {
public:
  Reader(const std::string &path, StorageRef file)
      : path(path), file(std::move(file)) {}

  Expected<SafeTensors> read() {
    const std::span<const char> bytes = bytesOf(file);
    uint64_t length = 0;
    if (bytes.size() < sizeof(length))
      return corrupt("it is shorter than 8 bytes");
    std::memcpy(&length, bytes.data(), sizeof(length));
    if (length > longestHeader || length > bytes.size() - sizeof(length))
      return corrupt("a header of " + std::to_string(length) +
                     " bytes reaches beyond its end");
    elementsOffset = sizeof(length) + length;
    Expected<JsonValue> header =
        parseJson({bytes.data() + sizeof(length), length});
    if (!header.ok())
      return corrupt(header.error().message());
    if (header->kind != JsonValue::Kind::Object)
      return corrupt("the header is no JSON object");
    SafeTensors content;
    for (const auto &[name, value] : header->members) {
      Status status = name == "__metadata__" ? readMetadata(value, content)
                                             : readTensor(name, value, content);
      if (!status.ok())
        return status;
    }
    return content;
  }

private:
  Status corrupt(const std::string &reason) const {
    return Status(ErrorCode::CorruptData,
                  "'" + path + "' is no safetensors file: " + reason);
  }

  Status readMetadata(const JsonValue &value, SafeTensors &content) {
    for (const auto &[key, text] : value.members)
      content.metadata.emplace_back(key, text.string);
    return Status::success();
  }

  /// An array of integers that are not negative.
  static bool readNumbers(const JsonValue *value,
                          std::vector<int64_t> &numbers) {
    if (!value || value->kind != JsonValue::Kind::Array)
      return false;
    for (const JsonValue &element : value->elements) {
      if (!element.integer || *element.integer < 0)
        return false;
      numbers.push_back(*element.integer);
    }
    return true;
  }

  static std::optional<DType> dtypeOf(const std::string &name) {
    for (int32_t i = 0; i < dtypeCount; ++i)
      if (!name.empty() && dtypeInfo(DType(i)).safetensorsName == name)
        return DType(i);
    return std::nullopt;
  }

  Status readTensor(const std::string &name, const JsonValue &value,
                    SafeTensors &content) {
    const std::string quoted = "tensor '" + name + "'";
    const JsonValue *typeName = value.find("dtype");
    std::vector<int64_t> sizes, range;
    if (!typeName || !readNumbers(value.find("shape"), sizes) ||
        !readNumbers(value.find("data_offsets"), range) || range.size() != 2)
      return corrupt(quoted + " lacks a valid dtype, shape or data_offsets");
    const std::optional<DType> dtype = dtypeOf(typeName->string);
    if (!dtype)
      return Status(ErrorCode::Unsupported,
                    "'" + path + "': " + quoted + " has dtype '" +
                        typeName->string + "', which TC has no type for");
    const std::optional<int64_t> count = countElements(sizes);
    int64_t bytes = 0;
    if (!count || sizes.size() > TC_MAX_RANK ||
        __builtin_mul_overflow(*count, int64_t(dtypeSize(*dtype)), &bytes))
      return corrupt(quoted + " of type " + typeString(*dtype, sizes) +
                     " is too large");
    const uint64_t available = file->bytes - elementsOffset;
    if (range[0] > range[1] || uint64_t(range[1]) > available)
      return corrupt(quoted + " ends at byte " + std::to_string(range[1]) +
                     " of " + std::to_string(available));
    if (range[1] - range[0] != bytes)
      return corrupt(quoted + " has " + std::to_string(range[1] - range[0]) +
                     " bytes, expected " + std::to_string(bytes) + " for " +
                     typeString(*dtype, sizes));
    std::vector<int64_t> strides(sizes.size());
    fillContiguousStrides(sizes, strides);
    Expected<Tensor> tensor = Tensor::view(file, *dtype, sizes, strides,
                                           elementsOffset + uint64_t(range[0]));
    if (!tensor.ok())
      return tensor.takeStatus();
    content.tensors.emplace_back(name, *std::move(tensor));
    return Status::success();
  }

  const std::string &path;
  StorageRef file;
  uint64_t elementsOffset = 0;
};

} // namespace

Expected<SafeTensors> tc::runtime::readSafeTensors(const std::string &path) {
  Expected<StorageRef> file = mapFile(path);
  if (!file.ok())
    return file.takeStatus();
  return Reader(path, *std::move(file)).read();
}

Status tc::runtime::writeSafeTensors(const std::string &path,
                                     const SafeTensors &content) {
  std::string header = "{";
  if (!content.metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto &[key, value] : content.metadata) {
      if (header.back() != '{')
        header += ',';
      appendJsonString(header, key);
      header += ':';
      appendJsonString(header, value);
    }
    header += '}';
  }
  std::vector<Tensor> rowMajor;
  uint64_t offset = 0;
  for (const auto &[name, tensor] : content.tensors) {
    const std::string_view dtype = dtypeInfo(tensor.dtype()).safetensorsName;
    if (dtype.empty())
      return Status(ErrorCode::Unsupported,
                    "cannot write '" + path + "': safetensors has no dtype " +
                        std::string(dtypeName(tensor.dtype())));
    Expected<Tensor> contiguous = tensor.contiguous();
    if (!contiguous.ok())
      return contiguous.takeStatus();
    const uint64_t end = offset + contiguous->byteCount();
    if (header.back() != '{')
      header += ',';
    appendJsonString(header, name);
    header += ":{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":[";
    for (int32_t i = 0; i < tensor.rank(); ++i)
      header += (i ? "," : "") + std::to_string(tensor.size(i));
    header += "],\"data_offsets\":[" + std::to_string(offset) + "," +
              std::to_string(end) + "]}";
    offset = end;
    rowMajor.push_back(*std::move(contiguous));
  }
  header += '}';
  uint64_t length = header.size();
  length += (64 - (sizeof(length) + length) % 64) % 64;
  header.resize(length, ' ');
  std::vector<std::span<const char>> parts = {
      {reinterpret_cast<const char *>(&length), sizeof(length)}, header};
  for (const Tensor &tensor : rowMajor)
    parts.emplace_back(tensor.dataAs<const char>(), tensor.byteCount());
  return writeFile(path, parts);
}
