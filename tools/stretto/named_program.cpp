#include "stretto/named_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <stretto/error.hpp>

#include "job/look.hpp"

namespace stretto::tools {

void check_program(const std::string& name, const std::string& path) {
  if (!job::find_program(name, path).empty()) return;
  const bool is_path = name.find('/') != std::string::npos;
  const bool is_here = ::access(name.c_str(), F_OK) == 0;
  throw error("W51", fmt::format("\"{}\" is no program that can be run", name))
      .because(is_path ? (is_here ? "it is not marked as one that may be run" : "there is no such file")
                       : "no folder of PATH holds a program of that name")
      .remedy(is_path   ? (is_here ? "chmod +x, if it is a program" : "build it, or name another")
              : is_here ? fmt::format("./{}", name)
                        : "name it with its folder");
}

}  // namespace stretto::tools
