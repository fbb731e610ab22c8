// What nearly every unit test of the compiler includes; see TCTargets.cmake.
#include "Precompiled.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
