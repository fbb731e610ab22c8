//===- ObjectLinker.h - Object code to functions in memory ------*- C++ -*-===//
//
// Emitted code refers to its own functions and constants and to few functions
// of the C library, so that linking it is copying sections and adding
// addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_OBJECTLINKER_H
#define TC_LIB_RUNTIME_OBJECTLINKER_H

#include "TC/Runtime/Status.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tc::runtime {

/// Object files linked together in this process, ready to run. The code goes
/// away with the object.
class LinkedObjects {
public:
  /// Links ELF object files of x86-64. A symbol that none of them defines must
  /// be an outside function (isOutsideFunction); any other is an error that
  /// names it, as is a relocation of a kind that emitted code has not.
  static Expected<std::unique_ptr<LinkedObjects>>
  link(const std::vector<std::span<const char>> &objects);
  ~LinkedObjects();
  LinkedObjects(const LinkedObjects &) = delete;
  LinkedObjects &operator=(const LinkedObjects &) = delete;

  /// The address of a function; null when there is none of that name.
  void *find(const std::string &name) const;
  /// The memory that the code and its constants are in.
  std::span<const char> range() const { return {memory, bytes}; }

private:
  friend class ObjectLinker;
  LinkedObjects() = default;

  char *memory = nullptr;
  size_t bytes = 0;
  std::map<std::string, char *, std::less<>> defined;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_OBJECTLINKER_H
