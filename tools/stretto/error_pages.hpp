// error_pages.hpp - the pages of docs/errors, built into the command.
#pragma once

#include <span>
#include <string_view>

namespace stretto::tools {

struct error_page {
  std::string_view code;
  std::string_view text;  // Markdown, ends with a newline
};

/// Sorted by code. Written from docs/errors/*.md by cmake/error_pages.cmake.
std::span<const error_page> error_pages();

}  // namespace stretto::tools
