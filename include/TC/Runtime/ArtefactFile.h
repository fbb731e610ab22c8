//===- ArtefactFile.h - The container of artefacts --------------*- C++ -*-===//
//
// A file of named sections, with the version that has written it and a hash of
// its content: docs/artefact.md describes the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ARTEFACTFILE_H
#define TC_RUNTIME_ARTEFACTFILE_H

#include "TC/Runtime/Status.h"
#include "TC/Runtime/Storage.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// A part of the file; it borrows its content.
struct ArtefactSection {
  std::string name; ///< up to 47 characters
  std::span<const char> content;
};

/// An artefact's file in memory. Its sections live as long as it does.
class ArtefactFile {
public:
  /// Maps the file and checks all of it. Fails when it is no artefact, when
  /// another version has written it, naming both, and when any of its bytes is
  /// not what was written.
  static Expected<ArtefactFile> open(const std::string &path);
  /// The same of a file's bytes; `name` is the file's in messages. The storage
  /// stays until the last of its holders is gone.
  static Expected<ArtefactFile> read(StorageRef bytes, std::string name);

  /// The path that was opened.
  const std::string &name() const { return path; }
  const std::vector<ArtefactSection> &sections() const { return list; }
  /// The content of the section of that name; fails when there is none.
  Expected<std::string_view> find(std::string_view name) const;

private:
  std::string path;
  StorageRef storage;
  std::vector<ArtefactSection> list;
};

/// The bytes of a file with these sections. Fails on a name that is too long.
Expected<std::string>
makeArtefactContent(const std::vector<ArtefactSection> &sections);

/// Writes a file beside `path` and renames it, so that readers see the whole
/// file or the one before.
Status replaceFile(const std::string &path, const std::string &content);

/// How the version that writes artefacts is called: release, format and ABI.
std::string artefactVersion();

} // namespace tc::runtime

#endif // TC_RUNTIME_ARTEFACTFILE_H
