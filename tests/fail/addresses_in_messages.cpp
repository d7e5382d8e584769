// Types that are trivially copyable, and name what stays behind.
// expect: this is a reference, which means nothing on another node or device
// expect: this is a view or a list that owns no elements
// expect: this is an iterator or a handle that points
// expect: a member of this type is a pointer, a view or an iterator
// expect: this is a lambda with captures, or has a reference or no default constructor
// expect: this is an address, which means nothing on another node or device
#include <stretto/stretto.hpp>

#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

using namespace stretto;

struct named {
  int number;
  std::string_view text;
};
struct nested {
  named inner[2];
};
struct plain_one {
  int a[3];
  struct {
    float x, y;
  } b;
  std::optional<int> c;
};
struct refers {
  int& to;
};

void of_plain(plain_one) {}
void of_reference(std::reference_wrapper<int>) {}
void of_list(std::initializer_list<int>) {}
void of_iterator(std::vector<int>::iterator) {}
void of_view(view<const float, 2>) {}
void of_named(named) {}
void of_nested(nested) {}
void of_refers(refers) {}
void of_vector(std::vector<named>) {}
void of_error(std::error_code) {}
struct holder {
  void take(std::vector<std::reference_wrapper<int>>) {}
  template <class A>
  friend void fields(A&, archived<holder, A>&) {}
};

void sound(int& i, std::vector<int>& v, view<const float, 2> w, mobile<holder> m) {
  call<&of_plain>(plain_one());
  call<&of_reference>(std::ref(i));              // fails
  call<&of_list>(std::initializer_list<int>());  // fails
  call<&of_iterator>(v.begin());                 // fails
  call<&of_view>(w);                             // fails
  call<&of_named>(named());                      // fails
  call<&of_nested>(nested());                    // fails
  call<&of_refers>(refers{i});                   // fails
  call<&of_vector>(std::vector<named>());        // fails
  call<&of_error>(std::error_code());            // fails
  make_mobile<holder>(at_node(1));
  send(m, call<&holder::take>(std::vector<std::reference_wrapper<int>>()));  // fails
}
