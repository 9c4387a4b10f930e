// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolExceptions.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <typeinfo>

using namespace llvm;

namespace luthier::runtime {

Error currentException(const Twine &What) {
  const std::type_info *Type = abi::__cxa_current_exception_type();
  char *Name =
      Type ? abi::__cxa_demangle(Type->name(), nullptr, nullptr, nullptr)
           : nullptr;
  std::string Text = Name ? Name : "something";
  std::free(Name);
  try {
    throw;
  } catch (const std::exception &E) {
    Text += std::string(": ") + E.what();
  } catch (...) {
  }
  return createStringError(What + " threw " + Text);
}

std::string fileNameOf(const void *Address) {
  Dl_info Info;
  if (!::dladdr(Address, &Info) || !Info.dli_fname)
    return "a tool";
  return sys::path::filename(Info.dli_fname).str();
}

std::string nameOf(const Tool *T) {
  // Its virtual table is in its library.
  return T ? fileNameOf(*reinterpret_cast<const void *const *>(T)) : "a tool";
}

} // namespace luthier::runtime
