//===- NontemporalStores.h - Non-temporal stores ----------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_NONTEMPORALSTORES_H
#define TC_CONVERSION_TCTOVECTOR_NONTEMPORALSTORES_H

#include "../KernelEmission/KernelFrame.h"

namespace tc {

/// Emits `body(true)`, with non-temporal stores, where the schedule asks for
/// them
/// (`isNontemporal`) and every write of `lanes` lanes along `dim` begins at a
/// cache line; `body(false)` otherwise. Emits both, and a choice at run time,
/// where alignment depends on addresses or symbols.
void emitVersions(KernelFrame &frame, bool isNontemporal,
                  std::optional<unsigned> dim, int64_t lanes,
                  llvm::function_ref<void(bool)> body);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_NONTEMPORALSTORES_H
