// RUN: not tc-opt %s "--tc-pipeline=from=import to=fusion" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tc-opt %s "--tc-pipeline=from=fuse to=import" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tc-opt %s --tc-phase-fuse 2>&1 | FileCheck %s --check-prefix=PLACE

// A range of phases has to exist, forwards, and to start where the module is.
// UNKNOWN: error: --tc-pipeline names no phase: 'fusion'; the phases are import, specialize, simplify, fuse, bufferize, generate, emit
// ORDER: error: --tc-pipeline runs from 'fuse' to 'import', which comes before it
// PLACE: range-errors.mlir:[[@LINE+1]]:1: error: phase 'fuse' cannot run on a module whose last phase was "bufferize"; the next one is 'generate'
module attributes {tc.phase = "bufferize"} {}
