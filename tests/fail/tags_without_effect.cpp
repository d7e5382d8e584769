// A tag that a verb cannot carry out.
// expect: is computed by devices or by all workers, not by one
// expect: a launch on objects or buffers may become several, and has no profile of its own
// expect: a host task runs in several parts, or in none on a node, and has no profile of its own
// expect: a collective host task has one part on each node, which is not cut
// expect: migrate and destroy run no handler that could have a priority
// expect: without a handler a put or a get runs nothing that could have a priority
// expect: a postcondition runs nothing that could have a place, a worker or a priority
#include <stretto/stretto.hpp>

using namespace stretto;

STRETTO_KERNEL(scale, (in<float> x, out<float> y), { y(global_id(0)) = 2 * x(global_id(0)); })
struct account {
  int balance = 0;
  template <class Archive>
  friend void fields(Archive& a, archived<account, Archive>& x) {
    a(x.balance);
  }
};

void sound(place p, object<float> u, buffer<float> b, mobile<account> m, global_object<float> g,
           future<operation_profile>& into) {
  launch(on(p), scale, box(0, 4), u, u);
  launch(on(worker(1)), scale, box(0, 4), u, u);  // fails
  launch(profile(into), scale, box(0, 4), u, u);  // fails
  launch(name("b"), scale, box(0, 4), b(one_to_one), b(one_to_one));
  launch(profile(into), scale, box(0, 4), b(one_to_one), b(one_to_one));  // fails
  host_task(on(worker(1)), in_pieces{2}, b.elements(), [](view<const float>) {}, b.in(one_to_one));
  host_task(profile(into), b.elements(), [](view<const float>) {}, b.in(one_to_one));  // fails
  host_task(name("c"), collective{}, [](view<const float>) {}, b.in(all));
  host_task(in_pieces{2}, collective{}, [](view<const float>) {}, b.in(all));  // fails
  migrate(name("move"), m, at_node(1));
  migrate(priority(1), m, at_node(1));  // fails
  put(name("there"), u, g);
  put(priority(1), u, g);  // fails
  recorded_graph<> graph;
  graph.add_postcondition(name("end"));
  graph.add_postcondition(priority(1));  // fails
}
