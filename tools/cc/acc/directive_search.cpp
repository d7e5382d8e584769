#include "cc/acc/directive_search.hpp"

#include <array>
#include <set>
#include <string_view>

#include "base/whole_file.hpp"
#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_file = std::size_t{1} << 30;
constexpr std::array extensions{".c", ".cpp", ".cc", ".cxx", ".C", ".c++", ".cp", ".CPP"};

bool has_pragma(const std::string& text) {
  for (auto at = text.find("acc"); at != text.npos; at = text.find("acc", at + 1)) {
    const auto before = text.find_last_not_of(" \t(\"", at == 0 ? 0 : at - 1);
    if (before == text.npos || before < 5) continue;
    const std::string_view head = std::string_view(text).substr(0, before + 1);
    if (head.ends_with("pragma") || head.ends_with("_Pragma")) return true;
  }
  return false;
}

/// The names behind `include`, in quotes or angle brackets.
std::vector<std::string> included_names(const std::string& text) {
  static constexpr std::string_view keyword = "include";
  std::vector<std::string> all;
  for (auto at = text.find(keyword); at != text.npos; at = text.find(keyword, at + 1)) {
    const auto first = text.find_first_not_of(" \t", at + keyword.size());
    if (first == text.npos || (text[first] != '"' && text[first] != '<')) continue;
    const auto last = text.find_first_of("\">\n", first + 1);
    if (last != text.npos && text[last] != '\n') all.push_back(text.substr(first + 1, last - first - 1));
  }
  return all;
}

/// The folders of -I and -iquote, whose value may be the next argument.
std::vector<fs::path> folders_of(const std::vector<std::string>& options) {
  static constexpr std::array<std::string_view, 2> names{"-I", "-iquote"};
  std::vector<fs::path> all;
  for (std::size_t i = 0; i < options.size(); ++i)
    for (const std::string_view name : names) {
      if (options[i] == name && i + 1 < options.size()) all.emplace_back(options[i + 1]);
      else if (options[i].starts_with(name) && options[i].size() > name.size())
        all.emplace_back(options[i].substr(name.size()));
    }
  return all;
}

class directive_search {
 public:
  explicit directive_search(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  bool finds_in(const fs::path& file) {
    if (!known_.insert(file.lexically_normal()).second) return false;
    const auto read = base::read_whole(file, longest_file);
    if (!read) return false;
    if (has_pragma(read.text)) return true;
    for (const std::string& name : included_names(read.text))
      if (const fs::path header = find_header(name, file.parent_path()); !header.empty() && finds_in(header))
        return true;
    return false;
  }

 private:
  fs::path find_header(const std::string& name, const fs::path& next_to) const {
    std::error_code none;
    if (fs::is_regular_file(next_to / name, none)) return next_to / name;
    for (const fs::path& folder : folders_)
      if (fs::is_regular_file(folder / name, none)) return folder / name;
    return {};
  }

  const std::vector<fs::path> folders_;
  std::set<fs::path> known_;
};

}  // namespace

bool has_directives(const fs::path& source, const std::vector<std::string>& options) {
  if (!is_in(extensions, source.extension().string())) return false;
  return directive_search(folders_of(options)).finds_in(source);
}

}  // namespace stretto::cc::acc
