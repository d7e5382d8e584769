// demo_streams.cpp - stretto demo streams: random numbers from many tasks, most of which do not follow one another, and
// the law that they keep.
#include <fmt/format.h>

#include <stretto/job.hpp>

#include "demo/on_buffers/random_streams.hpp"
#include "demo/stopwatch.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_streams(const invocation& call) {
  demo_on_buffers demo(call);
  on_buffers::streams s;
  demo.number("--tasks", s.columns, "of each round, none of which follows another", {1, 10'000});
  demo.number("--rounds", s.rounds, "each behind the one before", {1, 10'000});
  if (const auto done = demo.read()) return *done;
  return demo.run([&] {
    const stopwatch clock;
    const on_buffers::counts seen = on_buffers::counts_on_nodes(s);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const bool is_so = seen == on_buffers::counts_serially(s);
    const auto expected = on_buffers::expected_counts(s.all_sums());
    const double chi = on_buffers::chi_square(seen, expected);
    const auto picture = demo.file("streams.svg");
    write_text(picture, on_buffers::histogram(seen, expected));

    if (demo.json()) {
      demo_on_buffers::print({{"tasks", s.columns * s.rounds},
                              {"sums", s.all_sums()},
                              {"nodes", job_nodes()},
                              {"as_serial", is_so},
                              {"chi_square", chi},
                              {"seconds", seconds}});
    } else {
      fmt::print("{} tasks, {} sums of twelve random numbers, {}: {:.3f} s\n", s.columns * s.rounds, s.all_sums(),
                 demo.on_nodes(), seconds);
      fmt::print("{} by std::minstd_rand0; chi-square against the law of such sums: {:.1f} for {} sizes\n  {}\n",
                 is_so ? "as" : "NOT as", chi, on_buffers::bins, picture.string());
    }
    return is_so;
  });
}

}  // namespace stretto::tools
