#include "dist/program_constants.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/node_numbers.hpp"
#include "base/process_wide.hpp"
#include "dist/build_ids.hpp"

namespace stretto::dist {
namespace {

/// The constants that a std::source_location of libstdc++ points to.
struct constants {
  const char* file;
  const char* function;
  unsigned line, column;
};
static_assert(sizeof(std::source_location) == sizeof(const constants*));

constexpr unsigned offset_bits = 48;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << offset_bits) - 1;
constexpr std::size_t longest_text = 4096;
/// Module hash of an unknown line; the offset is then a node's number plus one. All bits 0: no line.
constexpr std::uint16_t unknown = 0;

struct segment {
  std::uintptr_t first, last;  // [first, last)
};

/// Decoded bits may point to anything in the module, also to the red zones of a sanitizer.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool is_terminated(const char* text, std::size_t most) noexcept {
  for (std::size_t i = 0; i < most; ++i)
    if (!text[i]) return true;
  return false;
}
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] constants copy_of(const constants* at) noexcept {
  return {at->file, at->function, at->line, at->column};
}

/// The loader protects its lists by a lock that ThreadSanitizer does not see.
[[gnu::no_sanitize_thread]] std::string name_in_list(const char* name) {
  std::string copy;
  for (; name && *name; ++name) copy.push_back(*name);
  return copy;
}

struct module {
  std::uintptr_t base = 0;
  std::uint64_t identity = 0;    // a hash that no other module has, but for its copies
  std::uint16_t hash = unknown;  // of the identity; also unknown if another module has the same
  std::vector<segment> segments;

  bool holds(std::uintptr_t at, std::size_t bytes) const noexcept {
    for (const segment& s : segments)
      if (at >= s.first && at < s.last && bytes <= s.last - at) return true;
    return false;
  }
  bool holds_text(const char* text) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(text);
    for (const segment& s : segments)
      if (at >= s.first && at < s.last) return is_terminated(text, std::min<std::size_t>(longest_text, s.last - at));
    return false;
  }
};

/// The build ID if there is one; else the name, and size, position and flags of the segments.
std::uint64_t identity_of(const module& m, std::string_view name, std::span<const ElfW(Phdr)> headers) {
  for (const ElfW(Phdr) & p : headers)
    if (p.p_type == PT_NOTE && m.holds(m.base + p.p_vaddr, p.p_memsz))
      if (const std::string id = build_id(std::span(reinterpret_cast<const std::byte*>(m.base + p.p_vaddr), p.p_memsz));
          !id.empty())
        return base::fnv1a(id);
  if (const auto slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
  std::uint64_t h = base::fnv1a(name);
  for (const ElfW(Phdr) & p : headers) {
    if (p.p_type != PT_LOAD) continue;
    const std::uint64_t shape[]{p.p_vaddr, p.p_memsz, p.p_filesz, p.p_flags};
    h = base::fnv1a({reinterpret_cast<const char*>(shape), sizeof shape}, h);
  }
  return h;
}

std::uint16_t hash_of(std::uint64_t h) {
  h ^= h >> 32;
  h ^= h >> 16;
  return static_cast<std::uint16_t>(h) == unknown ? 1 : static_cast<std::uint16_t>(h);
}

module read_module(const dl_phdr_info& info) {
  module m{info.dlpi_addr, 0, unknown, {}};
  const std::span headers(info.dlpi_phdr, info.dlpi_phnum);
  for (const ElfW(Phdr) & p : headers)
    if (p.p_type == PT_LOAD && p.p_flags & PF_R)
      m.segments.push_back({info.dlpi_addr + p.p_vaddr, info.dlpi_addr + p.p_vaddr + p.p_memsz});
  m.identity = identity_of(m, name_in_list(info.dlpi_name), headers);
  m.hash = hash_of(m.identity);
  return m;
}

/// A lossy cache of values that were checked before. A value is never 0.
class checked_values {
 public:
  bool has(std::uint64_t word) noexcept { return place(word).load(std::memory_order_relaxed) == word; }
  void add(std::uint64_t word) noexcept { place(word).store(word, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>& place(std::uint64_t word) noexcept { return all_[word * 0x9e3779b97f4a7c15u >> 56]; }
  std::array<std::atomic<std::uint64_t>, 256> all_{};
};
constinit checked_values checked_lines;   // encoded lines of the program
constinit checked_values checked_ranges;  // address and size of constants in the program

/// The program itself, the first module in the list. It is never unloaded, so it need not be looked up again. Its hash
/// identifies no other module, because a module with the same hash is not encoded.
const module& program() {
  static const module* const it = [] {
    auto* const m = new module;  // never destroyed: threads may outlive main
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
          *static_cast<module*>(to) = read_module(*info);
          return 1;
        },
        m);
    return m;
  }();
  return *it;
}

bool program_holds(std::uintptr_t at, std::size_t bytes) noexcept {
  const bool is_small = bytes <= 0xffff && at >> 48 == 0;
  const std::uint64_t word = std::uint64_t{at} << 16 | bytes;
  if (is_small && checked_ranges.has(word)) return true;
  if (!program().holds(at, bytes)) return false;
  if (is_small) checked_ranges.add(word);
  return true;
}

class module_list {
 public:
  /// Calls f(list) with the modules that are loaded now.
  template <class F>
  auto with(F&& f) {
    const std::scoped_lock lock(mutex_);
    const auto adds = adds_, subs = subs_;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
          auto& list = *static_cast<module_list*>(self);
          list.adds_ = info->dlpi_adds;
          list.subs_ = info->dlpi_subs;
          return 1;  // the counters of the first entry are valid for all
        },
        this);
    if (all_.empty() || adds != adds_ || subs != subs_) {
      all_.clear();
      ::dl_iterate_phdr(add, this);
    }
    return f(static_cast<const std::vector<module>&>(all_));
  }

 private:
  static int add(dl_phdr_info* info, std::size_t, void* self) {
    auto& list = *static_cast<module_list*>(self);
    module m = read_module(*info);
    const std::uint16_t hash = m.hash;
    for (module& other : list.all_)
      if (hash_of(other.identity) == hash && other.identity != m.identity) other.hash = m.hash = unknown;
    list.all_.push_back(std::move(m));
    return 0;
  }

  std::mutex mutex_;
  std::vector<module> all_;
  unsigned long long adds_ = 0, subs_ = 0;
};

module_list& modules() {
  static module_list& all = base::make_process_wide<module_list>();
  return all;
}

struct unknown_line {
  std::string text;
  constants points_to_it;
};

struct unknown_lines {
  std::mutex mutex;
  std::map<std::uint16_t, std::unique_ptr<unknown_line>> by_node;
};

unknown_lines& all_unknown_lines() {
  static unknown_lines& all = base::make_process_wide<unknown_lines>();
  return all;
}

std::source_location somewhere_on(std::uint16_t node) {
  auto& all = all_unknown_lines();
  const std::scoped_lock lock(all.mutex);
  auto& one = all.by_node[node];
  if (!one) {
    one = std::make_unique<unknown_line>(unknown_line{"somewhere on node " + base::node_name(node), {}});
    one->points_to_it = {one->text.c_str(), "", 0, 0};
  }
  return std::bit_cast<std::source_location>(static_cast<const constants*>(&one->points_to_it));
}

}  // namespace

std::uint64_t encode_constant(const void* constant, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(constant);
  if (program_holds(at, bytes))
    return std::uint64_t{program().hash} << offset_bits | ((at - program().base) & offset_mask);
  return modules().with([&](const std::vector<module>& all) -> std::uint64_t {
    for (const module& m : all)
      if (m.holds(at, bytes))
        return m.hash == unknown ? 0 : std::uint64_t{m.hash} << offset_bits | ((at - m.base) & offset_mask);
    return 0;
  });
}

const void* decode_constant(std::uint64_t bits, std::size_t bytes, std::size_t alignment) {
  const auto hash = static_cast<std::uint16_t>(bits >> offset_bits);
  if (hash == unknown) return nullptr;
  if (const std::uintptr_t at = program().base + (bits & offset_mask); hash == program().hash)
    return at % alignment == 0 && program_holds(at, bytes) ? reinterpret_cast<const void*>(at) : nullptr;
  return modules().with([&](const std::vector<module>& all) -> const void* {
    for (const module& m : all) {
      const std::uintptr_t at = m.base + (bits & offset_mask);
      if (m.hash == hash)
        return at % alignment == 0 && m.holds(at, bytes) ? reinterpret_cast<const void*>(at) : nullptr;
    }
    return nullptr;
  });
}

std::uint64_t encode(const std::source_location& where, std::uint16_t node) {
  const auto at = std::bit_cast<std::uintptr_t>(where);
  if (!at) return 0;
  if (const std::uint64_t found = encode_constant(reinterpret_cast<const void*>(at), sizeof(constants))) return found;
  auto& unknowns = all_unknown_lines();
  const std::scoped_lock lock(unknowns.mutex);
  for (const auto& [other, one] : unknowns.by_node)
    if (at == reinterpret_cast<std::uintptr_t>(&one->points_to_it)) return std::uint64_t{other} + 1;
  return std::uint64_t{node} + 1;
}

std::source_location decode(std::uint64_t bits, std::uint16_t node) {
  if (!bits) return {};
  const auto hash = static_cast<std::uint16_t>(bits >> offset_bits);
  if (hash == unknown) return somewhere_on(static_cast<std::uint16_t>((bits & offset_mask) - 1));
  const bool is_ours = hash == program().hash;
  if (is_ours && checked_lines.has(bits))
    return std::bit_cast<std::source_location>(program().base + (bits & offset_mask));
  const auto in = [&](const module& m) -> std::uintptr_t {
    const std::uintptr_t at = m.base + (bits & offset_mask);
    if (at % alignof(constants) || !m.holds(at, sizeof(constants))) return 0;
    const constants c = copy_of(reinterpret_cast<const constants*>(at));
    return m.holds_text(c.file) && m.holds_text(c.function) ? at : 0;
  };
  const std::uintptr_t found = is_ours ? in(program()) : modules().with([&](const std::vector<module>& all) {
    const auto m = std::ranges::find(all, hash, &module::hash);
    return m == all.end() ? std::uintptr_t{0} : in(*m);
  });
  if (found && is_ours) checked_lines.add(bits);
  return found ? std::bit_cast<std::source_location>(found) : somewhere_on(node);
}

}  // namespace stretto::dist
