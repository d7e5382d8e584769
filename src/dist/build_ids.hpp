// build_ids.hpp - the builds of the program and of the library that a node runs. Nodes compare them when they connect.
#pragma once

#include <string>

namespace stretto::dist {

/// "wave, build 5f21c0de8f...": the program's name and its build ID (the note that GNU and LLVM linkers write), or a
/// checksum of its instructions if the linker wrote no build ID.
std::string program_build();
/// "0.1.0", followed by the build of the shared library if Stretto is linked as one.
std::string library_build();

}  // namespace stretto::dist
