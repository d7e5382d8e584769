// error_codes.hpp - error classes and codes that a program adds to those of MPI, and their texts.
//
// Threads     belongs to a rank; any thread of it may call.
// Invariants  (1) a class is a code of its own class. (2) numbers of the program are above MPI_ERR_LASTCODE, and none
//             is given to a second class or code while it exists.
// Errors      call_error(argument).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace stretto::ranks {

class error_codes {
 public:
  /// MPI_MAX_ERROR_STRING, which counts the zero at the end.
  static constexpr std::size_t text_limit = 512;

  int add_class();
  /// A code of a class of MPI or of the program.
  int add_code(int of_class);
  /// Sets or replaces the text of a class or code of the program; an empty one is MPI's default.
  void set_text(int code, std::string_view text);

  /// Only of the program, and no class while codes of it exist.
  void remove_class(int which);
  void remove_code(int which);
  void remove_text(int code);

  int class_of(int code) const;
  std::string text_of(int code) const;
  /// The largest number in use, at least MPI_ERR_LASTCODE: the attribute MPI_LASTUSEDCODE.
  int last_used() const;

 private:
  struct entry {
    int of_class = 0;
    std::string text;
  };

  int add(int of_class);
  entry& of_program(int code);

  mutable std::mutex mutex_;
  std::map<int, entry> entries_;
};

}  // namespace stretto::ranks
