//===- BuildId.cpp - Which build of the compiler this is ------------------===//

#include "TC/Compiler/BuildId.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <elf.h>
#include <link.h>

using namespace tc;

/// The ID in the notes of a segment; empty for none.
static std::string findInNotes(const char *notes, size_t bytes) {
  auto padded = [](size_t length) { return (length + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    const char *name = notes + at + sizeof(note);
    const char *content = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0)
      return llvm::toHex(llvm::StringRef(content, note.n_descsz),
                         /*LowerCase=*/true);
    at += sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
  }
  return "";
}

/// Sets the string at `result` when the object is the one that has getBuildId.
static int visit(dl_phdr_info *object, size_t, void *result) {
  const auto own = reinterpret_cast<uintptr_t>(&getBuildId);
  bool isOwn = false;
  std::string found;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD)
      isOwn |= own >= begin && own < begin + segment.p_memsz;
    else if (segment.p_type == PT_NOTE && found.empty())
      found =
          findInNotes(reinterpret_cast<const char *>(begin), segment.p_memsz);
  }
  if (isOwn)
    *static_cast<std::string *>(result) = found;
  return isOwn;
}

const std::string &tc::getBuildId() {
  static const auto *id = [] {
    auto *found = new std::string();
    dl_iterate_phdr(visit, found);
    return found;
  }();
  return *id;
}
