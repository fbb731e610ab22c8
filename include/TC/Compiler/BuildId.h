//===- BuildId.h - Which build of the compiler this is ----------*- C++ -*-===//

#ifndef TC_COMPILER_BUILDID_H
#define TC_COMPILER_BUILDID_H

#include <string>

namespace tc {

/// The linker's hash of the library or program that has this function, in
/// hexadecimal digits: two builds that differ in anything have two. Empty where
/// the linker has written none.
const std::string &getBuildId();

} // namespace tc

#endif // TC_COMPILER_BUILDID_H
