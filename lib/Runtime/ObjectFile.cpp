//===- ObjectFile.cpp - ELF object files of x86-64 ------------------------===//

#include "ObjectFile.h"

#include <cstring>

using namespace tc::runtime;

template <typename Entry>
bool ObjectFile::readTable(const Elf64_Shdr &section,
                           std::vector<Entry> &table) const {
  if (section.sh_entsize != sizeof(Entry) ||
      section.sh_size % sizeof(Entry) != 0)
    return false;
  table.resize(section.sh_size / sizeof(Entry));
  if (!table.empty())
    std::memcpy(table.data(), bytes.data() + section.sh_offset,
                section.sh_size);
  return true;
}

/// Whether [offset, offset + count) is inside of `bytes` bytes.
static bool isInside(uint64_t offset, uint64_t count, uint64_t bytes) {
  return offset <= bytes && count <= bytes - offset;
}

bool ObjectFile::readSections() {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shstrndx >= header.e_shnum ||
      !isInside(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr),
                bytes.size()))
    return false;
  sectionNames = header.e_shstrndx;
  sectionList.resize(header.e_shnum);
  std::memcpy(sectionList.data(), bytes.data() + header.e_shoff,
              header.e_shnum * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr &section : sectionList) {
    const bool hasContent =
        section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (hasContent &&
        !isInside(section.sh_offset, section.sh_size, bytes.size()))
      return false;
    // A power of two, so that addresses can be rounded up to it.
    if (section.sh_addralign & (section.sh_addralign - 1))
      return false;
  }
  return true;
}

bool ObjectFile::readSymbols() {
  for (const Elf64_Shdr &section : sectionList)
    if (section.sh_type == SHT_SYMTAB) {
      symbolNames = section.sh_link;
      if (symbolNames >= sectionList.size() || !readTable(section, symbolList))
        return false;
    }
  for (const Elf64_Sym &symbol : symbolList)
    if (symbol.st_shndx < SHN_LORESERVE) {
      if (symbol.st_shndx >= sectionList.size() ||
          (symbol.st_shndx != SHN_UNDEF &&
           symbol.st_value > sectionList[symbol.st_shndx].sh_size))
        return false;
    }
  return true;
}

bool ObjectFile::readRelocations() {
  for (const Elf64_Shdr &section : sectionList) {
    if (section.sh_type != SHT_RELA || !isLoaded(section.sh_info))
      continue;
    Relocations &relocations = relocationList.emplace_back();
    relocations.section = section.sh_info;
    if (!readTable(section, relocations.entries))
      return false;
    for (const Elf64_Rela &entry : relocations.entries)
      if (ELF64_R_SYM(entry.r_info) >= symbolList.size() ||
          !isInside(entry.r_offset, sizeof(uint32_t),
                    sectionList[section.sh_info].sh_size))
        return false;
  }
  return true;
}

Expected<ObjectFile> ObjectFile::parse(std::span<const char> bytes) {
  ObjectFile file;
  file.bytes = bytes;
  Elf64_Ehdr header{};
  if (bytes.size() >= sizeof(header))
    std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL ||
      header.e_machine != EM_X86_64)
    return Status(ErrorCode::CorruptData,
                  "object code is no relocatable ELF file of x86-64");
  if (!file.readSections() || !file.readSymbols() || !file.readRelocations())
    return Status(ErrorCode::CorruptData,
                  "object code has a table that contradicts the ELF format");
  return file;
}

std::string_view ObjectFile::textAt(const Elf64_Shdr &table,
                                    uint64_t offset) const {
  if (table.sh_type != SHT_STRTAB || offset >= table.sh_size)
    return {};
  const char *text = bytes.data() + table.sh_offset + offset;
  return {text, strnlen(text, table.sh_size - offset)};
}

bool ObjectFile::isLoaded(size_t section) const {
  if (section >= sectionList.size())
    return false;
  const Elf64_Shdr &header = sectionList[section];
  return (header.sh_flags & SHF_ALLOC) &&
         textAt(sectionList[sectionNames], header.sh_name) != ".eh_frame";
}

const char *ObjectFile::contentOf(size_t section) const {
  const Elf64_Shdr &header = sectionList[section];
  return header.sh_type == SHT_NOBITS ? nullptr
                                      : bytes.data() + header.sh_offset;
}

std::string_view ObjectFile::nameOf(const Elf64_Sym &symbol) const {
  return textAt(sectionList[symbolNames], symbol.st_name);
}
