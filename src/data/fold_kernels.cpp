#include "data/fold_kernels.hpp"

#include <stretto/kernel.hpp>

#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/process_wide.hpp"

namespace stretto::data {

namespace {

// Arrays of fewer axes are arrays of three axes with last extents of one.
#define STRETTO_FOLD(Op, T)                                             \
  STRETTO_KERNEL(fold_##Op##_##T, (in<T, 3> from, reduce<Op<T>, 3> to), \
                 { to(global_id(0), global_id(1), global_id(2)) << from(global_id(0), global_id(1), global_id(2)); })
#define STRETTO_FOLDS_OF_NUMBERS(T) \
  STRETTO_FOLD(sum, T) STRETTO_FOLD(product, T) STRETTO_FOLD(minimum, T) STRETTO_FOLD(maximum, T)
#define STRETTO_FOLDS_OF_BITS(T) STRETTO_FOLD(bit_and, T) STRETTO_FOLD(bit_or, T) STRETTO_FOLD(bit_xor, T)

using std::int32_t, std::uint32_t, std::int64_t, std::uint64_t;
STRETTO_FOLDS_OF_NUMBERS(int32_t)
STRETTO_FOLDS_OF_NUMBERS(uint32_t)
STRETTO_FOLDS_OF_NUMBERS(int64_t)
STRETTO_FOLDS_OF_NUMBERS(uint64_t)
STRETTO_FOLDS_OF_NUMBERS(float)
STRETTO_FOLDS_OF_NUMBERS(double)
STRETTO_FOLDS_OF_BITS(int32_t)
STRETTO_FOLDS_OF_BITS(uint32_t)
STRETTO_FOLDS_OF_BITS(int64_t)
STRETTO_FOLDS_OF_BITS(uint64_t)

struct known {
  const kernel_code* fold;
  std::array<std::byte, 8> identity;
  std::size_t bytes;
};

template <class Op, class T, class Kernel>
known known_of(const Kernel& k) {
  known all{&k.code(), {}, sizeof(T)};
  const T identity = Op::identity();
  std::memcpy(all.identity.data(), &identity, sizeof identity);
  return all;
}

const std::unordered_map<std::uint32_t, known>& table() {
  using numbered = std::unordered_map<std::uint32_t, known>;
  static const numbered& all = base::make_process_constant([] {
    numbered made;
    const auto add = [&](const known& one) { made.emplace(reduction_of(one.fold->parameters[1]), one); };
#define STRETTO_ADD(Op, T) add(known_of<Op<T>, T>(fold_##Op##_##T));
#define STRETTO_ADD_NUMBERS(T) \
  STRETTO_ADD(sum, T) STRETTO_ADD(product, T) STRETTO_ADD(minimum, T) STRETTO_ADD(maximum, T)
#define STRETTO_ADD_BITS(T) STRETTO_ADD(bit_and, T) STRETTO_ADD(bit_or, T) STRETTO_ADD(bit_xor, T)
    STRETTO_ADD_NUMBERS(int32_t)
    STRETTO_ADD_NUMBERS(uint32_t)
    STRETTO_ADD_NUMBERS(int64_t)
    STRETTO_ADD_NUMBERS(uint64_t)
    STRETTO_ADD_NUMBERS(float)
    STRETTO_ADD_NUMBERS(double)
    STRETTO_ADD_BITS(int32_t)
    STRETTO_ADD_BITS(uint32_t)
    STRETTO_ADD_BITS(int64_t)
    STRETTO_ADD_BITS(uint64_t)
    return made;
  });
  return all;
}

/// The operators of the program, in the order of their first use.
class own_operators {
 public:
  static constexpr std::uint32_t first_number = 0x8000'0000u;
  struct entry {
    const device_operator* is;
    std::vector<std::byte> identity;
  };

  std::uint32_t number_of(const device_operator& o) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t n = 0; n < all_.size(); ++n)
      if (all_[n].is == &o) return first_number + static_cast<std::uint32_t>(n);
    std::vector<std::byte> identity(o.element_bytes);
    o.set_identity(identity.data());
    all_.push_back({&o, std::move(identity)});
    return first_number + static_cast<std::uint32_t>(all_.size() - 1);
  }
  const entry& at(std::uint32_t number) {
    const std::scoped_lock lock(mutex_);
    return all_.at(number - first_number);
  }

 private:
  std::mutex mutex_;
  std::deque<entry> all_;  // entries do not move
};
own_operators& own() {
  static own_operators& all = base::make_process_wide<own_operators>();
  return all;
}

}  // namespace

std::uint32_t reduction_of(const kernel_parameter& p) {
  if (p.own) return own().number_of(*p.own);
  return static_cast<std::uint32_t>(p.fold) | static_cast<std::uint32_t>(p.kind) << 8 | p.element_bytes << 16;
}

std::span<const std::byte> identity_of(std::uint32_t reduction) {
  if (reduction >= own_operators::first_number) return own().at(reduction).identity;
  const known& k = table().at(reduction);
  return {k.identity.data(), k.bytes};
}

const kernel_code& fold_kernel(std::uint32_t reduction) {
  if (reduction >= own_operators::first_number) return own().at(reduction).is->fold_kernel();
  return *table().at(reduction).fold;
}

const kernel_code* fold_kernel_of(const kernel_parameter& p) {
  if (p.mode != access::reduce) return nullptr;
  if (p.own) return &p.own->fold_kernel();
  const auto found = table().find(reduction_of(p));
  return found == table().end() ? nullptr : found->second.fold;
}

}  // namespace stretto::data
