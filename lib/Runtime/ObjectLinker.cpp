//===- ObjectLinker.cpp - Object code to functions in memory --------------===//

#include "ObjectLinker.h"
#include "ObjectFile.h"
#include "TC/Runtime/OutsideFunctions.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tc::runtime;

namespace {
/// What memory may be used for; each is whole pages of its own.
enum Region { Text, Constants, Data, regionCount };

Region regionOf(const Elf64_Shdr &section) {
  if (section.sh_flags & SHF_EXECINSTR)
    return Text;
  return section.sh_flags & SHF_WRITE ? Data : Constants;
}

size_t roundUp(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Whether the place takes a distance to an address of the symbol's address,
/// not to the symbol.
bool isThroughAddress(uint32_t kind) {
  return kind == R_X86_64_GOTPCREL || kind == R_X86_64_GOTPCRELX ||
         kind == R_X86_64_REX_GOTPCRELX;
}

/// `jmp *[rip + distance]`, padded to a multiple of 8 bytes.
constexpr size_t kJumpBytes = 8;
constexpr unsigned char kJump[2] = {0xff, 0x25};
} // namespace

namespace tc::runtime {
/// Lays the sections of objects out, copies and relocates them.
class ObjectLinker {
public:
  explicit ObjectLinker(LinkedObjects &linked) : linked(linked) {}

  Status link(const std::vector<std::span<const char>> &objects);

private:
  struct Object {
    ObjectFile file;
    std::vector<char *> addresses; ///< of its sections; null for none
  };

  void layOut();
  Status reserve();
  void copySections();
  Status define(const Object &object);
  Status relocate(const Object &object);
  Status apply(char *place, uint32_t kind, char *symbol, int64_t addend);
  Expected<char *> addressOf(const Object &object, const Elf64_Sym &symbol);
  char *addressSlot(char *symbol);
  char *jumpTo(char *symbol);
  Status protect();

  LinkedObjects &linked;
  std::vector<Object> objects;
  /// Offsets of sections, from those of the regions.
  std::vector<std::vector<size_t>> offsets;
  std::array<size_t, regionCount> regionBytes{}, regionBegin{};
  size_t references = 0; ///< that may need an address or a jump
  /// Addresses of symbols in memory, and jumps to what is too far away.
  std::map<char *, char *> slots, jumps;
  char *nextSlot = nullptr, *nextJump = nullptr;
};
} // namespace tc::runtime

/// Gives each section its offset. Room for addresses of symbols is behind the
/// constants, room for jumps behind the text: one of each for every relocation
/// that may need it; a jump has an address as well.
void ObjectLinker::layOut() {
  for (const Object &object : objects) {
    std::vector<size_t> &own = offsets.emplace_back();
    for (size_t i = 0; i < object.file.sections().size(); ++i) {
      const Elf64_Shdr &section = object.file.sections()[i];
      size_t &end = regionBytes[regionOf(section)];
      if (object.file.isLoaded(i))
        end = roundUp(end, std::max<size_t>(section.sh_addralign, 1));
      own.push_back(end);
      if (object.file.isLoaded(i))
        end += section.sh_size;
    }
    for (const ObjectFile::Relocations &relocations : object.file.relocations())
      for (const Elf64_Rela &entry : relocations.entries) {
        const auto kind = uint32_t(ELF64_R_TYPE(entry.r_info));
        references += isThroughAddress(kind) || kind == R_X86_64_PLT32;
      }
  }
  for (Region region : {Text, Constants}) {
    regionBytes[region] = roundUp(regionBytes[region], kJumpBytes);
    regionBytes[region] += references * kJumpBytes;
  }
}

Status ObjectLinker::reserve() {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t bytes = 0;
  for (int region = 0; region < regionCount; ++region) {
    regionBegin[region] = bytes;
    bytes += roundUp(regionBytes[region], page);
  }
  void *memory = mmap(nullptr, std::max(bytes, page), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Status(ErrorCode::OutOfMemory,
                  "cannot map " + std::to_string(bytes) +
                      " bytes for code: " + std::strerror(errno));
  linked.memory = static_cast<char *>(memory);
  linked.bytes = std::max(bytes, page);
  const size_t room = references * kJumpBytes;
  nextJump = linked.memory + regionBegin[Text] + regionBytes[Text] - room;
  nextSlot =
      linked.memory + regionBegin[Constants] + regionBytes[Constants] - room;
  return Status::success();
}

void ObjectLinker::copySections() {
  for (size_t number = 0; number < objects.size(); ++number) {
    Object &object = objects[number];
    for (size_t i = 0; i < object.file.sections().size(); ++i) {
      const Elf64_Shdr &section = object.file.sections()[i];
      char *address = nullptr;
      if (object.file.isLoaded(i))
        address =
            linked.memory + regionBegin[regionOf(section)] + offsets[number][i];
      object.addresses.push_back(address);
      const char *content = object.file.contentOf(i);
      if (address && content && section.sh_size)
        std::memcpy(address, content, section.sh_size);
    }
  }
}

/// Makes the symbols that other objects see known.
Status ObjectLinker::define(const Object &object) {
  for (const Elf64_Sym &symbol : object.file.symbols()) {
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
      continue;
    const std::string name(object.file.nameOf(symbol));
    char *begin = object.addresses[symbol.st_shndx];
    if (!begin)
      continue;
    const bool isNew =
        linked.defined.try_emplace(name, begin + symbol.st_value).second;
    if (!isNew && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
      return Status(ErrorCode::CorruptData,
                    "object code defines '" + name + "' twice");
  }
  return Status::success();
}

Expected<char *> ObjectLinker::addressOf(const Object &object,
                                         const Elf64_Sym &symbol) {
  const std::string_view name = object.file.nameOf(symbol);
  if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE) {
    if (char *begin = object.addresses[symbol.st_shndx])
      return begin + symbol.st_value;
  } else if (symbol.st_shndx == SHN_UNDEF) {
    if (auto found = linked.defined.find(name); found != linked.defined.end())
      return found->second;
    if (isOutsideFunction(name))
      if (void *found = dlsym(RTLD_DEFAULT, std::string(name).c_str()))
        return static_cast<char *>(found);
  }
  return Status(ErrorCode::Unsupported,
                "object code refers to '" + std::string(name) +
                    "', which it does not define and which is no function "
                    "that emitted code may call");
}

char *ObjectLinker::addressSlot(char *symbol) {
  auto [slot, isNew] = slots.try_emplace(symbol, nextSlot);
  if (isNew) {
    std::memcpy(nextSlot, &symbol, sizeof(symbol));
    nextSlot += sizeof(symbol);
  }
  return slot->second;
}

char *ObjectLinker::jumpTo(char *symbol) {
  auto [jump, isNew] = jumps.try_emplace(symbol, nextJump);
  if (isNew) {
    // Counted from the end of the instruction.
    const auto distance = int32_t(addressSlot(symbol) - (nextJump + 6));
    std::memcpy(nextJump, kJump, sizeof(kJump));
    std::memcpy(nextJump + sizeof(kJump), &distance, sizeof(distance));
    nextJump += kJumpBytes;
  }
  return jump->second;
}

Status ObjectLinker::apply(char *place, uint32_t kind, char *symbol,
                           int64_t addend) {
  auto write = [&](auto value) { std::memcpy(place, &value, sizeof(value)); };
  const bool isOwn =
      symbol >= linked.memory && symbol <= linked.memory + linked.bytes;
  if (isThroughAddress(kind))
    symbol = addressSlot(symbol);
  else if (kind == R_X86_64_PLT32 && !isOwn)
    symbol = jumpTo(symbol);
  const int64_t distance = symbol - place + addend;
  switch (kind) {
  case R_X86_64_64:
    write(reinterpret_cast<int64_t>(symbol) + addend);
    return Status::success();
  case R_X86_64_PC64:
    write(distance);
    return Status::success();
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    if (distance != int32_t(distance))
      return Status(ErrorCode::Unsupported,
                    "object code has a reference over " +
                        std::to_string(distance) +
                        " bytes, expected less than 2 GiB");
    write(int32_t(distance));
    return Status::success();
  default:
    return Status(ErrorCode::Unsupported,
                  "object code has a relocation of kind " +
                      std::to_string(kind) +
                      " of x86-64, which emitted code has not");
  }
}

Status ObjectLinker::relocate(const Object &object) {
  for (const ObjectFile::Relocations &relocations : object.file.relocations())
    for (const Elf64_Rela &entry : relocations.entries) {
      const auto kind = uint32_t(ELF64_R_TYPE(entry.r_info));
      const Elf64_Shdr &section = object.file.sections()[relocations.section];
      const bool isWide = kind == R_X86_64_64 || kind == R_X86_64_PC64;
      if (isWide && section.sh_size - entry.r_offset < sizeof(uint64_t))
        return Status(ErrorCode::CorruptData,
                      "object code has a relocation outside of its section");
      Expected<char *> symbol =
          addressOf(object, object.file.symbols()[ELF64_R_SYM(entry.r_info)]);
      if (!symbol.ok())
        return symbol.takeStatus();
      char *place = object.addresses[relocations.section] + entry.r_offset;
      if (Status status = apply(place, kind, *symbol, entry.r_addend);
          !status.ok())
        return status;
    }
  return Status::success();
}

Status ObjectLinker::protect() {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  auto set = [&](Region region, int access) {
    const size_t bytes = roundUp(regionBytes[region], page);
    return bytes == 0 ||
           mprotect(linked.memory + regionBegin[region], bytes, access) == 0;
  };
  if (set(Text, PROT_READ | PROT_EXEC) && set(Constants, PROT_READ))
    return Status::success();
  return Status(ErrorCode::Unsupported,
                std::string("the system does not let code be executed: ") +
                    std::strerror(errno));
}

Status ObjectLinker::link(const std::vector<std::span<const char>> &contents) {
  for (std::span<const char> content : contents) {
    Expected<ObjectFile> file = ObjectFile::parse(content);
    if (!file.ok())
      return file.takeStatus();
    objects.push_back({*std::move(file), {}});
  }
  layOut();
  if (Status status = reserve(); !status.ok())
    return status;
  copySections();
  for (const Object &object : objects)
    if (Status status = define(object); !status.ok())
      return status;
  for (const Object &object : objects)
    if (Status status = relocate(object); !status.ok())
      return status;
  return protect();
}

Expected<std::unique_ptr<LinkedObjects>>
LinkedObjects::link(const std::vector<std::span<const char>> &objects) {
  std::unique_ptr<LinkedObjects> linked(new LinkedObjects());
  if (Status status = ObjectLinker(*linked).link(objects); !status.ok())
    return status;
  return linked;
}

LinkedObjects::~LinkedObjects() {
  if (memory)
    munmap(memory, bytes);
}

void *LinkedObjects::find(const std::string &name) const {
  auto found = defined.find(name);
  return found == defined.end() ? nullptr : found->second;
}
