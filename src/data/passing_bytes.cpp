#include "data/passing_bytes.hpp"

#include <new>
#include <utility>

namespace stretto::data {

namespace {
constexpr std::align_val_t alignment{64};
}

passing_memory::passing_memory(std::vector<device::device*> faster, std::uint64_t locked_bytes)
    : space_(place{}, "passing", place_kind::system_memory, most_bytes) {
  if (!faster.empty() && locked_bytes) space_.lock_pages_for(std::move(faster), locked_bytes);
}

passing_bytes::passing_bytes(std::shared_ptr<passing_memory> from, std::size_t bytes)
    : of_(std::move(from)),
      held_(of_->space_.try_create(bytes)),
      first_(held_ ? of_->space_.address_of(*held_) : static_cast<std::byte*>(::operator new(bytes, alignment))),
      size_(bytes) {}

passing_bytes::~passing_bytes() {
  if (held_) static_cast<void>(of_->space_.destroy(held_, nullptr));  // nobody waits
  else ::operator delete(first_, alignment);
}

}  // namespace stretto::data
