#include "stretto/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stretto/error.hpp>

namespace stretto::tools {

void write_text_file(const std::string& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out)
    throw error("W07", "a file could not be written").fact("file", file).because(std::strerror(errno ? errno : EIO));
}

}  // namespace stretto::tools
