// RUN: not tc-opt --tc-import-pt2=file=%S/nowhere.pt2 %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tc-opt --tc-import-pt2=file=%s %s 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tc-opt --tc-import-pt2="file=%S/../Inputs/mlp.pt2 model=decoder" %s 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not tc-opt --tc-import-pt2=file=%S/../Inputs/strict.pt2 %s 2>&1 | FileCheck %s --check-prefix=OPERATOR

// MISSING: error: cannot open '{{.*}}nowhere.pt2': No such file or directory
// TEXT: error: '{{.*}}' is a damaged zip archive: it has no directory; expected a file written by torch.export.save
// MODEL: error: {{.*}}mlp.pt2: holds no program 'decoder'; choose one of: model
// OPERATOR: error: higher-order operator 'strict_mode' is not supported; expected torch.cond, while_loop, scan, map, torch.no_grad or autocast, unroll or remove it before the export
module {}
