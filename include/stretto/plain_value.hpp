// plain_value.hpp - detects types whose values can be copied to other nodes and devices as bytes, and explains why
// others cannot.
//
//     struct particle { float position[3]; int kind; };
//     struct list_node { list_node* next; };
//     static_assert(stretto::detail::plain_value<particle>);
//     static_assert(!stretto::detail::plain_value<list_node>);  // contains an address
//
//     buffer<particle> all(box(0, 100));  // buffer<list_node> would not compile, and the message says why
//
// Numbers, enumerations and trivially copyable structures of them are plain. Pointers, references, views, iterators and
// closures are not, because their bytes contain addresses. The checks include the first twelve members of aggregates,
// but not the private members of classes.
//
// Threads     compile time only.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The reason why a copy of the bytes is not the value.
enum class stays_behind {
  nothing,  // it is the value
  pointer,
  reference,
  view,
  iterator,
  captures,
  member,
  polymorphic,
  inherited_fields,
  no_fields,
};

/// True for types of Stretto that contain addresses.
template <class T>
inline constexpr bool holds_address = false;
template <class T>
inline constexpr bool holds_address<std::initializer_list<T>> = true;

template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };
/// std::array: one type for all elements, which may be thousands.
template <class T>
concept array_like = tuple_like<T> && requires(T& a) {
  a.begin(), a.end();
  typename T::value_type;
};
template <class T>
concept optional_like = requires(T& o, const T& c) { o.reset(), o.emplace(), *c, c.has_value(); } && !tuple_like<T>;
template <class T>
concept variant_like = requires(const T& v) { v.index(), v.valueless_by_exception(); };

/// A range that does not own its elements: a span, a string_view, a range adaptor.
template <class T>
concept owns_no_elements =
    requires(const T& v) { v.data(), v.size(); } && !requires(T& v) { v.clear(); } && !tuple_like<T>;
template <class T>
concept view_like = owns_no_elements<T> || std::ranges::enable_view<T> || std::ranges::enable_borrowed_range<T>;
/// A type that points to something else.
template <class T>
concept iterator_like = requires(T& i) { *i, ++i; } || requires(const T& p) { p.operator->(); };
/// A type like std::reference_wrapper.
template <class T>
concept reference_like = requires(const T& r) {
  typename T::type;
  { r.get() } -> std::same_as<typename T::type&>;
};
/// A type of the standard library that contains addresses: source_location, error_code, type_index, coroutine_handle.
template <class T>
concept library_address = requires(const T& v) {
  { v.file_name() } -> std::same_as<const char*>;
  v.function_name();
} || requires(const T& v) {
  { v.name() } -> std::same_as<const char*>;
  v.hash_code();
} || requires(const T& v) {
  { v.address() } -> std::same_as<void*>;
  v.done();
} || requires(const T& v) {
  requires std::is_reference_v<decltype(v.category())>;
  v.message();
};

template <class T>
consteval stays_behind address_in();
template <class T, std::size_t... I>
consteval stays_behind address_in_parts(std::index_sequence<I...>) {
  stays_behind found = stays_behind::nothing;
  ((found == stays_behind::nothing ? void(found = address_in<std::remove_cv_t<std::tuple_element_t<I, T>>>()) : void()),
   ...);
  return found;
}
template <template <class...> class V, class... T>
consteval stays_behind address_in_alternatives(const V<T...>*) {
  stays_behind found = stays_behind::nothing;
  ((found == stays_behind::nothing ? void(found = address_in<T>()) : void()), ...);
  return found;
}

/// A value that converts to a member of any type.
struct any_member {
  template <class T>
  operator T() const;
};
/// A value that converts to members that contain addresses only.
struct any_address {
  template <class T>
    requires(address_in<T>() != stays_behind::nothing)
  operator T() const;
};

/// Whether an X can initialise member `at` of an aggregate.
template <class T, class X, std::size_t at>
consteval bool can_be_member() {
  if constexpr (at == 0) return requires { T{X{}}; };
  else if constexpr (at == 1) return requires { T{{}, X{}}; };
  else if constexpr (at == 2) return requires { T{{}, {}, X{}}; };
  else if constexpr (at == 3) return requires { T{{}, {}, {}, X{}}; };
  else if constexpr (at == 4) return requires { T{{}, {}, {}, {}, X{}}; };
  else if constexpr (at == 5) return requires { T{{}, {}, {}, {}, {}, X{}}; };
  else if constexpr (at == 6) return requires { T{{}, {}, {}, {}, {}, {}, X{}}; };
  else if constexpr (at == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}, X{}}; };
  else if constexpr (at == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, X{}}; };
  else if constexpr (at == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, X{}}; };
  else if constexpr (at == 10) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, X{}}; };
  else return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, X{}}; };
}
template <class T, std::size_t at = 0>
consteval bool has_address_member() {
  if constexpr (at == 12 || !can_be_member<T, any_member, at>()) return false;
  else if constexpr (can_be_member<T, any_address, at>()) return true;
  else return has_address_member<T, at + 1>();
}

/// The kind of address in a T, as far as the compiler can see.
template <class T>
consteval stays_behind address_in() {
  using enum stays_behind;
  if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>) return pointer;
  else if constexpr (std::is_reference_v<T> || reference_like<T>) return reference;
  else if constexpr (std::is_array_v<T>) return address_in<std::remove_cv_t<std::remove_all_extents_t<T>>>();
  else if constexpr (!std::is_class_v<T> && !std::is_union_v<T>) return nothing;
  else if constexpr (variant_like<T>) return address_in_alternatives(static_cast<const T*>(nullptr));
  else if constexpr (optional_like<T>) return address_in<typename T::value_type>();
  else if constexpr (array_like<T>) return address_in<std::remove_cv_t<typename T::value_type>>();
  else if constexpr (tuple_like<T>) return address_in_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
  else if constexpr (view_like<T> || holds_address<T>) return view;
  else if constexpr (iterator_like<T>) return iterator;
  else if constexpr (library_address<T>) return pointer;
  else if constexpr (std::is_aggregate_v<T>) return has_address_member<T>() ? member : nothing;
  else return nothing;
}

/// The reason why the bytes of a T are not a T on other nodes. Values of messages are default-constructed before they
/// are read. A type without a default constructor is taken for a closure, or for a structure with a reference.
template <class T>
consteval stays_behind left_by_bytes() {
  constexpr stays_behind found = address_in<T>();
  if constexpr (found != stays_behind::nothing) return found;
  else if constexpr (!std::is_trivially_copyable_v<T>) return stays_behind::no_fields;
  else if constexpr (!std::is_default_constructible_v<T>) return stays_behind::captures;
  else return stays_behind::nothing;
}
template <class T>
concept plain_value = left_by_bytes<T>() == stays_behind::nothing;

/// Fails to compile with the reason why T is not plain; otherwise true, for a static_assert.
template <stays_behind why, class T>
consteval bool explain() {
  using enum stays_behind;
  static_assert(why != pointer,
                "this is an address, which means nothing on another node or device: send what lies there, or an index");
  static_assert(why != reference,
                "this is a reference, which means nothing on another node or device: send what it refers to");
  static_assert(why != view,
                "this is a view or a list that owns no elements, which stay behind: send a container of them, as "
                "std::vector or std::string");
  static_assert(why != iterator,
                "this is an iterator or a handle that points, which means nothing elsewhere: send an index, or what it "
                "points to");
  static_assert(why != captures,
                "this is a lambda with captures, or has a reference or no default constructor: send the captured "
                "values as arguments");
  static_assert(why != member,
                "a member of this type is a pointer, a view or an iterator: give the type a function fields() that "
                "says what travels");
  static_assert(why != polymorphic,
                "this type has virtual functions, and an object of a derived type would lose its own part: declare the "
                "type final, or send a "
                "std::variant of the final types");
  static_assert(
      why != inherited_fields,
      "fields() is that of a base, and would forget the members of this type: give this type its own fields()");
  static_assert(why != no_fields,
                "this type is not trivially copyable, and has no function fields() that names its parts");
  return true;
}
/// As explain, for elements, values and payloads, which are copied as bytes and never default-constructed.
template <class T>
consteval bool explain_bytes() {
  if constexpr (!std::is_default_constructible_v<T> && !std::is_copy_assignable_v<T>)
    return explain<stays_behind::captures, T>();
  else return explain<address_in<T>(), T>();
}

}  // namespace stretto::detail

STRETTO_API_END
