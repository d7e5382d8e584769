#include "base/whole_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <system_error>

#include "base/file_descriptor.hpp"

namespace stretto::base {
namespace {

namespace fs = std::filesystem;

file_content failed(std::string why) { return {.text = {}, .fault = std::move(why)}; }

/// The next bytes; 0 at the end, -1 with errno. Waits for the writer of a pipe.
ssize_t read_part(int number, char* to, std::size_t bytes) {
  for (;;) {
    const ssize_t got = ::read(number, to, bytes);
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
    pollfd of{number, POLLIN, 0};
    ::poll(&of, 1, -1);
  }
}

std::string unforeseen() {
  std::random_device numbers;  // a generator for each thread would leave two plugins no room for their thread-locals
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";
  std::string name(12, '0');
  for (char& c : name) c = digits[numbers() % digits.size()];
  return name;
}

}  // namespace

file_content read_whole(const fs::path& file, std::uint64_t most) {
  const file_descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat is {};
  if (from.number() < 0 || ::fstat(from.number(), &is) != 0) return failed(std::strerror(errno));
  if (S_ISDIR(is.st_mode)) return failed("it is a folder");
  const bool is_pipe = S_ISFIFO(is.st_mode);
  if (!S_ISREG(is.st_mode) && !S_ISCHR(is.st_mode) && !is_pipe) return failed("it is no file");
  file_content made;
  const auto too_large = [&] {
    made.is_too_large = true;
    made.fault = "it is larger than " + std::to_string(most) + " bytes";
    made.text.clear();
  };
  if (S_ISREG(is.st_mode) && static_cast<std::uint64_t>(is.st_size) > most) return too_large(), std::move(made);
  char part[1 << 16];
  for (ssize_t got; (got = read_part(from.number(), part, sizeof part)) != 0;) {
    if (got < 0) return failed(std::strerror(errno));
    made.text.append(part, static_cast<std::size_t>(got));
    if (made.text.size() > most) return too_large(), std::move(made);
  }
  if (is_pipe && made.text.empty()) return failed("it is a named pipe that nobody writes to");
  return made;
}

int replace_whole(const fs::path& file, std::string_view content, mode_t permissions) {
  new_file made(file, permissions);
  if (made.error()) return made.error();
  file_output to(made.number());
  to.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (const int reason = to.finish()) return reason;
  return made.put_in_place();
}

fs::path cache_path(std::string_view name) {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return fs::path(cache) / "stretto" / name;
  if (const char* const home = std::getenv("HOME"); home && *home == '/')
    return fs::path(home) / ".cache" / "stretto" / name;
  return {};
}

new_file::new_file(fs::path place, mode_t permissions) : place_(std::move(place)) {
  constexpr int most_tries = 100;
  for (int tries = 0; tries < most_tries; ++tries) {
    path_ = place_.parent_path() / ("." + place_.filename().string() + "." + unforeseen());
    number_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions);
    error_ = number_ < 0 ? errno : 0;
    if (error_ != EEXIST) return;
  }
}

new_file::~new_file() {
  if (number_ < 0) return;
  ::close(number_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

int new_file::put_in_place() {
  if (::rename(path_.c_str(), place_.c_str()) != 0) return errno;
  path_.clear();
  return 0;
}

file_output::file_output(int number)
    : std::ostream(static_cast<std::streambuf*>(this)), number_(number), buffer_(1 << 16) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

file_output::~file_output() { finish(); }

int file_output::finish() {
  flush();
  return error_;
}

int file_output::overflow(int c) {
  if (sync() != 0) return std::char_traits<char>::eof();
  if (c == std::char_traits<char>::eof()) return std::char_traits<char>::not_eof(c);
  return sputc(static_cast<char>(c));
}

int file_output::sync() {
  for (const char* at = pbase(); at < pptr() && !error_;) {
    const ssize_t put = ::write(number_, at, static_cast<std::size_t>(pptr() - at));
    if (put > 0) at += put;
    else if (put == 0 || errno != EINTR) error_ = put < 0 && errno ? errno : EIO;
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ ? -1 : 0;
}

temporary_folder::temporary_folder(std::string_view begin_of_name) {
  std::error_code is_absent;
  fs::path parent = fs::temp_directory_path(is_absent);
  if (is_absent) parent = "/tmp";
  std::string name = (parent / begin_of_name).string() + "-XXXXXX";
  if (!::mkdtemp(name.data()))
    throw fs::filesystem_error("a temporary folder could not be made", name,
                               std::error_code(errno, std::generic_category()));
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code nothing_to_do;
  fs::remove_all(path_, nothing_to_do);
}

}  // namespace stretto::base
