// Elements, payloads and values of kernels go to other memories and nodes as bytes.
// expect: a member of this type is a pointer, a view or an iterator
// expect: this is an address, which means nothing on another node or device
// expect: this is a reference, which means nothing on another node or device
#include <stretto/stretto.hpp>

#include <functional>

using namespace stretto;

struct node_of_list {
  int value = 0;
  node_of_list* next = nullptr;
};
struct longest {
  using value_type = std::reference_wrapper<int>;
  static value_type identity();
  static void apply(value_type& into, const value_type& value);
};
struct plain_pair {
  int a, b;
};

STRETTO_KERNEL(scaled_by_pair, (inout<float> x, plain_pair by), { x(global_id(0)) *= by.a; })
STRETTO_KERNEL(scaled_by_list, (inout<float> x, node_of_list by), { x(global_id(0)) *= by.value; })  // fails

void sound(reservation r, buffer<plain_pair> b, object<double> o) {
  r.payload_as<plain_pair>();
  r.payload_as<node_of_list>();          // fails
  buffer<node_of_list> list(box(0, 4));  // fails
  object<int*> pointers(box(0, 4));      // fails
  reducing_barrier<longest> met;         // fails
}
