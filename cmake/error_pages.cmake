# Writes OUTPUT, a C++ file with the text of every FOLDER/<code>.md.
#   cmake -DFOLDER=docs/errors -DOUTPUT=error_pages.cpp -P error_pages.cmake
file(GLOB pages ${FOLDER}/[A-Z][0-9][0-9].md)
list(SORT pages)
list(LENGTH pages count)
set(rows "")
foreach(page ${pages})
  cmake_path(GET page STEM code)
  file(READ ${page} text)
  string(APPEND rows "    error_page{\"${code}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"stretto/error_pages.hpp\"

#include <array>

namespace stretto::tools {

std::span<const error_page> error_pages() {
  static constexpr std::array<error_page, ${count}> pages{
${rows}  };
  return pages;
}

}  // namespace stretto::tools
")
