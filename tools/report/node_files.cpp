#include "report/node_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "trace/chrome.hpp"

namespace stretto::report {
namespace {

/// "2", "1 and 2", "1, 2 and 5 more".
std::string list_of(const std::vector<std::uint32_t>& nodes) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(nodes.size(), most); ++i)
    text += (i == 0 ? "" : i + 1 == nodes.size() ? " and " : ", ") + std::to_string(nodes[i]);
  return nodes.size() > most ? fmt::format("{} and {} more", text, nodes.size() - most) : text;
}

}  // namespace

std::string node_files::missing_text() const {
  if (missing.empty()) return {};
  const bool is_one = missing.size() == 1;
  return fmt::format("the timeline{} of node{} {} {} not beside it", is_one ? "" : "s", is_one ? "" : "s",
                     list_of(missing), is_one ? "is" : "are");
}

node_files find_node_files(const std::filesystem::path& first, std::uint32_t job_nodes) {
  node_files found;
  for (std::uint32_t n = 1; n < job_nodes; ++n) {
    const auto its = trace::file_of_node(first, n);
    std::error_code fault;
    if (std::filesystem::exists(its, fault)) found.there.push_back(its);
    else found.missing.push_back(n);
  }
  return found;
}

}  // namespace stretto::report
