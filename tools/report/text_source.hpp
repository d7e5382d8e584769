// text_source.hpp - the text of a file through a window: a timeline of 300 MB is read without holding it.
//
// Threads     one owner.
// Cost        the window (4 MiB); what is read stays in the cache until it is looked at.
// Errors      T10 where the system refuses.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace stretto::report {

class text_source {
 public:
  static constexpr std::size_t window_bytes = std::size_t{4} << 20;

  /// Opens the file. What is no regular file (a pipe) can be read but once, so all of it is in the first window.
  explicit text_source(const std::filesystem::path& file);
  ~text_source();
  text_source(const text_source&) = delete;

  /// The window's text. A window ends before `most` bytes only where the file does.
  std::string_view window() const noexcept { return {text_.get(), size_}; }
  bool is_last() const noexcept { return at_end_; }
  /// Bytes of the file when it was opened.
  std::size_t file_bytes() const noexcept { return file_bytes_; }

  /// The next window; it begins with the last `kept` bytes of this one.
  std::string_view move_on(std::size_t kept);
  /// All of the file, from its begin.
  std::string_view whole();

 private:
  void grow(std::size_t capacity);
  void fill();
  void fill_to_the_end();

  const std::filesystem::path file_;
  int number_ = -1;
  std::size_t file_bytes_ = 0;
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0, capacity_ = 0;
  bool at_end_ = false;
};

}  // namespace stretto::report
