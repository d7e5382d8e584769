// error.hpp - every failure that Stretto reports, in one shape: code, sentence, facts, because, try.
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

/// A failure that the user can read and act on. Built in one expression:
///
///     throw error("P03", "place \"L9\" on the pop path of worker 2 is not declared")
///         .fact("file", "node.json:14:22")
///         .because("paths may name declared places only")
///         .remedy("did you mean \"L2\"?");
///
/// The code is a letter for the room (A objects, B base/options, C checkpoints, E event, F files, H hang reports, P
/// platform, S sched, D data, K kernels and devices, M modules, T trace, W demo and command) and two digits; it is
/// stable, and `stretto explain CODE` prints its page.
class error : public std::exception {
 public:
  /// An error with this code and sentence, and nothing else yet.
  error(std::string code, std::string sentence);

  /// Adds a line "name   value" under the sentence. Numbers carry their unit in the text.
  error& fact(std::string name, std::string value) &;
  error&& fact(std::string name, std::string value) &&;
  error& fact(std::string name, const std::source_location& where) &;
  error&& fact(std::string name, const std::source_location& where) &&;
  /// Sets the "because" line: the cause.
  error& because(std::string why) &;
  error&& because(std::string why) &&;
  /// The "try" line: one remedy.
  error& remedy(std::string what_to_try) &;
  error&& remedy(std::string what_to_try) &&;
  /// The failure that led to this one. The text names it under "because"; to_json() holds it whole.
  error& caused_by(std::exception_ptr cause) &;
  error&& caused_by(std::exception_ptr cause) &&;

  /// The code, as "P03".
  const std::string& code() const noexcept;
  /// The sentence behind the code.
  const std::string& sentence() const noexcept;
  /// The lines added by fact(), in order: names and values.
  const std::vector<std::pair<std::string, std::string>>& facts() const noexcept;
  /// The text of the "because" line; empty if there is none.
  const std::string& why() const noexcept;
  /// The text of the "try" line; empty if there is none.
  const std::string& what_to_try() const noexcept;
  const std::exception_ptr& cause() const noexcept;  // null where nothing else failed before

  /// The whole message, several lines, no trailing newline.
  const char* what() const noexcept override;
  /// The same as one JSON object on one line, without a newline; what STRETTO_ERRORS=json prints:
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

/// What waiting for skipped work throws (code E10): the chain of what was skipped, and the exception that it began
/// with. Waiting for the work that failed itself throws that exception as it is.
class poisoned : public error {
 public:
  /// The error that names the chain, with the exception that it began with.
  poisoned(error chain, std::exception_ptr root) : error(std::move(chain)), root_(std::move(root)) {}
  /// The exception of the work that failed.
  const std::exception_ptr& root() const noexcept { return root_; }

 private:
  std::exception_ptr root_;
};

/// "wave.cpp:41": the file without its folders, and the line; the file alone where no line is known.
std::string short_location(const std::source_location& where);

}  // namespace stretto

STRETTO_API_END
