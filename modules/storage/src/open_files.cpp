#include "open_files.hpp"

#include <unistd.h>

#include <set>
#include <stdexcept>

namespace stretto {
namespace {

/// The numbers of all modules of the process, so that a file of another runtime is recognised.
class file_numbers {
 public:
  std::uint64_t take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty() && last_ >> open_files::number_bits) throw std::runtime_error("too many files are open");
    return free_.empty() ? ++last_ : free_.extract(free_.begin()).value();
  }
  void give_back(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    free_.insert(number);
  }

 private:
  std::mutex mutex_;
  std::set<std::uint64_t> free_;
  std::uint64_t last_ = 0;
};

file_numbers& numbers_of_process() {
  static auto* const numbers = new file_numbers;  // files may be closed while the process ends
  return *numbers;
}

}  // namespace

file::opened::~opened() {
  of->remove(number);
  for (const int one : {descriptor, direct})
    if (one >= 0) ::close(one);
}

void open_files::add(const std::shared_ptr<file::opened>& f) {
  f->number = numbers_of_process().take();
  const std::scoped_lock lock(mutex_);
  files_[f->number] = f;
}

void open_files::remove(std::uint64_t number) noexcept {
  if (!number) return;  // it was not opened
  {
    const std::scoped_lock lock(mutex_);
    files_.erase(number);
  }
  numbers_of_process().give_back(number);
}

std::shared_ptr<file::opened> open_files::file_at(const std::byte* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address) >> offset_bits;
  const std::scoped_lock lock(mutex_);
  const auto found = files_.find(number);
  auto f = found == files_.end() ? nullptr : found->second.lock();
  if (!f) throw std::runtime_error("an address at a storage place belongs to no file that this module has open");
  return f;
}

}  // namespace stretto
