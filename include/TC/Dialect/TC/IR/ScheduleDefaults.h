//===- ScheduleDefaults.h - Usual values of schedule fields -----*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H
#define TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H

#include <cstdint>

namespace tc {

/// Values of schedule fields that the text of a schedule leaves out. A
/// `MachineModel` has the same for a machine of which nothing else is known.
inline constexpr int64_t kUsualBlock = 4096, kUsualTaskPoints = 16384,
                         kUsualKeptPoints = 32768, kUsualKeptWeight = 20,
                         kUsualMaxStride = 4, kUsualTaskMultiplyAdds = 1 << 16,
                         kUsualStackMultiplyAdds = 1 << 21;

} // namespace tc

#endif // TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H
