// demo_matrix.cpp - stretto demo matrix: a product of matrices in tiles, coloured by the node that has computed them.
#include <fmt/format.h>

#include <algorithm>
#include <stretto/job.hpp>

#include "demo/on_buffers/matrix_tiles.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_matrix(const invocation& call) {
  demo_on_buffers demo(call);
  int side = 360;
  demo.number("--side", side, "rows and columns of each", {8, 4'000});
  if (const auto done = demo.read()) return *done;
  return demo.run([&] {
    const on_buffers::square a = on_buffers::left_factor(side), b = on_buffers::right_factor(side);
    const stopwatch clock;
    const on_buffers::product p = on_buffers::product_on_nodes(a, b);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const bool is_so = on_buffers::is_product(a, b, p.result, 20);
    std::vector<std::int64_t> computed(job_nodes());
    for (const int node : p.owner) ++computed[static_cast<std::size_t>(node)];
    const auto picture = demo.file("matrix.png");
    wave::write_file(picture, wave::encode_png(on_buffers::picture_of(p, 720)));

    if (demo.json()) {
      demo_on_buffers::print({{"side", side},
                              {"nodes", job_nodes()},
                              {"computed", computed},
                              {"is_product", is_so},
                              {"seconds", seconds}});
    } else {
      fmt::print("A product of two {0} x {0} matrices, {1}: {2:.3f} s\n", side, demo.on_nodes(), seconds);
      fmt::print("{} the product, by 20 vectors of signs (Freivalds, 1977); elements of each node: {}\n  {}\n",
                 is_so ? "it is" : "it is NOT", fmt::join(computed, ", "), picture.string());
    }
    return is_so;
  });
}

}  // namespace stretto::tools
