// file_descriptor.hpp - owns a file descriptor and closes it.
//
// Threads     one at a time.
#pragma once

#include <unistd.h>

#include <utility>

namespace stretto::base {

class file_descriptor {
 public:
  /// The result of open(), socket(), ...; negative: no file.
  explicit file_descriptor(int number) noexcept : number_(number) {}
  file_descriptor(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  explicit operator bool() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }
  /// Gives up ownership; the file stays open.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace stretto::base
