#include "cc/response_file.hpp"

#include <cctype>

#include "base/whole_file.hpp"

namespace stretto::cc {
namespace {

constexpr int deepest = 32;  // files that name files
constexpr std::uint64_t largest_text = 64 << 20;

class word_splitter {
 public:
  std::vector<std::string> split(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) add(text[++i]);
      else if (quote_ != 0 && text[i] == quote_) quote_ = 0;
      else if (quote_ != 0) add(text[i]);
      else if (text[i] == '\'' || text[i] == '"') quote_ = text[i], is_word_ = true;
      else if (std::isspace(static_cast<unsigned char>(text[i]))) end_word();
      else add(text[i]);
    }
    end_word();
    return std::move(all_);
  }

 private:
  void add(char c) { word_ += c, is_word_ = true; }
  void end_word() {
    if (is_word_) all_.push_back(std::move(word_));
    word_.clear(), is_word_ = false;
  }

  std::vector<std::string> all_;
  std::string word_;
  char quote_ = 0;
  bool is_word_ = false;
};

void add_arguments(std::vector<std::string>& all, const std::vector<std::string>& arguments, int depth) {
  for (const auto& one : arguments) {
    const bool names_file = one.size() > 1 && one.front() == '@' && depth < deepest;
    const auto file = names_file ? base::read_whole(one.substr(1), largest_text) : base::file_content{{}, "none"};
    if (file) add_arguments(all, split_text(file.text), depth + 1);
    else all.push_back(one);
  }
}

}  // namespace

std::vector<std::string> split_text(std::string_view text) { return word_splitter().split(text); }

std::vector<std::string> with_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  add_arguments(all, arguments, 0);
  return all;
}

}  // namespace stretto::cc
