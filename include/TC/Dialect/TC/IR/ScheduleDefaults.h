//===- ScheduleDefaults.h - Usual values of schedule fields -----*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H
#define TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H

#include <cstdint>
#include <limits>

namespace tc {

/// Values of schedule fields that the text of a schedule leaves out. A
/// `MachineModel` has the same for a machine of which nothing else is known.
inline constexpr int64_t kUsualBlock = 4096, kUsualTaskPoints = 16384,
                         kUsualKeptPoints = 32768, kUsualKeptWeight = 20,
                         kUsualMaxStride = 4, kUsualTaskMultiplyAdds = 1 << 16,
                         kUsualStackMultiplyAdds = 1 << 21;

/// `points_below` of a contraction of which every call is computed by points.
inline constexpr int64_t kAllCalls = std::numeric_limits<int64_t>::max();

} // namespace tc

#endif // TC_DIALECT_TC_IR_SCHEDULEDEFAULTS_H
