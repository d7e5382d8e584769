// error.hpp - the exception type of all failures that Stretto reports: code, sentence, facts, cause, remedy.
//
//     void check_path(const std::string& name) {
//       if (name != "L9") return;
//       throw error("P03", "place \"L9\" on the pop path of worker 2 is not declared")
//           .fact("file", "node.json:14:22")
//           .because("paths may name declared places only")
//           .remedy("did you mean \"L2\"?");
//     }
//     void report() {
//       try { check_path("L9"); }
//       catch (const error& e) { std::fprintf(stderr, "%s\n%s\n", e.what(), e.to_json().c_str()); }
//     }
//
// Threads     an error is a value: copy it, throw it, keep it, from any thread.
// Shape       error B04: two chunks of "blur" write the same elements of buffer B3 "image"
//               submitted   wave.cpp:41
//               because     neighborhood{1, 0} widens every chunk by one row
//               try         read with neighborhood, write with one_to_one into a second buffer
#pragma once

#include <stretto/compiler.hpp>

#include <exception>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// A failure that the user can read and act on.
///
/// The code is a letter for the area (A objects, B buffers, options and calls, C checkpoints, D data, E events, F
/// files, G mobile objects, H hang reports, K kernels and devices, M modules, N nodes and messages, O OpenACC, P
/// platform, R ranks, S tasks, T trace, W demo and command) and two digits. It is stable, and `stretto explain CODE`
/// prints its page.
///
/// Members that build an error throw std::bad_alloc only.
class error : public std::exception {
 public:
  /// An error with this code and sentence. Throws std::bad_alloc only.
  error(std::string code, std::string sentence);

  /// Adds a line "name   value" under the sentence. Give numbers with their unit. Throws std::bad_alloc only.
  error& fact(std::string name, std::string value) &;
  error&& fact(std::string name, std::string value) &&;
  error& fact(std::string name, const std::source_location& where) &;
  error&& fact(std::string name, const std::source_location& where) &&;
  /// Sets the "because" line: the cause of the failure. Throws std::bad_alloc only.
  error& because(std::string why) &;
  error&& because(std::string why) &&;
  /// Sets the "try" line: one remedy. Throws std::bad_alloc only.
  error& remedy(std::string what_to_try) &;
  error&& remedy(std::string what_to_try) &&;
  /// Sets the exception that led to this error. The text names it under "because"; to_json() holds it whole. Throws
  /// std::bad_alloc only.
  error& caused_by(std::exception_ptr cause) &;
  error&& caused_by(std::exception_ptr cause) &&;

  /// The code: "P03".
  const std::string& code() const noexcept;
  /// The sentence behind the code.
  const std::string& sentence() const noexcept;
  /// The lines added by fact(), in order: names and values.
  const std::vector<std::pair<std::string, std::string>>& facts() const noexcept;
  /// The text of the "because" line; empty if there is none.
  const std::string& why() const noexcept;
  /// The text of the "try" line; empty if there is none.
  const std::string& what_to_try() const noexcept;
  /// The exception that caused_by() set; null if there is none.
  const std::exception_ptr& cause() const noexcept;

  /// The whole message: several lines, without a trailing newline.
  const char* what() const noexcept override;
  /// The error as one JSON object on one line, without a newline, as STRETTO_ERRORS=json prints it. Throws
  /// std::bad_alloc only.
  ///
  ///     {"code":"P03","sentence":"...","facts":[{"name":"file","value":"a.json:14:22"}],"because":"...","try":"..."}
  ///
  /// "because" and "try" are left out where they are empty. "cause" holds the error that led to this one, in the same
  /// shape; of an exception that is not an error, only its "sentence". Bytes that are no UTF-8 become U+FFFD.
  std::string to_json() const;

 private:
  struct content;
  content& own();                     // copy on write
  std::shared_ptr<content> content_;  // shared between copies, so copying cannot throw
};

/// The exception of a wait for skipped work, code E10: the chain of skipped operations, and the exception of the first
/// one. A wait for the failed operation itself throws the original exception instead.
class poisoned : public error {
 public:
  /// An error that names the chain, and the original exception. Throws nothing.
  poisoned(error chain, std::exception_ptr root) : error(std::move(chain)), root_(std::move(root)) {}
  /// The exception of the operation that failed.
  const std::exception_ptr& root() const noexcept { return root_; }

 private:
  std::exception_ptr root_;
};

/// The file without its folders, and the line: "wave.cpp:41"; only the file if no line is known. Throws std::bad_alloc
/// only.
std::string short_location(const std::source_location& where);

}  // namespace stretto

STRETTO_API_END
