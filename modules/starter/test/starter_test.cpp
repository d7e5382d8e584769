// Operations with every number of workers, stepped and not; prints what failed and exits with 1.
#include <starter/starter_module.hpp>
#include <stretto/stretto.hpp>

#include <cstdio>
#include <vector>

using namespace stretto;

namespace {

int failures = 0;
void check(bool is_right, const char* what) {
  if (!is_right) std::printf("FAILED: %s\n", what), ++failures;
}

void many_operations(std::uint32_t workers, bool stepped) {
  const auto calls = std::make_shared<starter::starter_module>();
  runtime rt({.workers = workers, .stepped = stepped, .modules = {calls}});
  rt.run([&] {
    std::vector<future<int>> values;
    for (int i = 0; i < 100; ++i) values.push_back(calls->twice(i));
    for (int i = 0; i < 100; ++i) check(values[i].get() == 2 * i, "each operation gives its own value");
    auto next = async(after(values[0]), [&] { return calls->twice(values[0].get() + 21).get(); });
    check(next.get() == 42, "an operation composes with tasks");
  });
  const auto counts = rt.statistics().modules;
  check(!counts.empty() && counts[0].module == "starter" && counts[0].count == 101, "operations are counted");
}

void two_runtimes() {
  for (int i = 0; i < 2; ++i) many_operations(1, false);
  runtime with({.workers = 1, .modules = {std::make_shared<starter::starter_module>()}});
  runtime without({.workers = 1});
  without.run([] {
    try {
      this_runtimes<starter::starter_module>();
      check(false, "a runtime without the module has none");
    } catch (const error& e) {
      check(e.code() == "M09", "and says so");
    }
  });
}

}  // namespace

int main() {
  for (const std::uint32_t workers : {1u, 2u, 4u})
    for (const bool stepped : {false, true}) many_operations(workers, stepped);
  two_runtimes();
  return failures ? 1 : 0;
}
