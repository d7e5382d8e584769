#include "data/staging_buffer.hpp"

#include <new>
#include <utility>

namespace stretto::data {

namespace {
constexpr std::align_val_t alignment{64};
}

staging_memory::staging_memory(std::vector<device::device*> faster, std::uint64_t locked_bytes)
    : space_(place{}, "passing", place_kind::system_memory, most_bytes) {
  if (!faster.empty() && locked_bytes) space_.lock_pages_for(std::move(faster), locked_bytes);
}

staging_buffer::staging_buffer(std::shared_ptr<staging_memory> from, std::size_t bytes)
    : of_(std::move(from)),
      held_(of_->space_.try_create(bytes)),
      first_(held_ ? of_->space_.address_of(*held_) : static_cast<std::byte*>(::operator new(bytes, alignment))),
      size_(bytes) {}

staging_buffer::~staging_buffer() {
  if (held_) static_cast<void>(of_->space_.destroy(held_, nullptr));  // no creation waits
  else ::operator delete(first_, alignment);
}

}  // namespace stretto::data
