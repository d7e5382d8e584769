// whole_file.hpp - files that are read or replaced as a whole, and temporary ones, on a machine that others use, too.
//
// Threads     any.
// Invariants  (1) no read waits for a named pipe that nobody writes to. (2) a file is made under a name that nobody can
//             foresee, exclusively and through no link; it takes its place by a change of names, so that others see the
//             old content or the new one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::base {

struct file_content {
  std::string text;
  std::string fault;          // why it could not be read; empty: it was
  bool is_too_large = false;  // it has more than was allowed, which is a fault, too
  explicit operator bool() const noexcept { return fault.empty(); }
};

/// The content of a file, of at most `most` bytes; of a pipe or terminal, all that is written to it.
file_content read_whole(const std::filesystem::path& file, std::uint64_t most);

/// Replaces a file, whose folder exists. Returns the system's reason where that failed, else 0.
///   permissions   of a new file, before the process's mask
int replace_whole(const std::filesystem::path& file, std::string_view content, mode_t permissions = 0600);

/// $XDG_CACHE_HOME/stretto/NAME, or ~/.cache/stretto/NAME; empty where neither variable names a folder.
std::filesystem::path cache_path(std::string_view name);

/// A file that was just made in a folder, under a name of its own, and is removed unless it is put in place.
class new_file {
 public:
  /// Next to `place`, whose name it will take. error() says whether it could be made.
  new_file(std::filesystem::path place, mode_t permissions);
  new_file(const new_file&) = delete;
  ~new_file();

  int number() const noexcept { return number_; }  // of the open file; -1: there is none
  int error() const noexcept { return error_; }    // the system's reason; 0: it is open
  /// It takes the place; returns 0 or the system's reason.
  int put_in_place();

 private:
  const std::filesystem::path place_;
  std::filesystem::path path_;
  int number_ = -1, error_ = 0;
};

/// A stream into an open file.
class file_output : private std::streambuf, public std::ostream {
 public:
  explicit file_output(int number);
  ~file_output() override;
  /// Writes what is left; 0, or the system's reason why something could not be written.
  int finish();

 private:
  int overflow(int c) override;
  int sync() override;

  const int number_;
  int error_ = 0;
  std::vector<char> buffer_;
};

/// A folder that only this user can enter, removed with all that is in it.
class temporary_folder {
 public:
  /// Throws std::filesystem::filesystem_error where there can be none.
  explicit temporary_folder(std::string_view begin_of_name);
  temporary_folder(const temporary_folder&) = delete;
  ~temporary_folder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stretto::base
