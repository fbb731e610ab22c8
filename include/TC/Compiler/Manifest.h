//===- Manifest.h - The manifest of a module --------------------*- C++ -*-===//
//
// Reads off a module what TC/Runtime/Manifest.h describes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_MANIFEST_H
#define TC_COMPILER_MANIFEST_H

#include "TC/Runtime/Manifest.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace tc {

using runtime::Manifest;
using runtime::ManifestBinding;
using runtime::ManifestFunction;
using runtime::ManifestInput;
using runtime::ManifestKernel;
using runtime::ManifestOutput;
using runtime::ManifestParameter;
using runtime::ManifestPrepared;
using runtime::ManifestSize;
using runtime::ManifestStep;
using runtime::ManifestStride;
using runtime::ManifestSymbol;
using runtime::ManifestTensor;

/// The parameters that a module declares, at any phase.
std::vector<ManifestParameter> readParameters(mlir::ModuleOp module);

/// The launches of kernels in a module that has run phase fuse.
std::vector<ManifestKernel> readKernels(mlir::ModuleOp module);

/// Reads the manifest off a module that has run the emit phase, but for its
/// kernels.
Manifest readManifest(mlir::ModuleOp module);

/// The manifest of a module at any phase: public functions and parameters, but
/// launches and arena only after emit.
Manifest readInterface(mlir::ModuleOp module);

/// Fails, naming the function and the output, unless what each output replaces
/// is there and has its type, and outputs that replace something are the last.
llvm::Error checkMutations(const Manifest &manifest);

} // namespace tc

#endif // TC_COMPILER_MANIFEST_H
