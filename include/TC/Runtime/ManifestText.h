//===- ManifestText.h - A manifest as JSON text -----------------*- C++ -*-===//

#ifndef TC_RUNTIME_MANIFESTTEXT_H
#define TC_RUNTIME_MANIFESTTEXT_H

#include "TC/Runtime/Manifest.h"
#include "TC/Runtime/Status.h"

#include <string_view>

namespace tc::runtime {

/// The manifest as JSON text, which parseManifest reads.
std::string toJson(const Manifest &manifest);

/// Reads what toJson has written. Fails, naming the member, when one is missing
/// or not what it should be, and when a number refers to what is not there.
Expected<Manifest> parseManifest(std::string_view text);

} // namespace tc::runtime

#endif // TC_RUNTIME_MANIFESTTEXT_H
