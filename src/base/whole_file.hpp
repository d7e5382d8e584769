// whole_file.hpp - reads and replaces whole files, and makes temporary ones, safely on a machine with other users.
//
// Threads     any.
// Invariants  (1) no read waits for a named pipe without a writer. (2) a file is made under an unpredictable name,
//             exclusively and not through a link; a rename puts it in place, so others see the old or the new content.
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
  std::string fault;          // why it could not be read; empty: it was read
  bool is_too_large = false;  // it is larger than allowed, which is also a fault
  explicit operator bool() const noexcept { return fault.empty(); }
};

/// The content of a file, at most `most` bytes; of a pipe or terminal, all data that is written to it.
file_content read_whole(const std::filesystem::path& file, std::uint64_t most);

/// Replaces a file whose folder exists. Returns 0, or the system's error number.
///   permissions   of a new file, before the process's mask
int replace_whole(const std::filesystem::path& file, std::string_view content, mode_t permissions = 0600);

/// $XDG_CACHE_HOME/stretto/NAME, or ~/.cache/stretto/NAME; empty if neither variable names a folder.
std::filesystem::path cache_path(std::string_view name);

/// A new file under a temporary name. It is removed unless it is put in place.
class new_file {
 public:
  /// In the folder of `place`, whose name it will take. error() says whether the file could be made.
  new_file(std::filesystem::path place, mode_t permissions);
  new_file(const new_file&) = delete;
  ~new_file();

  int number() const noexcept { return number_; }  // of the open file; -1: there is none
  int error() const noexcept { return error_; }    // the system's reason; 0: it is open
  /// Renames the file to `place`; returns 0 or the system's error number.
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
  /// Writes the rest of the buffer; returns 0, or the system's error number of a failed write.
  int finish();

 private:
  int overflow(int c) override;
  int sync() override;

  const int number_;
  int error_ = 0;
  std::vector<char> buffer_;
};

/// A folder in $TMPDIR that only this user can enter; in /tmp if there is no such folder, as with compilers. It is
/// removed with its content.
class temporary_folder {
 public:
  /// Throws std::filesystem::filesystem_error if it cannot be made.
  explicit temporary_folder(std::string_view begin_of_name);
  temporary_folder(const temporary_folder&) = delete;
  ~temporary_folder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stretto::base
