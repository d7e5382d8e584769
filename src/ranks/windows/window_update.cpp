#include "ranks/windows/window_update.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/device_copies.hpp"
#include "ranks/datatypes/layout_copy.hpp"
#include "ranks/windows/type_description.hpp"

namespace stretto::ranks {
namespace {

constexpr std::int64_t bytes_under_lock = 4096;
constexpr std::size_t most_value_bytes = 32;  // of a basic type

const datatype& checked_element(const datatype& target) {
  if (const datatype* const element = element_type(target)) return *element;
  throw call_error(error_class::type, "the elements of an accumulate are not all of one predefined type");
}

bool is_aligned(const std::byte* address, std::int64_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(alignment) == 0;
}

/// Elements as an array in memory, for a few of them.
struct element_buffer {
  alignas(64) std::byte bytes[bytes_under_lock];
};

/// Walks through the three layouts at once.
class staged_update {
 public:
  staged_update(const element_update& update, const update_data& data)
      : update_(update),
        layout_(update.element().layout()),
        origin_(data.origin.cursor()),
        target_(data.target.cursor()),
        written_(data.target.cursor()),
        result_(data.result.cursor()),
        fetches_(data.result.bytes() > 0) {}

  void run(std::int64_t count, base::spin_lock& lock) {
    const std::int64_t block = std::max<std::int64_t>(1, bytes_under_lock / update_.element().extent());
    for (; count > 0; count -= block) update_block(std::min(count, block), lock);
  }

 private:
  layout_cursor array(element_buffer& buffer, std::int64_t count) const { return {layout_, buffer.bytes, count}; }

  void update_block(std::int64_t count, base::spin_lock& lock) {
    const std::int64_t bytes = count * layout_.size();
    element_buffer origin, target;
    layout_cursor to_origin = array(origin, count), to_target = array(target, count), old = array(target, count),
                  changed = array(target, count);
    if (update_.reads_origin()) copy_data(to_origin, origin_, bytes);
    const std::lock_guard guard(lock);
    copy_data(to_target, target_, bytes);
    if (fetches_) copy_data(result_, old, bytes);
    if (!update_.reads_origin()) return;
    update_.apply(origin.bytes, target.bytes, count);
    copy_data(written_, changed, bytes);
  }

  const element_update& update_;
  const type_layout& layout_;
  layout_cursor origin_, target_, written_, result_;
  const bool fetches_;
};

/// All data is arrays of elements without gaps, at addresses that the loops can use.
bool is_plain(const element_update& update, const update_data& data) {
  const datatype& element = update.element();
  const auto fits = [&](const data_part& part) {
    return part.is_dense() && is_aligned(part.address(), element.alignment());
  };
  return element.extent() == element.size() && fits(data.origin) && fits(data.target) && data.result.is_dense();
}

void update_plain(const element_update& update, const update_data& data, base::spin_lock& lock) {
  const std::int64_t size = update.element().size(), block = bytes_under_lock / size * size;
  for (std::int64_t at = 0; at < data.target.bytes(); at += block) {
    const std::int64_t bytes = std::min(block, data.target.bytes() - at);
    const std::lock_guard guard(lock);
    std::byte* const target = data.target.address() + at;
    if (data.result.bytes() > 0) std::memcpy(data.result.address() + at, target, static_cast<std::size_t>(bytes));
    if (update.reads_origin()) update.apply(data.origin.address() + at, target, bytes / size);
  }
}

}  // namespace

element_update::element_update(const reduction_operation& operation, const datatype& target)
    : which_(operation.which()), element_(&checked_element(target)) {
  if (operation.is_user_defined())
    throw call_error(error_class::op, "operations of programs are not allowed on windows");
  if (which_ == predefined_operator::replace || which_ == predefined_operator::no_operation) return;
  loop_ = find_combine_function(which_, *element_);
  if (!loop_) combiner(operation, *element_);  // throws
}

void element_update::apply(const std::byte* origin, std::byte* target, std::int64_t count) const {
  if (loop_) return loop_(origin, target, count);
  std::memcpy(target, origin, static_cast<std::size_t>(count * element_->extent()));
}

void update_elements(const element_update& update, const update_data& data, base::spin_lock& lock) {
  if (data.target.bytes() == 0) return;
  if (is_plain(update, data)) return update_plain(update, data, lock);
  staged_update(update, data).run(data.target.bytes() / update.element().size(), lock);
}

void exchange_value(std::byte* target, const value_exchange& values, base::spin_lock& lock) {
  std::byte before[most_value_bytes], expected[most_value_bytes];
  const auto copy = [&](void* to, const void* from) {
    copy_anywhere(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), values.bytes);
  };
  copy(expected, values.expected);
  const std::lock_guard guard(lock);
  copy(before, target);
  copy(values.result, before);
  if (std::memcmp(before, expected, static_cast<std::size_t>(values.bytes)) == 0) copy(target, values.desired);
}

}  // namespace stretto::ranks
