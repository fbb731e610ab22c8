//===- ContentHash.h - The hash of files' contents --------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CONTENTHASH_H
#define TC_LIB_RUNTIME_CONTENTHASH_H

#include <cstdint>
#include <string_view>

namespace tc::runtime {

/// FNV-1a of 64 bits, continued from `hash`. Each byte changes the state one to
/// one, so that two contents that differ in one byte never have one hash.
inline uint64_t contentHash(std::string_view content,
                            uint64_t hash = 0xcbf29ce484222325) {
  for (char c : content)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CONTENTHASH_H
