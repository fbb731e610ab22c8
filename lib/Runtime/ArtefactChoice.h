//===- ArtefactChoice.h - Which program of an artefact runs -----*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_ARTEFACTCHOICE_H
#define TC_LIB_RUNTIME_ARTEFACTCHOICE_H

#include "TC/Runtime/Artefact.h"

namespace tc::runtime {

/// Whether a target is a GPU: "cuda:sm_90a".
bool isCUDATarget(const std::string &target);

/// Whether a device whose own target is `device`, "cuda:sm_90a", runs code for
/// `target`: a chip's code runs on later chips, with the suffix "a" on that
/// chip alone, with "f" on later ones of its family.
bool runsCUDATarget(const std::string &target, const std::string &device);

/// Whether that device runs machine code that was assembled for `target`: as
/// for runsCUDATarget, but of later chips those of the same family alone.
bool runsCubin(const std::string &target, const std::string &device);

/// The number of the program that ArtefactCode::load links; `name` is the
/// file's for the error.
Expected<size_t> chooseProgram(const std::string &name,
                               const std::vector<ArtefactProgram> &programs,
                               const ArtefactDevice &device);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_ARTEFACTCHOICE_H
