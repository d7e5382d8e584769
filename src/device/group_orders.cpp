#include "device/group_orders.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/address_span.hpp"
#include "device/device_texts.hpp"
#include "device/kernel_signature.hpp"
#include "device/native.hpp"

namespace stretto::device {

namespace {

constexpr std::uint64_t forward = 0, backward = 1, shuffled = 0x9e3779b97f4a7c15u;

bool is_written(const kernel_parameter& p) noexcept { return p.mode == access::out || p.mode == access::inout; }

/// Calls f(coordinates, address) for each element of an array that a launch may use.
template <class F>
void each_element(const kernel_argument& a, const kernel_parameter& p, F&& f) {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
  std::copy_n(a.min, p.dimensions, min);
  std::copy_n(a.max, p.dimensions, max);
  std::int64_t at[3];
  for (at[0] = min[0]; at[0] < max[0]; ++at[0])
    for (at[1] = min[1]; at[1] < max[1]; ++at[1])
      for (at[2] = min[2]; at[2] < max[2]; ++at[2]) {
        std::int64_t elements = 0;
        for (int axis = 0; axis < p.dimensions; ++axis) elements += at[axis] * a.stride[axis];
        // The origin may lie outside of the array; addresses are numbers here.
        f(at, reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(a.origin) +
                                           static_cast<std::uintptr_t>(elements * static_cast<std::int64_t>(p.element_bytes))));
      }
}

/// Addresses that belong together, as arguments lie over one another, and what is there at the beginning.
struct block {
  address_span is;
  bool is_written = false;
  std::vector<std::byte> before = {}, now = {};

  std::size_t bytes() const { return static_cast<std::size_t>(is.end - is.first); }
};

/// Others may write elements beside those of the launch, whose bytes are then copied too and mean nothing: no race of anybody.
__attribute__((no_sanitize("thread"))) std::vector<std::byte> copy_of(const block& b) {
  std::vector<std::byte> all(b.bytes());
  const auto* const from = reinterpret_cast<const volatile std::byte*>(b.is.first);  // or it becomes a call that is watched
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = from[i];
  return all;
}

/// Copies of all that a launch writes, with arguments that lead there.
class copied {
 public:
  copied(const kernel_code& code, const host_arguments& given) : code_(code), arguments_(given.all()) {
    for (std::size_t n = 0; n < arguments_.size(); ++n)
      if (lies_in_memory(n)) add(address_span(arguments_[n], code.parameters[n]), n);
    std::erase_if(blocks_, [](const block& b) { return !b.is_written; });
    for (block& b : blocks_) {
      b.before = copy_of(b);
      b.now.resize(b.bytes() + alignment);
    }
    for (std::size_t n = 0; n < arguments_.size(); ++n)
      if (const block* const b = block_of(n)) arguments_[n].origin += begin_of(*b) - reinterpret_cast<const std::byte*>(b->is.first);
    begin();
  }

  /// As it was before the launch.
  void begin() {
    for (block& b : blocks_) std::copy(b.before.begin(), b.before.end(), begin_of(b));
  }
  const std::vector<kernel_argument>& arguments() const { return arguments_; }
  std::vector<std::byte> written() const {
    std::vector<std::byte> all;
    each([&](std::size_t, const std::int64_t*, const std::byte* at, std::size_t bytes) { all.insert(all.end(), at, at + bytes); });
    return all;
  }
  /// "c(3, 4)": where it is not what it was. Empty: nowhere.
  std::string first_difference(const std::vector<std::byte>& all) const {
    const std::byte* from = all.data();
    std::string first;
    each([&](std::size_t n, const std::int64_t* index, const std::byte* at, std::size_t bytes) {
      if (first.empty() && std::memcmp(at, from, bytes) != 0) first = name_of(n, index);
      from += bytes;
    });
    return first;
  }

 private:
  static constexpr std::size_t alignment = 64;

  /// In the copy, with what the original's address has below the alignment.
  static std::byte* begin_of(const block& b) {
    const auto at = reinterpret_cast<std::uintptr_t>(b.now.data()), wanted = static_cast<std::uintptr_t>(b.is.first) % alignment;
    return const_cast<std::byte*>(b.now.data()) + (wanted + alignment - at % alignment) % alignment;
  }
  bool lies_in_memory(std::size_t n) const { return is_array(code_.parameters[n]) && code_.parameters[n].mode != access::local; }
  void add(const address_span& s, std::size_t n) {
    if (s.first == s.end) return;
    block all{s, is_written(code_.parameters[n])};
    std::erase_if(blocks_, [&](const block& b) {
      if (!b.is.meets(all.is)) return false;
      all.is.first = std::min(all.is.first, b.is.first);
      all.is.end = std::max(all.is.end, b.is.end);
      all.is_written = all.is_written || b.is_written;
      return true;
    });
    blocks_.push_back(std::move(all));
  }
  const block* block_of(std::size_t n) const {
    if (!lies_in_memory(n)) return nullptr;
    const auto found = std::ranges::find_if(blocks_, [s = address_span(arguments_[n], code_.parameters[n])](const block& b) { return s.meets(b.is); });
    return found == blocks_.end() ? nullptr : &*found;
  }

  template <class F>
  void each(F&& f) const {
    for (std::size_t n = 0; n < arguments_.size(); ++n) {
      const kernel_parameter& p = code_.parameters[n];
      if (is_written(p))
        each_element(arguments_[n], p, [&](const std::int64_t* index, const std::byte* at) { f(n, index, at, p.element_bytes); });
    }
  }
  std::string name_of(std::size_t n, const std::int64_t* index) const {
    std::string text = parameters_of(tokens_of(code_.parameter_text))[n].name + "(";
    for (int axis = 0; axis < code_.parameters[n].dimensions; ++axis) text += fmt::format("{}{}", axis ? ", " : "", index[axis]);
    return text + ")";
  }

  const kernel_code& code_;
  std::vector<kernel_argument> arguments_;
  std::vector<block> blocks_;
};

/// In a body, or in the functions that it uses.
bool has_atomics(const kernel_code& code, std::string_view body, std::set<const device_text*>& seen) {
  return std::ranges::any_of(tokens_of(body), [&](const token& t) {
    if (t.is != token::what::name) return false;
    if (t.spelling.starts_with("atomic_")) return true;
    const device_text* const used = text_named(t.spelling, code);
    return used && used->is == device_text::what::function && seen.insert(used).second && has_atomics(code, used->body, seen);
  });
}

}  // namespace

bool is_run_in_orders(const kernel_code& code) {
  if (!code.in_groups || code.native) return false;
  if (std::ranges::any_of(code.parameters, [](const kernel_parameter& p) { return p.mode == access::reduce; })) return false;
  std::set<const device_text*> seen;
  return !has_atomics(code, code.body_text, seen);
}

void run_in_orders(const kernel_code& code, const host_arguments& given, const launch_range& whole, group_memory& memory,
                   const std::source_location* where) {
  copied copies(code, given);
  const auto run = [&](std::uint64_t order) { given.run_with(copies.arguments(), whole, whole.min, whole.max, checking::on, memory, order); };
  run(forward);
  const std::vector<std::byte> first = copies.written();
  for (const std::uint64_t order : {backward, shuffled}) {
    copies.begin();
    run(order);
    const std::string differs = copies.first_difference(first);
    if (differs.empty()) continue;
    error e("K03", fmt::format("items of a group of kernel \"{}\" get in one another's way", code.name));
    e.fact("kernel", fmt::format("{}:{}", code.file, code.line));
    if (where) e.fact("launched", *where);
    throw std::move(e)
        .fact("element", differs)
        .because("it is another where the items of a region run in another order: one reads or writes what another writes there")
        .remedy("end the region between writing and reading: two calls of each_item in place of one");
  }
  given.run(whole, whole.min, whole.max, checking::on, memory, forward);
}

}  // namespace stretto::device
