//===- KernelEmitters.h - One emitter for each shape of kernel --*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
#define TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H

#include "../KernelEmission/KernelWrites.h"
#include "AttentionKernel.h"
#include "ContractionKernel.h"
#include "NontemporalStores.h"
#include "PointKernel.h"
#include "RegisterTile.h"
#include "RoutineKernel.h"
#include "SortKernel.h"
#include "TaskSize.h"
#include "TransposeKernel.h"

#endif // TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
