#include "objects/fold_kernels.hpp"

#include <stretto/kernel.hpp>

#include <array>
#include <cstring>
#include <unordered_map>

namespace stretto::objects {

namespace {

// Arrays of fewer axes are arrays of three whose last extents are one.
#define STRETTO_FOLD(Op, T)                                                                  \
  STRETTO_KERNEL(fold_##Op##_##T, (in<T, 3> from, reduce<Op<T>, 3> to), {                    \
    to(global_id(0), global_id(1), global_id(2)) << from(global_id(0), global_id(1), global_id(2)); \
  })
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
  static const auto all = [] {
    std::unordered_map<std::uint32_t, known> made;
    const auto add = [&](const known& one) { made.emplace(reduction_of(one.fold->parameters[1]), one); };
#define STRETTO_ADD(Op, T) add(known_of<Op<T>, T>(fold_##Op##_##T));
#define STRETTO_ADD_NUMBERS(T) STRETTO_ADD(sum, T) STRETTO_ADD(product, T) STRETTO_ADD(minimum, T) STRETTO_ADD(maximum, T)
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
  }();
  return all;
}

}  // namespace

std::uint32_t reduction_of(const kernel_parameter& p) noexcept {
  return static_cast<std::uint32_t>(p.fold) | static_cast<std::uint32_t>(p.kind) << 8 | p.element_bytes << 16;
}

std::span<const std::byte> identity_of(std::uint32_t reduction) {
  const known& k = table().at(reduction);
  return {k.identity.data(), k.bytes};
}

const kernel_code& fold_kernel(std::uint32_t reduction) { return *table().at(reduction).fold; }

}  // namespace stretto::objects
