// kernel.hpp - a kernel: device code written once, checked by the C++ compiler, run on the host and on every device.
//
//     STRETTO_KERNEL(jacobi, (in<float, 2> u, out<float, 2> v, float c), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = u(i, j) + c * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j));
//     })
//
// Axis 0 is the slowest, as in a box: neighbours along the last axis are neighbours in memory and on the device. In
// groups, with a barrier after each region:
//
//     STRETTO_GROUP_KERNEL(sum_of_group, (in<float> x, out<float> sums, local<float> part), {
//       each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
//       for (int half = group_size(0) / 2; half > 0; half /= 2)
//         each_item([&](item it) {
//           if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
//         });
//       each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
//     })
//
// Contributions to elements that other items contribute to as well; nobody reads them before all have ended:
//
//     STRETTO_KERNEL(histogram, (in<int> x, reduce<sum<int>> count), { count(x(global_id(0)) % 16) << 1; })
//
// A body is what C and C++ have in common, with the names of kernel_scope.hpp; what else it uses is declared by
// STRETTO_DEVICE_FUNCTION, _STRUCT, _CONSTANT or _OPERATOR, and found by its name.
//
// Threads     a kernel is a constant.
// Cost        on the host, the loop that one would write by hand.
// Source      one definition for all devices: PREMA's heterogeneous tasking; regions between barriers: the hierarchical
//             parallelism of OCCA and AdaptiveCpp.
#pragma once

#include <stretto/kernel_code.hpp>
#include <stretto/kernel_scope.hpp>
#include <stretto/plain_value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class Signature>
class kernel;

/// A kernel with the types of its parameters, as the macros define it.
template <class... Parameters>
class kernel<void(Parameters...)> {
 public:
  constexpr explicit kernel(const kernel_code& code) noexcept : code_(&code) {}
  constexpr const kernel_code& code() const noexcept { return *code_; }
  static constexpr std::size_t arity = sizeof...(Parameters);

 private:
  const kernel_code* code_;
};

namespace detail {

/// Turns what a checked body threw into K01, with kernel, item, array, index and extent. Of a group, `id` is its own.
[[noreturn]] void tell_out_of_range(const kernel_code& code, const index_out_of_range& what, const kernel_work& work,
                                    const kernel_argument* arguments, const std::int64_t* id,
                                    const item_in_group& item = {});

using kernels::element_kind_of;

template <class P>
struct parameter_traits {
  static_assert(kernels::device_type<P>,
                "a kernel takes numbers and plain structures by value, and arrays as in<T, D>, "
                "out<T, D> or inout<T, D>; not pointers, references or classes");
  static_assert(explain_bytes<P>());  // devices get the bytes
  static constexpr kernel_parameter value{
      access::value, element_kind_of<P>(), 0,       sizeof(P),
      alignof(P),    fold_operator::none,  nullptr, kernels::component_bytes_of<P>()};
  using passed = P;
  static passed pass(const kernel_argument& a) noexcept { return *reinterpret_cast<const P*>(a.origin); }
  static P open(const kernel_argument& a, unsigned) noexcept { return pass(a); }
  static P open_dense(const kernel_argument&, unsigned, const P& given) noexcept { return given; }
  static void assume_dense_rows(P&) noexcept {}
  static bool has_dense_rows(const kernel_argument&) noexcept { return true; }
};

template <class P>
constexpr fold_operator fold_of_parameter() noexcept {
  if constexpr (requires { typename P::operation; }) return kernels::fold_of<typename P::operation>;
  else return fold_operator::none;
}

template <class P>
constexpr const device_operator* own_of_parameter() noexcept {
  if constexpr (requires { requires kernels::own_operator<typename P::operation>; })
    return &P::operation::for_devices();
  else return nullptr;
}

template <kernels::array_parameter P>
struct parameter_traits<P> {
  static constexpr kernel_parameter value{P::mode,
                                          element_kind_of<typename P::element>(),
                                          P::axes,
                                          sizeof(typename P::element),
                                          alignof(typename P::element),
                                          fold_of_parameter<P>(),
                                          own_of_parameter<P>(),
                                          kernels::component_bytes_of<typename P::element>()};
  static P open(const kernel_argument& a, unsigned n) noexcept { return P(a, n); }
  using passed = typename P::pointer __restrict;
  static typename P::pointer pass(const kernel_argument& a) noexcept {
    return reinterpret_cast<typename P::pointer>(a.origin);
  }
  static P open_dense(const kernel_argument& a, unsigned n, typename P::pointer origin) noexcept {
    P array(a, n);
    array.reach_by(origin);
    array.assume_dense_rows();
    return array;
  }
  static void assume_dense_rows(P& array) noexcept { array.assume_dense_rows(); }
  static bool has_dense_rows(const kernel_argument& a) noexcept { return a.stride[P::axes - 1] == 1; }
};

/// Runs a body, a member function of Scope, for the items of some work.
template <class Scope, auto Body, class Signature = decltype(Body)>
struct host_body;

template <class Scope, auto Body, class... P>
struct host_body<Scope, Body, void (Scope::*)(P...) const> {
  static constexpr std::array<kernel_parameter, sizeof...(P)> table{parameter_traits<P>::value...};
  using values = std::tuple<P...>;
  using numbers = std::index_sequence_for<P...>;

  STRETTO_DETAIL_LOOPS static void run_items(const kernel_code&, const kernel_work& work,
                                             const kernel_argument* arguments) {
    values v = open(arguments, numbers());
    if (!has_dense_rows(arguments, numbers()) || !fits_int(work)) return loop<std::int64_t>(work, v);
    assume_dense_rows(v, numbers());
    loop<int>(work, v);
  }

  /// For what kernel_code::run_dense asks for.
  static void run_dense(const kernel_code&, const kernel_work& work, const kernel_argument* arguments) {
    pass<&dense>(work, arguments, numbers());
  }
  static void run_wide(const kernel_code&, const kernel_work& work, const kernel_argument* arguments) {
    pass<&wide>(work, arguments, numbers());
  }

  static void run_items_checked(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
    const values v = open(arguments, numbers());
    Scope s{};
    s.launched_ = &work;
    std::int64_t* const id = s.id_;
    try {
      for (id[0] = work.min[0]; id[0] < work.max[0]; ++id[0])
        for (id[1] = work.min[1]; id[1] < work.max[1]; ++id[1])
          for (id[2] = work.min[2]; id[2] < work.max[2]; ++id[2]) call(s, v, numbers());
    } catch (const index_out_of_range& outside) {
      tell_out_of_range(code, outside, work, arguments, id);
    }
  }

  STRETTO_DETAIL_LOOPS static void run_groups([[maybe_unused]] const kernel_code& code, const kernel_work& work,
                                              const kernel_argument* arguments) {
    Scope s{};
    each_group(work, open(arguments, numbers()), s);
  }
  static void run_groups_checked(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
    const values v = open(arguments, numbers());
    Scope s{};
    try {
      each_group(work, v, s);
    } catch (const index_out_of_range& outside) {
      tell_out_of_range(code, outside, work, arguments, s.id_, s.now_);
    }
  }

 private:
  template <std::size_t... I>
  static values open(const kernel_argument* a, std::index_sequence<I...>) noexcept {
    return values(parameter_traits<P>::open(a[I], I)...);
  }
  // Functions of their own: of their parameters, and of nothing else, does a compiler believe that they lead to
  // different places.
  STRETTO_DETAIL_LOOPS static void dense(const kernel_work& work, const kernel_argument* a,
                                         typename parameter_traits<P>::passed... given) {
    all_dense(work, a, numbers(), given...);
  }
  STRETTO_DETAIL_WIDE STRETTO_DETAIL_LOOPS static void wide(const kernel_work& work, const kernel_argument* a,
                                                            typename parameter_traits<P>::passed... given) {
    all_dense(work, a, numbers(), given...);
  }
  template <auto Loops, std::size_t... I>
  static void pass(const kernel_work& work, const kernel_argument* a, std::index_sequence<I...>) {
    Loops(work, a, parameter_traits<P>::pass(a[I])...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void all_dense(const kernel_work& work, const kernel_argument* a,
                                               std::index_sequence<I...>,
                                               typename parameter_traits<P>::passed... given) {
    const values v(parameter_traits<P>::open_dense(a[I], I, given)...);
    if constexpr (requires(Scope s) { s.ids_are_ints_; }) {
      Scope s{};
      s.ids_are_ints_ = true;
      each_group(work, v, s);
    } else {
      loop<int>(work, v);
    }
  }
  [[gnu::always_inline]] static void each_group(const kernel_work& work, const values& v, Scope& s) {
    s.launched_ = &work;
    std::int64_t* const id = s.id_;
    for (id[0] = work.min[0]; id[0] < work.max[0]; ++id[0])
      for (id[1] = work.min[1]; id[1] < work.max[1]; ++id[1])
        for (id[2] = work.min[2]; id[2] < work.max[2]; ++id[2]) {
          s.scratch_ = work.scratch;
          s.scratch_left_ = work.scratch_bytes;
          s.begin_group();
          call(s, v, numbers());
        }
  }
  template <std::size_t... I>
  static bool has_dense_rows(const kernel_argument* a, std::index_sequence<I...>) noexcept {
    return (parameter_traits<P>::has_dense_rows(a[I]) && ...);
  }
  static bool fits_int(const kernel_work& work) noexcept {
    bool fits = true;
    for (int a = 0; a < 3; ++a) fits = fits && work.min[a] >= -2'000'000'000 && work.max[a] <= 2'000'000'000;
    return fits;
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void assume_dense_rows(values& v, std::index_sequence<I...>) noexcept {
    (parameter_traits<P>::assume_dense_rows(std::get<I>(v)), ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void call(const Scope& s, const values& v, std::index_sequence<I...>) {
    (s.*Body)(std::get<I>(v)...);
  }
  [[gnu::always_inline]] static void item(const kernel_work& work, const values& v, std::int64_t i, std::int64_t j,
                                          std::int64_t k) {
    Scope s;
    s.launched_ = &work;
    s.id_[0] = i, s.id_[1] = j, s.id_[2] = k;
    call(s, v, numbers());
  }

  // One innermost loop per number of axes, so that the compiler knows which of the ids changes. Bodies keep ids in an
  // int, mostly: only if they are counted in one does the compiler know that addresses follow. Items do not depend on
  // one another, which is what the pragma says.
  template <class Int>
  [[gnu::always_inline]] static void loop(const kernel_work& work, const values v) {
    const Int min[] = {static_cast<Int>(work.min[0]), static_cast<Int>(work.min[1]), static_cast<Int>(work.min[2])};
    const Int max[] = {static_cast<Int>(work.max[0]), static_cast<Int>(work.max[1]), static_cast<Int>(work.max[2])};
    if (work.dimensions == 1) {
      STRETTO_DETAIL_INDEPENDENT
      for (Int i = min[0]; i < max[0]; ++i) item(work, v, i, 0, 0);
    } else if (work.dimensions == 2) {
      for (Int i = min[0]; i < max[0]; ++i) {
        STRETTO_DETAIL_INDEPENDENT
        for (Int j = min[1]; j < max[1]; ++j) item(work, v, i, j, 0);
      }
    } else {
      for (Int i = min[0]; i < max[0]; ++i)
        for (Int j = min[1]; j < max[1]; ++j) {
          STRETTO_DETAIL_INDEPENDENT
          for (Int k = min[2]; k < max[2]; ++k) item(work, v, i, j, k);
        }
    }
  }
};

/// void(P...) of a member function.
template <class Member>
struct signature_of;
template <class Scope, class... P>
struct signature_of<void (Scope::*)(P...) const> {
  using type = void(P...);
};

/// What stands in a body that not every device has; the name of the function is what the compiler says.
void a_kernel_cannot_use_new_or_delete();
void a_kernel_cannot_throw_or_catch();
void a_kernel_cannot_use_goto();
void a_kernel_cannot_use_cpp_casts_templates_or_this();
void a_kernel_cannot_name_namespaces();
void a_kernel_cannot_use_static_or_thread_local();
void a_region_cannot_return();
void a_kernel_cannot_cast_several_values_write_float4_of_them();

/// Whether a type between brackets begins at `text` and several values between brackets follow:
/// (float4)(x, y, z, w), which is a vector to OpenCL and w alone to C++.
consteval bool casts_several_values(const char* text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
  std::size_t i = 1;
  while (is_blank(text[i])) ++i;
  const std::size_t name = i;
  for (char c = text[i];
       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > name && c >= '0' && c <= '9') || c == '_' || c == ':';)
    c = text[++i];
  if (i == name) return false;
  while (is_blank(text[i])) ++i;
  if (text[i] != ')') return false;
  do ++i;
  while (is_blank(text[i]));
  if (text[i] != '(') return false;
  int depth = 0;
  for (; text[i]; ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) return false;
    if (text[i] == ',' && depth == 1) return true;
  }
  return false;
}

/// Looks at a body as text. Fails to compile, naming the rule, where the device could not compile it.
consteval bool body_is_portable(const char* text, bool in_groups) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto is = [](const char* word, std::size_t length, const char* name) {
    std::size_t i = 0;
    while (i < length && name[i] && word[i] == name[i]) ++i;
    return i == length && !name[i];
  };
  bool may_cast = true;  // a name stands before the brackets of a call, or of a condition
  for (std::size_t i = 0; text[i];) {
    if (text[i] == '(' && may_cast && casts_several_values(text + i))
      a_kernel_cannot_cast_several_values_write_float4_of_them();
    if (text[i] != ' ') may_cast = text[i] != ')' && text[i] != ']' && !letter(text[i]);
    if (text[i] == '"') {
      for (++i; text[i] && text[i] != '"'; ++i) i += text[i] == '\\';
      i += text[i] == '"';
    } else if (letter(text[i])) {
      std::size_t length = 1;
      while (letter(text[i + length])) ++length;
      const char* const w = text + i;
      const auto any = [&](auto... names) { return (is(w, length, names) || ...); };
      if (any("new", "delete")) a_kernel_cannot_use_new_or_delete();
      if (any("throw", "try", "catch")) a_kernel_cannot_throw_or_catch();
      if (any("goto")) a_kernel_cannot_use_goto();
      if (any("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "template", "typename", "decltype",
              "this"))
        a_kernel_cannot_use_cpp_casts_templates_or_this();
      if (any("std")) a_kernel_cannot_name_namespaces();
      if (any("static", "thread_local", "constexpr")) a_kernel_cannot_use_static_or_thread_local();
      if (in_groups && any("return")) a_region_cannot_return();
      may_cast = any("return", "else", "case", "do");
      i += length;
    } else {
      ++i;
    }
  }
  return true;
}

/// A number for what is written where.
consteval std::uint64_t key_of(std::string_view file, std::string_view parameters, std::string_view body) {
  std::uint64_t key = 14695981039346656037u;  // FNV-1a
  for (const std::string_view text : {file, parameters, body}) {
    for (const char c : text) key = (key ^ static_cast<unsigned char>(c)) * 1099511628211u;
    key = (key ^ 0xff) * 1099511628211u;
  }
  return key;
}

/// Whether a body holds a word.
consteval bool says(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

}  // namespace detail
}  // namespace stretto

// Of the same name in two files of a program, and not in one header, are two kernels: their types differ by a key of
// what was written, and each file has a constant of its own. So are functions for devices; which of them a kernel means
// device_texts.hpp says. In another scope than a namespace's the compiler stops at the first declaration, whose name
// says why. The texts come ready made, for a macro's argument is expanded before it is handed on, and devices want what
// was written.
#define STRETTO_DETAIL_KERNEL(name, scope, plain, checked, groups, parameters, parameter_text, body_text, ...)     \
  namespace in_a_function_or_a_class_use_STRETTO_SCOPED_KERNEL {}                                                  \
  template <std::uint64_t Key>                                                                                     \
  struct name##_kernel;                                                                                            \
  template <>                                                                                                      \
  struct STRETTO_DETAIL_UNSHARED name##_kernel<::stretto::detail::key_of(__FILE__, parameter_text, body_text)> {   \
    struct body : ::stretto::kernels::scope<false> {                                                               \
      [[gnu::always_inline]] inline void operator() parameters const __VA_ARGS__                                   \
    };                                                                                                             \
    struct checked_body : ::stretto::kernels::scope<true> {                                                        \
      void operator() parameters const __VA_ARGS__                                                                 \
    };                                                                                                             \
    using host = ::stretto::detail::host_body<body, &body::operator()>;                                            \
    using checked_host = ::stretto::detail::host_body<checked_body, &checked_body::operator()>;                    \
    static_assert(::stretto::detail::body_is_portable(body_text, groups));                                         \
    static constexpr ::stretto::kernel_code code{#name,                                                            \
                                                 parameter_text,                                                   \
                                                 body_text,                                                        \
                                                 __FILE__,                                                         \
                                                 __LINE__,                                                         \
                                                 groups,                                                           \
                                                 host::table,                                                      \
                                                 &host::plain,                                                     \
                                                 &checked_host::checked,                                           \
                                                 &host::run_dense,                                                 \
                                                 ::stretto::kernels::has_wide_vectors ? &host::run_wide : nullptr, \
                                                 ::stretto::detail::says(body_text, "denormals_are_zero")};        \
  };                                                                                                               \
  using name##_kernel_type = name##_kernel<::stretto::detail::key_of(__FILE__, parameter_text, body_text)>;        \
  [[maybe_unused]] constexpr ::stretto::                                                                           \
      kernel<::stretto::detail::signature_of<decltype(&name##_kernel_type::body::operator())>::type> name(         \
          name##_kernel_type::code);

/// Defines the kernel `name`, computed item by item over a range.
#define STRETTO_KERNEL(name, parameters, ...)                                                                         \
  STRETTO_DETAIL_KERNEL(name, item_scope, run_items, run_items_checked, false, parameters, #parameters, #__VA_ARGS__, \
                        __VA_ARGS__)

/// Defines the kernel `name`, whose body is that of a group: each_item is a region with a barrier after it.
#define STRETTO_GROUP_KERNEL(name, parameters, ...)                                                       \
  STRETTO_DETAIL_KERNEL(name, group_scope, run_groups, run_groups_checked, true, parameters, #parameters, \
                        #__VA_ARGS__, __VA_ARGS__)

/// In the body of a kernel, a loop whose steps all items of the launch share: `index` runs through the item's share of
/// [first, last). On the host a share is in one piece, on devices neighbouring items take neighbouring steps.
///
///     STRETTO_FOREACH(i, 0, n) y(i) += a * x(i);
#define STRETTO_FOREACH(index, first, last)                                                                        \
  for (std::int64_t index = this->share_bound(first, last, 0), end_of_##index = this->share_bound(first, last, 1); \
       index < end_of_##index; ++index)

/// Defines a function that kernels may call: type, name, parameters, body.
#define STRETTO_DEVICE_FUNCTION(type, name, parameters, ...)                                                           \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                               \
  template <bool Checked, std::uint64_t Key>                                                                           \
  struct name##_function;                                                                                              \
  template <>                                                                                                          \
  struct STRETTO_DETAIL_UNSHARED                                                                                       \
      name##_function<false, ::stretto::detail::key_of(__FILE__, #parameters, #__VA_ARGS__)>                           \
      : ::stretto::kernels::language<false> {                                                                          \
    [[gnu::always_inline]] static inline type call parameters __VA_ARGS__                                              \
  };                                                                                                                   \
  template <>                                                                                                          \
  struct STRETTO_DETAIL_UNSHARED name##_function<true, ::stretto::detail::key_of(__FILE__, #parameters, #__VA_ARGS__)> \
      : ::stretto::kernels::language<true> {                                                                           \
    static type call parameters __VA_ARGS__                                                                            \
  };                                                                                                                   \
  static_assert(::stretto::detail::body_is_portable(#__VA_ARGS__, false));                                             \
  [[maybe_unused]] static const ::stretto::device_text name##_text(                                                    \
      ::stretto::device_text::what::function, #name, #type, #parameters, #__VA_ARGS__, __FILE__, __LINE__);            \
  template <class... A>                                                                                                \
  [[gnu::always_inline]] static inline type name(const A&... arguments) {                                              \
    constexpr std::uint64_t key = ::stretto::detail::key_of(__FILE__, #parameters, #__VA_ARGS__);                      \
    if constexpr (requires { name##_function<false, key>::call(arguments...); })                                       \
      return name##_function<false, key>::call(arguments...);                                                          \
    else return name##_function<true, key>::call(arguments...);                                                        \
  }

/// Defines a structure that host and devices share: name, {members}.
#define STRETTO_DEVICE_STRUCT(name, ...)                                                                        \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                        \
  struct name __VA_ARGS__;                                                                                      \
  static_assert(::stretto::kernels::device_type<name>, "a structure for devices has plain members only");       \
  [[maybe_unused]] constexpr ::std::string_view stretto_name_on_devices(const name*) noexcept { return #name; } \
  STRETTO_DETAIL_UNSHARED                                                                                       \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::structure, #name, "", "",       \
                                                  #__VA_ARGS__, __FILE__, __LINE__);

/// Defines an operator of the program's own by which kernels contribute, and host tasks reduce: its name, the type of
/// the elements, a STRETTO_DEVICE_FUNCTION of two of them, and the element that changes nothing. What the function
/// gives may depend neither on the order nor on how the values are grouped.
///
///     STRETTO_DEVICE_STRUCT(found, { float distance; int at; })
///     STRETTO_DEVICE_FUNCTION(found, nearer, (found a, found b), {
///       return b.distance < a.distance || (b.distance == a.distance && b.at < a.at) ? b : a;
///     })
///     STRETTO_DEVICE_OPERATOR(nearest, found, nearer, {1e30f, 2147483647})
///     STRETTO_KERNEL(search, (in<float> x, float to, reduce<nearest> best), {
///       found f = {fabs(x(global_id(0)) - to), (int)(global_id(0))};
///       best(0) << f;
///     })
///
/// On devices an element is changed behind a lock, on the host by compare and swap where it has 1, 2, 4 or 8 bytes.
#define STRETTO_DEVICE_OPERATOR(name, type, function, ...)                                                            \
  struct STRETTO_DETAIL_UNSHARED name {                                                                               \
    using lhs_type = type;                                                                                            \
    using rhs_type = type;                                                                                            \
    static rhs_type identity() {                                                                                      \
      const rhs_type none = __VA_ARGS__;                                                                              \
      return none;                                                                                                    \
    }                                                                                                                 \
    static void apply(lhs_type& l, const rhs_type& r) { l = function(l, r); }                                         \
    static void fold(rhs_type& l, const rhs_type& r) { l = function(l, r); }                                          \
    static void set_identity(::std::byte* to) { ::new (static_cast<void*>(to)) rhs_type(identity()); }                \
    static const ::stretto::kernel_code& fold_kernel();                                                               \
    static constexpr const ::stretto::device_operator& for_devices() noexcept { return all; }                         \
    static constexpr ::stretto::device_operator all{#name, sizeof(type), &set_identity, &fold_kernel};                \
  };                                                                                                                  \
  static_assert(::stretto::kernels::device_type<type>, "an operator for devices folds numbers or plain structures");  \
  STRETTO_DETAIL_UNSHARED                                                                                             \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::operation, #name, #type, "",          \
                                                  #function, __FILE__, __LINE__);                                     \
  STRETTO_KERNEL(fold_by_##name, (in<type, 3> from, reduce<name, 3> to),                                              \
                 { to(global_id(0), global_id(1), global_id(2)) << from(global_id(0), global_id(1), global_id(2)); }) \
  inline const ::stretto::kernel_code& name::fold_kernel() { return fold_by_##name.code(); }

/// Defines a constant that host and devices share: type, name, value.
#define STRETTO_DEVICE_CONSTANT(type, name, ...)                                                            \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                    \
  inline constexpr type name = __VA_ARGS__;                                                                 \
  STRETTO_DETAIL_UNSHARED                                                                                   \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::constant, #name, #type, "", \
                                                  #__VA_ARGS__, __FILE__, __LINE__);

STRETTO_API_END
