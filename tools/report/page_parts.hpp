// page_parts.hpp - the files of the folder page, built into the command.
#pragma once

#include <string_view>

namespace stretto::report {

struct page_parts {
  std::string_view html;  // with @TITLE@, @STYLE@, @DATA@, @SCRIPT@, @RECORDS@ and @HASH@ where these go
  std::string_view style;
  std::string_view script;
  std::string_view script_sha256;  // in hexadecimal
};

/// Written by cmake/report_page.cmake.
const page_parts& shipped_page();

}  // namespace stretto::report
