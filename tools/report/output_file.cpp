#include "report/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stretto/error.hpp>

namespace stretto::report {

void write_text(const std::string& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text << std::flush;
  if (!out)
    throw error("T17", "the report could not be written")
        .fact("file", file)
        .because(std::strerror(errno ? errno : EIO))
        .remedy("name a file in a folder that exists, is writable and has free space");
}

}  // namespace stretto::report
