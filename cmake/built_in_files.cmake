# Writes OUTPUT, a C++ file whose function FUNCTION returns the path within FOLDER and the text of each file there whose
# name is like PATTERN.
#   cmake -DFOLDER=docs/errors -DPATTERN=*.md -DFUNCTION=error_pages -DOUTPUT=error_pages.cpp -P built_in_files.cmake
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/${PATTERN})
list(SORT files)
list(LENGTH files count)
set(rows "")
foreach(file ${files})
  file(READ ${FOLDER}/${file} text)
  string(APPEND rows "    built_in_file{\"${file}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"stretto/built_in_files.hpp\"

#include <array>

namespace stretto::tools {

std::span<const built_in_file> ${FUNCTION}() {
  static constexpr std::array<built_in_file, ${count}> files{
${rows}  };
  return files;
}

}  // namespace stretto::tools
")
