//===- ArtefactSections.h - Programs as sections of a file ------*- C++ -*-===//
//
// The sections of program N are N/target, N/manifest, N/object/K
// and N/cubin/K.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_ARTEFACTSECTIONS_H
#define TC_LIB_RUNTIME_ARTEFACTSECTIONS_H

#include "TC/Runtime/Artefact.h"
#include "TC/Runtime/ArtefactFile.h"

#include <deque>
#include <string>

namespace tc::runtime {

/// The sections of a file with these programs. They borrow the objects, and
/// other content from `texts`, which is added to.
std::vector<ArtefactSection>
makeSections(const std::vector<ArtefactProgram> &programs,
             std::deque<std::string> &texts);

/// The programs of a file, which has to outlive their objects. Manifests are
/// read by readProgramManifest: only that of the program that runs is needed.
Expected<std::vector<ArtefactProgram>> readPrograms(const ArtefactFile &file);

/// The manifest of program `number`.
Expected<Manifest> readProgramManifest(const ArtefactFile &file, size_t number);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_ARTEFACTSECTIONS_H
