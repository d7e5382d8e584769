// Which values may be sent to other nodes, and which would lose a part or name what stays behind.
#include <stretto/stretto.hpp>

#include <doctest/doctest.h>

#include <bitset>
#include <chrono>
#include <complex>
#include <coroutine>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <system_error>
#include <typeindex>
#include <unordered_map>
#include <variant>

using namespace stretto;

namespace travelling_values {

struct shape {
  virtual ~shape() = default;
  template <class A>
  friend void fields(A&, archived<shape, A>&) {}
};
struct square : shape {
  int side;
};
struct disc final : shape {
  int radius;
  template <class A>
  friend void fields(A& a, archived<disc, A>& d) {
    a(d.radius);
  }
};
struct base {
  int a;
  template <class A>
  friend void fields(A& to, archived<base, A>& b) {
    to(b.a);
  }
};
struct forgetful : base {
  int b;
};
struct careful : base {
  int b;
  template <class A>
  friend void fields(A& to, archived<careful, A>& c) {
    fields(to, static_cast<archived<base, A>&>(c));
    to(c.b);
  }
};
// fields() may be written in any way that takes exactly this type.
struct by_template {
  int a;
  std::vector<int> v;
};
template <class A>
void fields(A& a, archived<by_template, A>& x) {
  a(x.a, x.v);
}
struct by_constraint {
  int a;
  std::string s;
};
template <class A, class X>
  requires std::same_as<std::remove_const_t<X>, by_constraint>
void fields(A& a, X& x) {
  a(x.a, x.s);
}
template <class T>
struct nested {
  T v;
  template <class A>
  friend void fields(A& a, archived<nested, A>& x) {
    a(x.v);
  }
};

struct with_text {
  int x;
  const char* p;
};
struct behind_arrays {
  double x[1000];
  char n[64];
  std::string_view v;
};
struct of_numbers {
  int x;
  struct {
    float a, b;
  } y;
};
struct in_a_member {
  int x;
  struct {
    float a;
    int* b;
  } y;
};
struct with_union {
  union {
    struct {
      float x, y, z;
    };
    float v[3];
  };
};
struct with_reference {
  int& r;
};
struct with_span {
  std::span<int> s;
};
struct of_base : with_text {
  int z;
};
struct of_pointers {
  std::array<int*, 2> a;
};
struct of_many {
  enum class kind { a };
  std::optional<int> a;
  std::array<double, 3> c;
  bool d;
  std::byte e;
  kind f;
  unsigned g : 3;
};
struct of_arrays {
  int m[3][3];
  int k[2];
};
struct with_function {
  void (*f)();
};
struct with_array_of_pointers {
  int* a[3];
};
struct with_class {
  struct hidden {
    hidden() = default;
    hidden(int x) : a(x) {}

   private:
    int a = 0;
  } c;
  std::complex<double> z;
  std::chrono::nanoseconds t;
};
struct small_vector {
  float v[3];
  const float* begin() const { return v; }
  const float* end() const { return v + 3; }
};

template <class... T>
inline constexpr bool all_travel = (transferable<T> && ...);
template <class... T>
inline constexpr bool all_stay = (!transferable<T> && ...);

TEST_CASE("a value that would lose the part of a derived type does not travel") {
  CHECK(all_stay<shape, square, std::unique_ptr<shape>, std::vector<std::unique_ptr<shape>>, std::optional<shape>,
                 std::map<int, square>>);
  CHECK(all_travel<disc, std::unique_ptr<disc>, std::variant<disc, int>>);
  CHECK(all_stay<forgetful, std::vector<forgetful>>);
  CHECK(all_travel<base, careful, by_template, by_constraint, nested<nested<int>>, std::map<std::string, by_template>>);
}

TEST_CASE("a value that names what stays behind does not travel, also as a member of an aggregate") {
  CHECK(all_stay<int*, int&, std::nullptr_t, void (*)(), int shape::*>);
  CHECK(all_stay<std::reference_wrapper<int>, std::initializer_list<int>, std::vector<int>::iterator,
                 std::list<int>::iterator, std::map<int, int>::iterator, std::back_insert_iterator<std::vector<int>>>);
  CHECK(all_stay<std::span<int>, std::span<int, 3>, std::string_view, std::ranges::ref_view<std::vector<int>>,
                 std::ranges::subrange<int*>, view<int, 2>, view<const int, 1, bounds::checked>>);
  CHECK(all_stay<std::error_code, std::type_index, std::source_location, std::coroutine_handle<>, std::function<void()>,
                 std::shared_ptr<int>>);
  CHECK(
      all_stay<std::optional<std::string_view>, std::pair<int, std::reference_wrapper<int>>, std::variant<int, char*>>);
  CHECK(all_stay<with_text, behind_arrays, in_a_member, with_reference, with_span, of_base, of_pointers, with_function,
                 with_array_of_pointers, native_memory, native_array<int>>);
}

TEST_CASE("values of numbers, containers and handles travel") {
  CHECK(all_travel<of_numbers, with_union, of_many, of_arrays, with_class, small_vector>);
  CHECK(all_travel<std::string, std::vector<std::vector<bool>>, std::set<int>, std::deque<std::string>, std::bitset<9>,
                   std::complex<float>, std::chrono::steady_clock::time_point, std::unordered_map<int, std::string>,
                   std::optional<double>, std::variant<int, std::string>, std::array<std::string, 3>>);
  CHECK(all_travel<event, user_event, barrier, reservation, place, box, point, extent, instance<int, 2>, mobile<base>,
                   collection<base>, global_object<float, 2>, element, reduction_instance<sum<int>, 1>>);
}

}  // namespace travelling_values
