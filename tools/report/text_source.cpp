#include "report/text_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stretto/error.hpp>

namespace stretto::report {
namespace {

error unreadable(const std::filesystem::path& file, int reason) {
  return error("T10", "the timeline cannot be read")
      .fact("file", file.string())
      .because(std::strerror(reason))
      .remedy("name the file that STRETTO_TRACE=FILE or save_trace wrote");
}

}  // namespace

text_source::text_source(const std::filesystem::path& file)
    : file_(file), number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (number_ < 0) throw unreadable(file_, errno);
  try {
    struct stat about {};
    if (::fstat(number_, &about) != 0) throw unreadable(file_, errno);
    file_bytes_ = static_cast<std::size_t>(std::max<off_t>(about.st_size, 0));
    grow(window_bytes);
    if (S_ISREG(about.st_mode)) fill();
    else fill_to_the_end();
  } catch (...) {
    ::close(number_);
    throw;
  }
}

text_source::~text_source() { ::close(number_); }

void text_source::grow(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ != 0) std::memcpy(larger.get(), text_.get(), size_);
  text_ = std::move(larger);
  capacity_ = capacity;
}

// Read, not mapped: a file that shrinks meanwhile must not kill us.
void text_source::fill() {
  while (size_ < capacity_ && !at_end_) {
    const ssize_t got = ::read(number_, text_.get() + size_, capacity_ - size_);
    if (got < 0 && errno != EINTR) throw unreadable(file_, errno);
    if (got == 0) at_end_ = true;
    if (got > 0) size_ += static_cast<std::size_t>(got);
  }
}

void text_source::fill_to_the_end() {
  for (fill(); !at_end_; fill()) grow(2 * capacity_);
}

std::string_view text_source::move_on(std::size_t kept) {
  std::memmove(text_.get(), text_.get() + (size_ - kept), kept);
  size_ = kept;
  fill();
  return window();
}

std::string_view text_source::whole() {
  if (::lseek(number_, 0, SEEK_SET) < 0) throw unreadable(file_, errno);
  size_ = 0;
  at_end_ = false;
  grow(std::max(window_bytes, file_bytes_ + 1));
  fill_to_the_end();
  return window();
}

}  // namespace stretto::report
