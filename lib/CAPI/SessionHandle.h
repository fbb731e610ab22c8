//===- SessionHandle.h - tc_session -----------------------------*- C++ -*-===//

#ifndef TC_LIB_CAPI_SESSIONHANDLE_H
#define TC_LIB_CAPI_SESSIONHANDLE_H

#include "Program.h"
#include "tc-c/Compiler.h"

struct tc_session {
  tc::capi::Session session;
};

#endif // TC_LIB_CAPI_SESSIONHANDLE_H
