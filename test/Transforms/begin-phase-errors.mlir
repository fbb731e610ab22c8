// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-begin-phase=phase=fuse
// RUN: not tc-opt %s --split-input-file --tc-begin-phase=phase=fusion 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: tc-begin-phase names no phase: 'fusion'; the phases are import, specialize, simplify, fuse, bufferize, generate, emit

// A phase is missing in between.
// expected-error @+1 {{phase 'fuse' cannot run on a module whose last phase was "import"; the next one is 'specialize'}}
module attributes {tc.phase = "import"} {}

// -----

// The phase has run.
// expected-error @+1 {{phase 'fuse' cannot run on a module whose last phase was "fuse"; the next one is 'bufferize'}}
module attributes {tc.phase = "fuse"} {}

// -----

// The module names something else.
// expected-error @+1 {{tc.phase names no phase: 'optimize'; the phases are import, specialize, simplify, fuse, bufferize, generate, emit}}
module attributes {tc.phase = "optimize"} {}
