// build_ids.hpp - which build of the program and of the library a node runs, as nodes compare it where they meet.
#pragma once

#include <string>

namespace stretto::dist {

/// "wave, build 5f21c0de8f...": the program, and the number that its linker gave it (the build ID note of GNU and LLVM linkers), or a
/// checksum of its instructions where it gave none.
std::string program_build();
/// "0.1.0", and the build of the shared library that holds it, if one does.
std::string library_build();

}  // namespace stretto::dist
