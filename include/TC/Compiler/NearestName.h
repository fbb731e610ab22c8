//===- NearestName.h - The name that a slip was for -------------*- C++ -*-===//

#ifndef TC_COMPILER_NEARESTNAME_H
#define TC_COMPILER_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tc {

/// "; did you mean 'x'?" with the known name nearest in spelling to `name`, for
/// the end of an error; nothing where none is near.
inline std::string suggestName(llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> known) {
  // Letters to change, at most, in a name that is a slip.
  constexpr unsigned kNear = 4;
  llvm::StringRef nearest;
  unsigned least = kNear + 1;
  for (llvm::StringRef candidate : known) {
    unsigned distance = name.edit_distance_insensitive(
        candidate, /*AllowReplacements=*/true, kNear);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}

} // namespace tc

#endif // TC_COMPILER_NEARESTNAME_H
