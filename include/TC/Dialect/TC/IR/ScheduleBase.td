//===- ScheduleBase.td - What all schedules are ----------------*- tablegen -*-===//

#ifndef TC_SCHEDULEBASE
#define TC_SCHEDULEBASE

include "TC/Dialect/TC/IR/TCBase.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

class TC_ScheduleAttr<string name, string attrMnemonic, list<string> methods>
    : AttrDef<TC_Dialect, name,
          [DeclareAttrInterfaceMethods<TC_ScheduleAttrInterface, methods>]> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // TC_SCHEDULEBASE
