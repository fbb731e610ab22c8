//===- ObjectFile.h - ELF object files of x86-64 ----------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_OBJECTFILE_H
#define TC_LIB_RUNTIME_OBJECTFILE_H

#include "TC/Runtime/Status.h"

#include <cstdint>
#include <elf.h>
#include <span>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// A relocatable file in memory, checked so that what the functions give is
/// inside of it. Borrows its bytes.
class ObjectFile {
public:
  /// Fails when the bytes are no relocatable file of x86-64, or contradict the
  /// format.
  static Expected<ObjectFile> parse(std::span<const char> bytes);

  struct Relocations {
    size_t section; ///< that they change
    std::vector<Elf64_Rela> entries;
  };

  const std::vector<Elf64_Shdr> &sections() const { return sectionList; }
  const std::vector<Elf64_Sym> &symbols() const { return symbolList; }
  /// Of the sections that are part of the program.
  const std::vector<Relocations> &relocations() const { return relocationList; }

  /// Whether the program has the section in memory. Tables for unwinding are
  /// left out: emitted code throws nothing.
  bool isLoaded(size_t section) const;
  /// Null for a section that is all zeros.
  const char *contentOf(size_t section) const;
  std::string_view nameOf(const Elf64_Sym &symbol) const;

private:
  template <typename Entry>
  bool readTable(const Elf64_Shdr &section, std::vector<Entry> &table) const;
  bool readSections();
  bool readSymbols();
  bool readRelocations();
  std::string_view textAt(const Elf64_Shdr &table, uint64_t offset) const;

  std::span<const char> bytes;
  std::vector<Elf64_Shdr> sectionList;
  std::vector<Elf64_Sym> symbolList;
  std::vector<Relocations> relocationList;
  size_t sectionNames = 0, symbolNames = 0; ///< sections with strings
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_OBJECTFILE_H
