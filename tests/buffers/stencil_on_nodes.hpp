// stencil_on_nodes.hpp - a stencil on buffers with occasional reductions and host tasks, for tests in which one node
// fails.
#pragma once

#include <stretto/buffer.hpp>
#include <stretto/kernel.hpp>

#include <utility>

namespace stretto::test {

STRETTO_KERNEL(stencil_begin, (out<int> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(stencil_step, (in<int> x, out<int> y, int n), {
  int i = global_id(0);
  y(i) = (x(i) + (i > 0 ? x(i - 1) : 0) + (i + 1 < n ? x(i + 1) : 0)) % 1009;
})
STRETTO_KERNEL(stencil_sum, (in<int> x, reduce<sum<int>> total), { total(0) << x(global_id(0)); })

class stencil_on_nodes {
 public:
  explicit stencil_on_nodes(int points)
      : u_(box(0, points), {.name = "u"}), v_(box(0, points), {.name = "v"}), total_(box(0, 1)), points_(points) {
    launch(stencil_begin, u_.elements(), u_(one_to_one));
  }

  void step() {
    launch(stencil_step, u_.elements(), u_(neighborhood(1)), v_(one_to_one), points_);
    std::swap(u_, v_);
  }
  void add_up() { launch(stencil_sum, u_.elements(), u_(one_to_one), total_.from_identity()); }
  void look() {
    host_task(on_each_node, [](view<const int>) {}, u_.in(all));
  }
  void read_sum() { total_.read().get(); }
  void read_all() { u_.read().get(); }

 private:
  buffer<int> u_, v_;
  buffer<int> total_;
  int points_;
};

}  // namespace stretto::test
