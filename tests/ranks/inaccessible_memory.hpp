// inaccessible_memory.hpp - memory of a device as the host sees it: a use of its addresses crashes.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "ranks/datatypes/device_memory.hpp"

namespace stretto::test {

class inaccessible_memory : public ranks::device_memory {
 public:
  /// With the bytes that memory of the host has; addresses of the two are equally far apart.
  explicit inaccessible_memory(std::vector<std::byte> initial) : bytes(std::move(initial)) {
    void* const reserved = ::mmap(nullptr, reserved_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    first_ = static_cast<std::byte*>(reserved);
    ranks::add_device_memory(first_, reserved_bytes(), *this);
  }
  inaccessible_memory(const inaccessible_memory&) = delete;
  ~inaccessible_memory() {
    ranks::remove_device_memory(first_, *this);
    ::munmap(first_, reserved_bytes());
  }

  std::byte* first() const { return first_; }

  std::unique_ptr<ranks::copy_stream> make_stream() override { return std::make_unique<stream>(*this); }
  bool reaches(const ranks::device_memory& other) const override { return this == &other || reached == &other; }

  /// Ends the copies that are under way, with a failure or without.
  void end_copies(std::exception_ptr failure = nullptr) {
    for (places::completion* const one : std::exchange(under_way, {})) {
      one->failure = failure;
      one->run(*one);
    }
  }

  std::vector<std::byte> bytes;
  int copies = 0;
  inaccessible_memory* reached = nullptr;  // besides itself
  bool is_slow = false;                    // copies are under way until end_copies()
  std::vector<places::completion*> under_way;

 private:
  class stream final : public ranks::copy_stream {
   public:
    explicit stream(inaccessible_memory& of) : of_(of) {}
    void copy(const ranks::memory_rows& to, const ranks::memory_rows& from, std::int64_t row,
              std::int64_t rows) override {
      ++of_.copies;
      for (std::int64_t i = 0; i < rows; ++i)
        std::memmove(of_.here(to.first + i * to.distance), of_.here(from.first + i * from.distance),
                     static_cast<std::size_t>(row));
    }
    void notify(places::completion& done) override {
      if (of_.is_slow) of_.under_way.push_back(&done);
      else done.run(done);
    }
    void finish() override {}

   private:
    inaccessible_memory& of_;
  };

  std::size_t reserved_bytes() const { return bytes.size() + 1; }
  std::byte* here(std::byte* address) {
    for (inaccessible_memory* const one : {this, reached})
      if (one && address >= one->first_ && address < one->first_ + one->reserved_bytes())
        return one->bytes.data() + (address - one->first_);
    return address;
  }

  std::byte* first_ = nullptr;
};

}  // namespace stretto::test
