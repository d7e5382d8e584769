#include <stretto/index_space.hpp>

#include <stretto/error.hpp>

#include <bit>

namespace stretto {

namespace {
constexpr std::uint64_t full = ~std::uint64_t{0};
}

index_space::index_space(std::uint64_t capacity)
    : capacity_(capacity),
      words_(capacity / 64 + (capacity % 64 != 0)),
      taken_(new std::atomic<std::uint64_t>[words_ ? words_ : 1]()) {
  // Positions beyond the capacity are taken for good, so that allocate never returns them.
  if (capacity % 64) taken_[words_ - 1].store(full << (capacity % 64), std::memory_order_relaxed);
}

index_space::index_space(const index_space& other) : index_space(other.capacity_) {
  std::uint64_t size = 0;
  for (std::uint64_t w = 0; w < words_; ++w) {
    const std::uint64_t word = other.taken_[w].load(std::memory_order_acquire);
    taken_[w].store(word, std::memory_order_relaxed);
    size += static_cast<std::uint64_t>(std::popcount(word));
  }
  size_.store(size - (words_ * 64 - capacity_), std::memory_order_relaxed);
}

index_space& index_space::operator=(const index_space& other) {
  if (this == &other) return *this;
  index_space copy(other);
  std::swap(capacity_, copy.capacity_);
  std::swap(words_, copy.words_);
  taken_.swap(copy.taken_);
  hint_.store(0, std::memory_order_relaxed);
  size_.store(copy.size(), std::memory_order_relaxed);
  return *this;
}

index_space::index_space(std::uint64_t capacity, std::span<const std::array<coordinate, 2>> runs)
    : index_space(capacity) {
  coordinate before = 0;
  for (const auto& [from, to] : runs) {
    if (from < before || to <= from || static_cast<std::uint64_t>(to) > capacity)
      detail::refuse_fields("elements of an index space up to", static_cast<std::uint64_t>(to), capacity);
    before = to;
    for (auto e = static_cast<std::uint64_t>(from); e < static_cast<std::uint64_t>(to); ++e)
      taken_[e / 64].fetch_or(std::uint64_t{1} << (e % 64), std::memory_order_relaxed);
    size_.fetch_add(static_cast<std::uint64_t>(to - from), std::memory_order_relaxed);
  }
}

std::optional<element> index_space::try_allocate() {
  if (words_ == 0) return std::nullopt;
  const std::uint64_t first = hint_.load(std::memory_order_relaxed) % words_;
  for (std::uint64_t n = 0; n < words_; ++n) {
    const std::uint64_t w = (first + n) % words_;
    std::uint64_t word = taken_[w].load(std::memory_order_relaxed);
    while (word != full) {
      const int bit = std::countr_one(word);
      if (!taken_[w].compare_exchange_weak(word, word | std::uint64_t{1} << bit, std::memory_order_acquire,
                                           std::memory_order_relaxed))
        continue;
      if (n != 0) hint_.store(w, std::memory_order_relaxed);
      size_.fetch_add(1, std::memory_order_relaxed);
      return element{static_cast<coordinate>(w * 64) + bit};
    }
  }
  return std::nullopt;
}

element index_space::allocate(std::source_location where) {
  if (const auto e = try_allocate()) return *e;
  throw error("D18", "an index space has no free element")
      .fact("allocated", where)
      .fact("capacity", std::to_string(capacity_) + " elements")
      .remedy("make the index space larger, or free elements first");
}

void index_space::free(element e, std::source_location where) {
  const auto position = static_cast<std::uint64_t>(e.index);
  const std::uint64_t bit = std::uint64_t{1} << (position % 64);
  if (position < capacity_ && taken_[position / 64].fetch_and(~bit, std::memory_order_release) & bit) {
    size_.fetch_sub(1, std::memory_order_relaxed);
    hint_.store(position / 64, std::memory_order_relaxed);
    return;
  }
  throw error("D19", "an element was freed that is not allocated")
      .fact("freed", where)
      .fact("element", std::to_string(e.index))
      .fact("capacity", std::to_string(capacity_) + " elements")
      .because(position < capacity_ ? "it was freed before, or never allocated" : "it belongs to another index space");
}

bool index_space::contains(element e) const noexcept {
  const auto position = static_cast<std::uint64_t>(e.index);
  return position < capacity_ && (taken_[position / 64].load(std::memory_order_acquire) >> (position % 64) & 1);
}

std::vector<box> index_space::runs() const {
  std::vector<box> out;
  coordinate from = -1;  // start of the current run; -1 outside of a run
  const auto end_at = [&](coordinate to) {
    if (from >= 0 && from < to) out.push_back(box(from, to));
    from = -1;
  };
  for (std::uint64_t w = 0; w < words_; ++w) {
    const auto base = static_cast<coordinate>(w * 64);
    std::uint64_t word = taken_[w].load(std::memory_order_acquire);
    if (const std::uint64_t rest = capacity_ - w * 64; rest < 64) word &= ~(full << rest);
    for (int bit = 0; bit < 64;) {
      const std::uint64_t ahead = word >> bit;
      if (ahead & 1) {
        if (from < 0) from = base + bit;
        bit += std::countr_one(ahead);
      } else {
        end_at(base + bit);
        bit += ahead ? std::countr_zero(ahead) : 64 - bit;
      }
    }
  }
  end_at(static_cast<coordinate>(capacity_));
  return out;
}

}  // namespace stretto
