#include "trace/name_table.hpp"

#include <cstring>

#include "base/tsan_ignore.hpp"

namespace stretto::trace {
namespace {

constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio

std::uint64_t mix(std::uint64_t state, std::uint64_t word) noexcept {
  state = (state ^ word) * odd;
  return state ^ (state >> 29);
}

template <class Word>
std::uint64_t load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Up to eight bytes from the end; loads of fixed size, overlapping where they must, take no call.
std::uint64_t last_bytes(std::string_view s) noexcept {
  const char* const end = s.data() + s.size();
  if (s.size() >= 8) return load<std::uint64_t>(end - 8);
  if (s.size() >= 4) return load<std::uint32_t>(s.data()) << 32 | load<std::uint32_t>(end - 4);
  if (s.empty()) return 0;
  return load<std::uint8_t>(s.data()) << 16 | load<std::uint8_t>(s.data() + s.size() / 2) << 8 |
         load<std::uint8_t>(end - 1);
}

// Only the end of the file name is hashed: paths of one program share their beginning.
std::uint32_t hash_of(std::string_view name, std::string_view file, std::uint32_t line) noexcept {
  std::uint64_t state = mix(last_bytes(file) + line * odd, last_bytes(name) + name.size());
  for (std::size_t i = 0; i + 8 < name.size(); i += 8) state = mix(state, load<std::uint64_t>(name.data() + i));
  return static_cast<std::uint32_t>(state >> 32);
}

}  // namespace

name_table::name_table(std::size_t name_bytes) : bytes_left_(name_bytes) {
  indices_.push_back(std::make_unique<index>(1024));
  index_.store(indices_.back().get(), std::memory_order_release);
  insert(hash_of({}, {}, 0), {}, {}, 0);  // id 0: no_name
}

name_table::~name_table() {
  for (auto& b : blocks_) delete b.load(std::memory_order_relaxed);
}

name_id name_table::intern(std::string_view name, std::string_view file, std::uint32_t line) {
  if (name.empty() && file.empty() && line == 0) return no_name;
  const base::tsan_ignore_scope here;
  const std::uint32_t hash = hash_of(name, file, line);
  if (const name_id known = find(*index_.load(std::memory_order_acquire), hash, name, file, line)) return known;
  const std::lock_guard lock(inserting_);
  if (const name_id known = find(*index_.load(std::memory_order_relaxed), hash, name, file, line))
    return known;  // another thread inserted it
  return insert(hash, name, file, line);
}

name_id name_table::find(const index& in, std::uint32_t hash, std::string_view name, std::string_view file,
                         std::uint32_t line) const noexcept {
  for (std::size_t at = hash;; ++at) {
    const std::uint64_t slot = in.slots[at & in.mask].load(std::memory_order_acquire);
    if (slot == 0) return no_name;
    if (static_cast<std::uint32_t>(slot >> 32) != hash) continue;
    const auto id = static_cast<name_id>(slot);
    const name_entry& e = (*this)[id];
    if (e.line == line && e.name == name && e.file == file) return id;
  }
}

void name_table::place(index& in, std::uint32_t hash, name_id id) noexcept {
  std::size_t at = hash;
  while (in.slots[at & in.mask].load(std::memory_order_relaxed) != 0) ++at;
  in.slots[at & in.mask].store(std::uint64_t{hash} << 32 | id, std::memory_order_release);
}

name_id name_table::insert(std::uint32_t hash, std::string_view name, std::string_view file, std::uint32_t line) {
  const std::size_t n = size_.load(std::memory_order_relaxed);
  const std::size_t bytes = name.size() + file.size();
  if (n + 1 >= most_names || bytes > bytes_left_) {
    if (further_names_ != no_name) return further_names_;
    name = "(further names)";
    file = {};
    line = 0;
    hash = hash_of(name, file, line);
  } else {
    bytes_left_ -= bytes;
  }

  const auto id = static_cast<name_id>(n);
  if (n % block_entries == 0) blocks_[n / block_entries].store(new block, std::memory_order_release);
  block& b = *blocks_[n / block_entries].load(std::memory_order_relaxed);
  b.entries[n % block_entries] = {std::string(name), std::string(file), line};
  b.hashes[n % block_entries] = hash;

  index* in = index_.load(std::memory_order_relaxed);
  if (n != no_name) {
    if (2 * n > in->mask) {
      indices_.push_back(std::make_unique<index>(2 * (in->mask + 1)));
      index& larger = *indices_.back();
      for (std::size_t i = 1; i < n; ++i)
        place(larger, blocks_[i / block_entries].load(std::memory_order_relaxed)->hashes[i % block_entries],
              static_cast<name_id>(i));
      place(larger, hash, id);
      index_.store(&larger, std::memory_order_release);
    } else {
      place(*in, hash, id);
    }
  }
  size_.store(n + 1, std::memory_order_release);
  if (name == "(further names)" && file.empty()) further_names_ = id;
  return id;
}

}  // namespace stretto::trace
