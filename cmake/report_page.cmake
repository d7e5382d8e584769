# Writes OUTPUT, a C++ file with the parts of the page that `stretto report` writes, from the files of FOLDER.
#   cmake -DFOLDER=tools/report/page -DOUTPUT=page_parts.cpp -P report_page.cmake
file(READ ${FOLDER}/page.html html)
file(READ ${FOLDER}/page.css style)
set(script "\n")  # as it stands between the tags, since the page names its hash
foreach(part data timeline tables)
  file(READ ${FOLDER}/${part}.js text)
  string(APPEND script "${text}")
endforeach()
string(SHA256 hash "${script}")
# Raw strings have a bound in some compilers; ours take any length.
file(WRITE ${OUTPUT} "#include \"report/page_parts.hpp\"

namespace stretto::report {

const page_parts& shipped_page() {
  static constexpr page_parts parts{R\"part(${html})part\", R\"part(${style})part\", R\"part(${script})part\", \"${hash}\"};
  return parts;
}

}  // namespace stretto::report
")
