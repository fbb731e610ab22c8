//===- PanelsInPlace.h - Tiles that pack no panels --------------*- C++ -*-===//

#ifndef TC_ANALYSIS_PANELSINPLACE_H
#define TC_ANALYSIS_PANELSINPLACE_H

#include "TC/Analysis/ContractionRoles.h"

namespace tc {

/// The tile that reads the panel operand in place where that takes less time
/// than packing panels for the tile `packed`: for few rows, a number that is
/// constant. Nothing where packing is as fast.
std::optional<ContractionTile>
choosePanelInPlace(KernelOp kernel, const ContractionRoles &roles,
                   const MachineModel &machine, const ContractionTile &packed);

/// A tile that reads the panel operand in place, and up to how many rows it
/// takes less time than packing panels.
struct FewRowsTile {
  int64_t mostRows;
  ContractionTile tile;
};

/// That tile of calls of few rows, whose number is not constant; other calls
/// pack panels for the tile `packed`. Nothing where no rows are so few.
std::optional<FewRowsTile> chooseFewRowsTile(KernelOp kernel,
                                             const ContractionRoles &roles,
                                             const MachineModel &machine,
                                             const ContractionTile &packed);

} // namespace tc

#endif // TC_ANALYSIS_PANELSINPLACE_H
