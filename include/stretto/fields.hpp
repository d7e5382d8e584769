// fields.hpp - serialisation: one function fields() per type, for messages, migrations and checkpoints.
//
// A type is serialisable if it is trivially copyable without addresses (numbers, enumerations, structures of them), a
// standard container, pair, tuple, optional, variant or unique_ptr of serialisable types, or a type with a function
// fields() that names its parts. The concept transferable<T> tests it.
//
//     class particle {
//      public:
//       template <class Archive>
//       friend void fields(Archive& a, archived<particle, Archive>& p) { a(p.position_, p.neighbours_); }
//
//      private:
//       std::array<double, 3> position_ = {};
//       std::vector<int> neighbours_;
//     };
//     static_assert(transferable<std::vector<particle>>);
//     particle copied(const particle& p) { return from_bytes<particle>(to_bytes(p)); }
//
// The same function reads and writes. Types that are not serialisable do not compile, with a message that gives the
// reason (plain_value.hpp): pointers, references, views, iterators and lambdas with captures, also as members of
// aggregates; a type with virtual functions that is not final; a derived type of which only the base has fields(). The
// compiler cannot see a pointer among the private members of a trivially copyable class: give such a type fields().
//
// Large parts of a migrating mobile object (arrays, vectors and strings among its members) are sent directly from their
// memory after fields() has returned. Temporary values that fields() creates for writing are copied.
//
// Objects (object.hpp) may be parts of messages and of mobile objects. A message contains their name, and their
// elements follow; a checkpoint contains the elements.
//
// Threads     an archive belongs to one thread.
// Cost        trivially copyable elements of contiguous containers are one block. Only the result is allocated.
// Invariants  (1) reading written bytes gives an equal value. (2) reading other bytes throws B40 or gives some value,
//             and never takes more memory than a small multiple of the number of bytes.
// Source      one function for both directions: Boost.Serialization. Ours tracks neither pointers nor versions.
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

/// The parameter type of fields(): T for an archive that reads, const T for one that writes.
template <class T, class Archive>
using archived = std::conditional_t<Archive::is_reading, T, const T>;

/// An archive that counts the bytes of serialised values.
class field_sizer : public detail::archive_base<field_sizer> {
 public:
  static constexpr bool is_reading = false;
  field_sizer() = default;
  /// Counts only parts of fewer bytes than `large`.
  explicit field_sizer(std::size_t large) noexcept : large_(large) {}
  /// Adds a block of n bytes. For fields() of types with a representation of their own.
  void bytes(const void*, std::size_t n) noexcept { size_ += n < large_ ? n : 0; }
  /// The number of bytes so far.
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0, large_ = ~std::size_t{0};
};

/// An archive that writes values one after another: a(x, y, z).
class field_writer : public detail::archive_base<field_writer> {
 public:
  static constexpr bool is_reading = false;
  /// Appends to a vector of bytes.
  explicit field_writer(std::vector<std::byte>& into) noexcept : into_(into) {}
  /// Appends to a message. For Stretto itself.
  explicit field_writer(detail::parcel& into) noexcept : into_(into.bytes), message_(&into) {}
  /// Appends a block of n bytes. Throws std::bad_alloc only.
  void bytes(const void* first, std::size_t n) {
    const auto* const b = static_cast<const std::byte*>(first);
    if (own_.bytes && is_own(first) && stays_apart(b, n)) return;
    into_.insert(into_.end(), b, b + n);
  }
  /// The message that it writes; null if it writes to a vector.
  detail::parcel* message() const noexcept { return message_; }

  // For Stretto itself.

  /// Memory of the written value. Parts in it stay valid and unchanged for longer than the writer lives.
  struct place {
    const void* first = nullptr;
    std::size_t bytes = 0;
  };
  /// Sets that memory, if the message takes large parts without a copy.
  void lies_in(place value) noexcept {
    if (message_ && message_->apart_from) own_ = value;
  }
  /// A scope in which the memory of the written value is that of one of its parts.
  class inside {
   public:
    /// Begins the scope; its end restores `before`.
    inside(field_writer& w, place before) noexcept : writer_(w), before_(before) {}
    inside(const inside&) = delete;
    ~inside() { writer_.own_ = before_; }

   private:
    field_writer& writer_;
    const place before_;
  };
  /// Begins the scope of a part.
  inside own_part(const void* whole, const void* part, std::size_t n) noexcept {
    const place before = own_;
    if (own_.bytes) own_ = is_own(whole) ? place{part, n} : place{};
    return {*this, before};
  }
  /// Appends the elements of a contiguous container. Throws std::bad_alloc only.
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

/// An archive that reads values in the order in which they were written.
class field_reader : public detail::archive_base<field_reader> {
 public:
  static constexpr bool is_reading = true;
  /// Reads from these bytes.
  explicit field_reader(std::span<const std::byte> from) noexcept : left_(from) {}
  /// Reads from these bytes and then from `more`, which must outlive the reader.
  field_reader(std::span<const std::byte> from, detail::more_bytes& more) noexcept : left_(from), more_(&more) {}

  /// Reads a block of n bytes. Throws B40 if fewer are left.
  void bytes(void* first, std::size_t n) {
    if (n > left_.size()) [[unlikely]]
      return bytes_behind(first, n);
    std::memcpy(first, left_.data(), n);
    left_ = left_.subspan(n);
  }
  /// Checks that `count` elements of at least `bytes_each` bytes (and at least 1) can follow. Throws B40 otherwise.
  void expect(std::uint64_t count, std::size_t bytes_each) const {
    if (count > left() / (bytes_each ? bytes_each : 1)) detail::refuse_fields("elements", count, left());
  }
  /// The number of bytes left.
  std::size_t left() const noexcept { return left_.size() + (more_ ? more_->left() : 0); }
  /// Reads a large block in place: the address of the next n bytes, or null if n is small, or the bytes are not
  /// contiguous or not aligned; then nothing is read.
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

/// An archive that replaces shared parts of a value by copies, so that the receiver of a message owns the value alone.
/// It writes nothing.
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
/// Writes one value, exactly a T, that stays unchanged as long as to.apart is in use.
template <class T>
void write_lasting(parcel& to, const T& value) {
  field_sizer s = to.apart_from ? field_sizer(to.apart_from) : field_sizer();
  s.exact(value);
  to.bytes.reserve(s.size());
  field_writer w(to);
  w.lies_in({&value, sizeof value});
  w.exact(value);
}
/// Writes values that are not used any more.
template <class... T>
parcel to_parcel(const T&... values) {
  parcel all;
  write_parcel(all, values...);
  return all;
}

}  // namespace detail

/// Serialises these values, one after another, to bytes. Throws std::bad_alloc, and what fields() throws.
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
/// Reads one T from bytes that to_bytes wrote. Throws B40 if they are no T or have bytes left over, and what fields()
/// throws.
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
