#include "stretto/named_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <stretto/error.hpp>

#include "job/launcher_discovery.hpp"

namespace stretto::tools {

void check_program(const std::string& name, const std::string& path) {
  if (!job::find_program(name, path).empty()) return;
  const bool is_path = name.find('/') != std::string::npos;
  const bool is_here = ::access(name.c_str(), F_OK) == 0;
  throw error("W51", fmt::format("\"{}\" is not an executable program", name))
      .because(is_path ? (is_here ? "the file is not executable" : "there is no such file")
                       : "no folder of PATH contains a program with that name")
      .remedy(is_path   ? (is_here ? "chmod +x, if it is a program" : "build it, or name another program")
              : is_here ? fmt::format("./{}", name)
                        : "give the path of the program");
}

}  // namespace stretto::tools
