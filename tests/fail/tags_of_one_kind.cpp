// Of two tags that say the same kind of thing one would be ignored.
// expect: two tags of this call say the same kind of thing, and one would be ignored
#include <stretto/stretto.hpp>

using namespace stretto;

STRETTO_KERNEL(scale, (in<float> x, out<float> y), { y(global_id(0)) = 2 * x(global_id(0)); })
struct account {
  int balance = 0;
  void pay(int by) { balance += by; }
  template <class Archive>
  friend void fields(Archive& a, archived<account, Archive>& x) {
    a(x.balance);
  }
};
int squared(int x) { return x * x; }

void sound(event e, future<int> f, place p, instance<float> x, mobile<account> m) {
  async(after(e, f), at(p), priority(1), [] {});
  async(after(e), after(f), [] {});    // fails
  async(at(p), on(worker(1)), [] {});  // fails
  async(at_node(1), on(worker(1)), call<&squared>(1));
  async(at_node(1), on(p), on(worker(1)), call<&squared>(1));  // fails
  launch(name("a"), on(p), scale, box(0, 4), x, x);
  launch(name("a"), name("b"), scale, box(0, 4), x, x);  // fails
  send(after(e), m, call<&account::pay>(1));
  send(after(e), after(std::span<const event>(&e, 1)), m, call<&account::pay>(1));  // fails
}
