// fields.hpp - what a value consists of, said once: for messages to other nodes, for moving there, for checkpoints.
//
// A value can travel if it is of bytes that mean the same everywhere (numbers, enumerations, trivially copyable types),
// a standard container, pair, tuple, optional, variant or unique_ptr of such, or of a type that names its parts:
//
//     struct particle {
//       vec3 at;
//       std::vector<int> neighbours;
//       template <class Archive>
//       friend void fields(Archive& a, archived<particle, Archive>& p) { a(p.at, p.neighbours); }
//     };
//
// The same function reads and writes. What means nothing elsewhere does not compile, and the compiler says why
// (plain_value.hpp): pointers, references, views, iterators and lambdas with captures, also as members of aggregates.
// So does what would lose a part: a type with virtual functions that is not final, and a derived type that only its
// base gives `fields`. (A pointer among the private members of a trivially copyable class cannot be seen; give such a
// type `fields`.) The concept transferable<T> says whether values of T can travel.
//
// A mobile object that moves is written from where it lies: large parts that belong to it (arrays, vectors, texts among
// its members, and what those hold) are sent after `fields` has returned, straight from their memory. What `fields`
// makes only for writing is copied.
//
// Objects (object.hpp) are parts like others, in messages and in mobile objects: in messages their bytes are a name,
// and their content follows; in checkpoints they are the content.
//
// Threads     an archive belongs to one thread.
// Cost        trivially copyable elements of contiguous containers go as one block. Nothing is allocated but the
//             result.
// Invariants  (1) reading what was written gives an equal value. (2) reading anything else throws B40 or gives a value,
//             and never takes more memory than a small multiple of what there is to read.
// Source      one function for both directions: Boost.Serialization; here without tracking of pointers or versions.
#pragma once

#include <stretto/compiler.hpp>
#pragma once

#include <stretto/compiler.hpp>
#include <stretto/detail/archive_base.hpp>
#include <stretto/detail/parcel.hpp>
#include <stretto/detail/transferable.hpp>
#include <stretto/plain_value.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// T as an archive sees it: const where it is written.
template <class T, class Archive>
using archived = std::conditional_t<Archive::is_reading, T, const T>;

/// Counts the bytes that a value takes.
class field_sizer : public detail::archive_base<field_sizer> {
 public:
  static constexpr bool is_reading = false;
  field_sizer() = default;
  /// Parts of so many bytes and more count for nothing.
  explicit field_sizer(std::size_t large) noexcept : large_(large) {}
  void bytes(const void*, std::size_t n) noexcept { size_ += n < large_ ? n : 0; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0, large_ = ~std::size_t{0};
};

/// Writes values behind one another, into memory that it is given or takes.
class field_writer : public detail::archive_base<field_writer> {
 public:
  static constexpr bool is_reading = false;
  explicit field_writer(std::vector<std::byte>& into) noexcept : into_(into) {}
  explicit field_writer(detail::parcel& into) noexcept : into_(into.bytes), message_(&into) {}
  void bytes(const void* first, std::size_t n) {
    const auto* const b = static_cast<const std::byte*>(first);
    if (own_.bytes && is_own(first) && stays_apart(b, n)) return;
    into_.insert(into_.end(), b, b + n);
  }
  /// That it writes into; null if it writes bytes alone.
  detail::parcel* message() const noexcept { return message_; }

  // For the archive's own use.

  /// Memory of the value that is written: parts that lie there stay as they are for longer than the writer lives.
  struct place {
    const void* first = nullptr;
    std::size_t bytes = 0;
  };
  /// Of a parcel some of whose parts stay apart.
  void lies_in(place value) noexcept {
    if (message_ && message_->apart_from) own_ = value;
  }
  class inside {
   public:
    inside(field_writer& w, place before) noexcept : writer_(w), before_(before) {}
    inside(const inside&) = delete;
    ~inside() { writer_.own_ = before_; }

   private:
    field_writer& writer_;
    const place before_;
  };
  inside own_part(const void* whole, const void* part, std::size_t n) noexcept {
    const place before = own_;
    if (own_.bytes) own_ = is_own(whole) ? place{part, n} : place{};
    return {*this, before};
  }
  void elements_of(const void* container, const void* first, std::size_t n) {
    const auto* const b = static_cast<const std::byte*>(first);
    if (n && !(own_.bytes && is_own(container) && stays_apart(b, n))) into_.insert(into_.end(), b, b + n);
  }

 private:
  bool is_own(const void* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(own_.first) < own_.bytes;
  }
  bool stays_apart(const std::byte* first, std::size_t n) const {
    if (n < message_->apart_from) return false;
    message_->apart.push_back({into_.size(), {first, n}});
    return true;
  }

  std::vector<std::byte>& into_;
  detail::parcel* message_ = nullptr;
  place own_ = {};  // none: nothing stays apart
};

/// Reads them again, in the same order.
class field_reader : public detail::archive_base<field_reader> {
 public:
  static constexpr bool is_reading = true;
  explicit field_reader(std::span<const std::byte> from) noexcept : left_(from) {}
  /// `more` follows, and lives as long.
  field_reader(std::span<const std::byte> from, detail::more_bytes& more) noexcept : left_(from), more_(&more) {}

  void bytes(void* first, std::size_t n) {
    if (n > left_.size()) [[unlikely]]
      return bytes_behind(first, n);
    std::memcpy(first, left_.data(), n);
    left_ = left_.subspan(n);
  }
  /// So many elements are said to follow. Each takes a byte at least, or there would be no end to them.
  void expect(std::uint64_t count, std::size_t bytes_each) const {
    if (count > left() / (bytes_each ? bytes_each : 1)) detail::refuse_fields("elements", count, left());
  }
  std::size_t left() const noexcept { return left_.size() + (more_ ? more_->left() : 0); }
  /// Of many bytes: where the next n lie, which have been read then; null if they do not lie there, or not aligned so.
  const void* in_place(std::size_t n, std::size_t alignment) noexcept {
    constexpr std::size_t many = 1024;
    if (n < many || n > left_.size() || reinterpret_cast<std::uintptr_t>(left_.data()) % alignment) return nullptr;
    const void* const there = left_.data();
    left_ = left_.subspan(n);
    return there;
  }

 private:
  void bytes_behind(void* first, std::size_t n);

  std::span<const std::byte> left_;
  detail::more_bytes* more_ = nullptr;
};

namespace detail {

/// Looks through values for parts that others share, which become copies of their own: who is sent a value has it
/// alone. Writes nothing.
class field_separator : public archive_base<field_separator> {
 public:
  static constexpr bool is_reading = false;
  void bytes(const void*, std::size_t) noexcept {}
};

template <class... T>
void write_parcel(parcel& to, const T&... values) {
  field_sizer s;
  s(values...);
  to.bytes.reserve(s.size());
  field_writer w(to);
  w(values...);
}
/// Of one value, exactly a T, that stays as it is until nobody uses to.apart any more.
template <class T>
void write_lasting(parcel& to, const T& value) {
  field_sizer s = to.apart_from ? field_sizer(to.apart_from) : field_sizer();
  s.exact(value);
  to.bytes.reserve(s.size());
  field_writer w(to);
  w.lies_in({&value, sizeof value});
  w.exact(value);
}
/// Of values that nobody uses any more.
template <class... T>
parcel to_parcel(const T&... values) {
  parcel all;
  write_parcel(all, values...);
  return all;
}

}  // namespace detail

/// The bytes that these values are encoded to, one value after another.
template <class... T>
std::vector<std::byte> to_bytes(const T&... values) {
  field_sizer s;
  s(values...);
  std::vector<std::byte> written;
  written.reserve(s.size());
  field_writer w(written);
  w(values...);
  return written;
}
/// Throws B40 if they are no T, or more than one.
template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  field_reader r(bytes);
  T value{};
  r(value);
  if (r.left()) detail::refuse_fields("bytes beyond the value", r.left(), 0);
  return value;
}

}  // namespace stretto

STRETTO_API_END
