//===- ScheduleDefaults.h - Usual values of schedule fields -----*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H
#define TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H

#include <cstdint>

namespace tc {

/// What fields of schedules are where their text leaves them out, and what
/// `MachineModel` has for machines that nothing else is known of.
inline constexpr int64_t kUsualBlock = 4096, kUsualTaskPoints = 16384,
                         kUsualKeptPoints = 32768, kUsualKeptWeight = 20,
                         kUsualMaxStride = 4, kUsualTaskMultiplyAdds = 1 << 16,
                         kUsualStackMultiplyAdds = 1 << 21;

} // namespace tc

#endif // TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H
