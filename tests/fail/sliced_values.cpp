// Values that would lose a part in a message: the compiler says which, and why.
// expect: this type has virtual functions, and an object of a derived type would lose its own part
// expect: fields() is that of a base, and would forget the members of this type
#include <stretto/mobile.hpp>

#include <memory>
#include <vector>

using namespace stretto;

struct shape {
  virtual ~shape() = default;
  template <class A>
  friend void fields(A&, archived<shape, A>&) {}
};
struct disc final : shape {
  double radius = 1;
  template <class A>
  friend void fields(A& a, archived<disc, A>& d) {
    a(d.radius);
  }
};
struct point_of_mass {
  double mass = 1;
  template <class A>
  friend void fields(A& a, archived<point_of_mass, A>& p) {
    a(p.mass);
  }
};
struct charged : point_of_mass {
  double charge = 1;
};

int by_pointer(std::unique_ptr<shape>) { return 0; }
int by_reference(const shape&) { return 0; }
int in_container(const std::vector<std::unique_ptr<shape>>&) { return 0; }
int exact(std::unique_ptr<disc>) { return 0; }
int inherited(const charged&) { return 0; }
std::unique_ptr<shape> returned() { return nullptr; }

void sound(mobile<shape>, const shape& s) {
  call<&exact>(std::make_unique<disc>());
  make_mobile<shape>();                                        // of this type, whatever is derived from it
  call<&by_pointer>(std::make_unique<disc>());                 // fails
  call<&by_reference>(s);                                      // fails
  call<&in_container>(std::vector<std::unique_ptr<shape>>());  // fails
  call<&inherited>(charged());                                 // fails
  call<&returned>();                                           // fails
}
