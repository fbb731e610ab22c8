//===- LoadedCode.h - Object code in this process ---------------*- C++ -*-===//

#ifndef TC_TARGET_CPU_LOADEDCODE_H
#define TC_TARGET_CPU_LOADEDCODE_H

#include "TC/Target/CPU/ObjectCode.h"

namespace tc {

/// Object files linked together in this process, ready to run. The code goes
/// away with the object.
class LoadedCode {
public:
  /// Links the objects. Symbols that none of them defines may be functions of
  /// the C library that move memory, or of its mathematical part; any other is
  /// an error that names it.
  static llvm::Expected<std::unique_ptr<LoadedCode>>
  load(llvm::ArrayRef<ObjectCode> objects);
  ~LoadedCode();

  /// The address of a function.
  llvm::Expected<void *> lookup(llvm::StringRef name);

private:
  LoadedCode();
  struct Session;
  std::unique_ptr<Session> session;
};

} // namespace tc

#endif // TC_TARGET_CPU_LOADEDCODE_H
