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
// type `fields`.)
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

#include <stretto/plain_value.hpp>

STRETTO_API_BEGIN

namespace stretto {

class field_writer;
class field_sizer;
class field_reader;

/// T as an archive sees it: const where it is written.
template <class T, class Archive>
using archived = std::conditional_t<Archive::is_reading, T, const T>;

namespace detail {

[[noreturn]] void refuse_fields(const char* what, std::uint64_t wanted, std::uint64_t left);

/// A large part of a value that stays where it lies: it comes behind so many of the bytes.
struct part_apart {
  std::size_t behind = 0;
  std::span<const std::byte> bytes = {};
};

/// Values as the bytes of a message, and what these only name: it is there until nobody can come for it any more.
/// Copies share it.
struct parcel {
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const void>> along = {};
  bool may_be_read_twice = false;
  bool are_values_kept = false;  // by who writes them, to use them again
  bool holds_content = false;    // of objects too, not their names: nobody is there to be asked for it when it is read
  std::size_t apart_from = 0;    // parts of the value's own of so many bytes stay apart; 0: none
  std::vector<part_apart> apart = {};
};

/// What a reader goes on with behind the bytes that it was given.
class more_bytes {
 public:
  virtual ~more_bytes() = default;
  virtual std::uint64_t left() const noexcept = 0;
  /// n bytes, of which `given` has fewer, and both together enough; may suspend the task. Afterwards `given` is what
  /// follows.
  virtual void read(std::span<const std::byte>& given, std::byte* first, std::size_t n) = 0;
};

template <class T>
concept has_fields =
    requires(field_writer& w, const T& c) { fields(w, c); } && requires(field_reader& r, T& v) { fields(r, v); };

template <class T>
inline constexpr bool is_unique_ptr = false;
template <class T>
inline constexpr bool is_unique_ptr<std::unique_ptr<T>> = true;

template <class T>
concept container_like = requires(T& c, const T& k) {
  c.clear(), k.size(), k.begin(), k.end();
  typename T::value_type;
} && !tuple_like<T>;
template <class T>
concept map_like = container_like<T> && requires {
  typename T::key_type;
  typename T::mapped_type;
};
template <class T>
concept set_like = container_like<T> && requires { typename T::key_type; } && !map_like<T>;
template <class T>
concept contiguous_like = container_like<T> && requires(T& c) { c.data(), c.resize(1); };

template <class T>
concept plain = plain_value<T> && !tuple_like<T> && !optional_like<T> && !variant_like<T>;

template <class T>
inline constexpr bool is_plain_array = false;
template <class E, std::size_t N>
inline constexpr bool is_plain_array<std::array<E, N>> = plain<E> && !std::is_same_v<E, bool>;

/// Converts to a T alone, or to its bases alone.
template <class T>
struct exactly {
  template <class U>
    requires std::same_as<std::remove_const_t<U>, T>
  operator U&() const;
};
template <class T>
struct base_of {
  template <class U>
    requires(std::derived_from<T, std::remove_const_t<U>> && !std::same_as<std::remove_const_t<U>, T>)
  operator U&() const;
};
/// The fields of a T are those of a base of it.
template <class T>
concept inherits_fields = requires(field_writer& w, const base_of<T>& b) { fields(w, b); } &&
                          !requires(field_writer& w, const exactly<T>& e) { fields(w, e); };

template <class T>
consteval stays_behind left_behind();
template <class T, std::size_t... I>
consteval stays_behind left_of_parts(std::index_sequence<I...>) {
  stays_behind found = stays_behind::nothing;
  ((found == stays_behind::nothing ? void(found = left_behind<std::remove_cvref_t<std::tuple_element_t<I, T>>>())
                                   : void()),
   ...);
  return found;
}
template <template <class...> class V, class... T>
consteval stays_behind left_of_alternatives(const V<T...>*) {
  stays_behind found = stays_behind::nothing;
  ((found == stays_behind::nothing ? void(found = left_behind<T>()) : void()), ...);
  return found;
}
/// Of a value that is exactly a T.
template <class T>
consteval stays_behind left_of_exact() {
  using enum stays_behind;
  if constexpr (has_fields<T>) return inherits_fields<T> ? inherited_fields : nothing;
  else if constexpr (is_unique_ptr<T>) return left_behind<typename T::element_type>();
  else if constexpr (variant_like<T>) return left_of_alternatives(static_cast<const T*>(nullptr));
  else if constexpr (optional_like<T>) return left_behind<typename T::value_type>();
  else if constexpr (tuple_like<T>) return left_of_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
  else if constexpr (map_like<T>)
    return left_of_parts<std::pair<typename T::key_type, typename T::mapped_type>>(std::make_index_sequence<2>());
  else if constexpr (container_like<T>) return left_behind<typename T::value_type>();
  else if constexpr (std::is_array_v<T>) return no_fields;
  else return left_by_bytes<T>();
}
/// Of a value that is declared as T, which may be a part of one of a derived type.
template <class T>
consteval stays_behind left_behind() {
  if constexpr (std::is_polymorphic_v<T> && !std::is_final_v<T>) return stays_behind::polymorphic;
  else return left_of_exact<T>();
}

}  // namespace detail

/// Whether values of T can be sent to another node, and kept.
template <class T>
concept transferable = detail::left_behind<T>() == detail::stays_behind::nothing;

namespace detail {

/// Says at compile time why values of T do not travel.
template <class T>
consteval bool explain_travel() {
  return explain<left_behind<T>(), T>();
}

/// What all archives do with the parts of a value; `Self` knows what to do with bytes.
template <class Self>
class archive_base {
 public:
  template <class... Part>
  Self& operator()(Part&... parts) {
    (one(parts), ...);
    return self();
  }
  template <class... Part>
  Self& operator()(const Part&... parts)
    requires(!Self::is_reading)
  {
    (one(parts), ...);
    return self();
  }
  /// An object that is exactly a T, also where T has virtual functions.
  template <class T>
  void exact(T& value) {
    if constexpr (has_fields<std::remove_const_t<T>>) fields(self(), value);
    else one(value);
  }

 private:
  Self& self() noexcept { return static_cast<Self&>(*this); }

  /// For as long as the result lives, what belongs to `part` of `whole` belongs to the value that is written, if
  /// `whole` does.
  template <class Whole, class Part>
  auto own(const Whole& whole, const Part& part) {
    if constexpr (requires { self().own_part(&whole, &part, sizeof part); })
      return self().own_part(&whole, &part, sizeof part);
    else return nullptr;
  }

  template <class T>
  void one(T& value) {
    using V = std::remove_const_t<T>;
    static_assert(
        transferable<V>,
        "this part cannot travel: it is a pointer, a reference or a view, or a type that needs a function fields()");
    static_assert(explain_travel<V>());
    if constexpr (!transferable<V>) return;
    else if constexpr (has_fields<V>) fields(self(), value);
    else if constexpr (is_unique_ptr<V>) owned(value);
    else if constexpr (variant_like<V>) alternative(value);
    else if constexpr (optional_like<V>) maybe(value);
    else if constexpr (tuple_like<V>) parts(value, std::make_index_sequence<std::tuple_size_v<V>>());
    else if constexpr (container_like<V>) elements(value);
    else if constexpr (std::is_same_v<V, bool>) truth(value);
    else self().bytes(&value, sizeof value);
  }

  template <class T, std::size_t... I>
  void parts(T& value, std::index_sequence<I...>) {
    if constexpr (is_plain_array<std::remove_const_t<T>>) self().bytes(&value, sizeof value);
    else (one(std::get<I>(value)), ...);
  }
  // Any byte may come; a bool is one of two.
  template <class T>
  void truth(T& value) {
    std::uint8_t byte = value ? 1 : 0;
    self().bytes(&byte, 1);
    if constexpr (Self::is_reading) {
      if (byte > 1) refuse_fields("a bool", byte, 1);
      value = byte == 1;
    }
  }
  template <class T>
  void owned(T& value) {
    bool is_there = static_cast<bool>(value);
    one(is_there);
    if constexpr (Self::is_reading) value = is_there ? std::make_unique<typename T::element_type>() : nullptr;
    if (!is_there) return;
    [[maybe_unused]] const auto inside = own(value, *value);
    one(*value);
  }
  template <class T>
  void maybe(T& value) {
    bool is_there = value.has_value();
    one(is_there);
    if constexpr (Self::is_reading) {
      if (is_there) value.emplace();
      else value.reset();
    }
    if (is_there) one(*value);
  }

  template <template <class...> class V, class... T>
  void alternative(const V<T...>& value) {
    auto which = static_cast<std::uint32_t>(value.index());
    one(which);
    std::uint32_t n = 0;
    ((n++ == which ? (one(*get_if_of<T>(&value, n - 1)), true) : false) || ...);
  }
  template <template <class...> class V, class... T>
  void alternative(V<T...>& value)
    requires(Self::is_reading)
  {
    std::uint32_t which = 0;
    one(which);
    if (which >= sizeof...(T)) refuse_fields("the number of a variant's alternative", which, sizeof...(T));
    std::uint32_t n = 0;
    ((n++ == which ? (one(value.template emplace<T>()), true) : false) || ...);
  }
  template <class T, class V>
  static const T* get_if_of(const V* value, std::uint32_t) {
    return get_if<T>(value);  // by argument-dependent look-up: <variant> is the user's to include
  }

  template <class T>
  void elements(T& value) {
    using element = typename std::remove_const_t<T>::value_type;
    std::uint64_t count = value.size();
    one(count);
    if constexpr (contiguous_like<std::remove_const_t<T>> && plain<element>) {
      if constexpr (Self::is_reading) {
        self().expect(count, sizeof(element));
        if constexpr (requires(const element* e) {
                        value.assign(e, e);
                        self().in_place(count, count);
                      })
          if (const void* const there = self().in_place(count * sizeof(element), alignof(element))) {
            const auto* const first = static_cast<const element*>(there);
            value.assign(first, first + count);
            return;
          }
        value.resize(count);
      }
      if constexpr (requires { self().elements_of(&value, value.data(), count); })
        self().elements_of(&value, value.data(), count * sizeof(element));
      else if (count) self().bytes(value.data(), count * sizeof(element));
    } else if constexpr (!Self::is_reading) {
      for (const auto& e : value) {
        if constexpr (std::is_same_v<element, bool>) {
          bool b = e;  // of vector<bool>
          one(b);
        } else if constexpr (std::is_reference_v<decltype(*value.begin())>) {
          [[maybe_unused]] const auto inside = own(value, e);
          one(e);
        } else {
          one(e);
        }
      }
    } else {
      self().expect(count, 0);
      value.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        if constexpr (map_like<T>) {
          std::pair<typename T::key_type, typename T::mapped_type> e{};
          one(e.first), one(e.second);
          value.insert(std::move(e));
        } else {
          element e{};
          one(e);
          if constexpr (set_like<T>) value.insert(std::move(e));
          else value.push_back(std::move(e));
        }
      }
    }
  }
};

}  // namespace detail

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
