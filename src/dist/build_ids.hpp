// build_ids.hpp - the builds of the program and of the library that a node runs. Nodes compare them when they connect.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stretto::dist {

/// The build ID among the ELF notes of a module, as hexadecimal digits; empty if there is none.
std::string build_id(std::span<const std::byte> notes);

/// "wave, build 5f21c0de8f...": the program's name and its build ID (the note that GNU and LLVM linkers write), or a
/// checksum of its instructions if the linker wrote no build ID.
std::string program_build();
/// "0.1.0, build 77b0e1c2...": the version and the build of the shared library. The version alone if Stretto is linked
/// statically: then the build of the program covers it.
std::string library_build();

}  // namespace stretto::dist
