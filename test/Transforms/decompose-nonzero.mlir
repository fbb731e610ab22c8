// RUN: tc-opt %s --tc-decompose-nonzero | FileCheck %s

// Elements that are true go to the place that the running count gives, all
// others behind the last, which is cut off; positions become rows and columns.
// CHECK-LABEL: func @matrix
