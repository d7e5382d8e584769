#include "demo/uts/search.hpp"

#include <memory>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/remote.hpp>

#include "demo/uts/node_part.hpp"

namespace uts {

std::vector<census> search_parallel(const tree& t, std::uint32_t workers, stretto::progress* shown) {
  part alone(t, workers, shown);
  stretto::finish([&] { alone.search({t.root()}); });
  return alone.counted();
}

nodes_census search_over_nodes(const parameters& of) {
  using namespace stretto;
  std::vector<future<std::uint64_t>> made;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    made.push_back(
        async(at_node(n),
              call([](const parameters& of) { return (new part(of, this_machine().worker_count()))->address(); }, of)));
  std::vector<std::uint64_t> all;
  for (const auto& one : made) all.push_back(one.get());
  finish([&] {
    for (std::uint32_t n = 0; n < all.size(); ++n)
      async(at_node(n),
            call([](std::uint64_t here, const std::vector<std::uint64_t>& all) { part::at(here).join(all); }, all[n],
                 all));
  });

  finish([&] {
    for (std::uint32_t n = 0; n < all.size(); ++n)
      async(at_node(n), call(
                            [](std::uint64_t here, bool begins, const parameters& of) {
                              if (begins) part::at(here).search({tree(of).root()});
                              else part::at(here).request_work();
                            },
                            all[n], n == this_node(), of));
  });

  nodes_census found;
  for (std::uint32_t n = 0; n < all.size(); ++n) {
    auto [counted, given] = async(at_node(n), call(
                                                  [](std::uint64_t here) {
                                                    const std::unique_ptr<part> ended(&part::at(here));
                                                    return std::pair(ended->counted(), ended->given());
                                                  },
                                                  all[n]))
                                .get();
    found.by_worker.push_back(std::move(counted));
    found.given.push_back(given);
  }
  return found;
}

census sum(const std::vector<census>& parts) {
  census all;
  for (const census& part : parts) all += part;
  return all;
}

}  // namespace uts
