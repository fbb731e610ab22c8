//===- Random.h - Random numbers --------------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_RANDOM_H
#define TC_LIB_REFERENCE_RANDOM_H

#include "Evaluation.h"

namespace tc::reference {

/// The results of the op, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, RandomOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_RANDOM_H
