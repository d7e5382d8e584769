// host GLOBAL_PLUGIN LOCAL_PLUGIN: a program with its own copy of Stretto loads two plugins with theirs, and prints
// what is wrong.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "plugin.hpp"

namespace {

int wrong = 0;

void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

/// The functions of one copy.
struct copy {
  void* library = nullptr;  // null: the host's own

  copy() = default;
  copy(const char* file, int mode) : library(dlopen(file, RTLD_NOW | mode)) {
    if (library) return;
    std::puts(dlerror());
    std::exit(2);
  }
  template <class F>
  F* get(F* of_host, const char* name) const {
    return library ? reinterpret_cast<F*>(dlsym(library, name)) : of_host;
  }
};

#define OF(which, name) (which).get(&::name, #name)

void each_runs_alone(const std::vector<copy>& all) {
  for (int round = 0; round < 3; ++round)
    for (const copy& c : all) expect(OF(c, run_to_the_end)() == 1, "one runs alone");
}

void all_run_together(const std::vector<copy>& all) {
  for (const copy& c : all) OF(c, begin)();
  std::vector<std::thread> threads;
  std::vector<int> results(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) threads.emplace_back([&, i] { results[i] = OF(all[i], go_on)(); });
  for (auto& t : threads) t.join();
  for (const int r : results) expect(r == 1, "all run together");
}

void none_sees_the_runtime_of_another(const std::vector<copy>& all) {
  for (const copy& c : all)
    for (const copy& other : all)
      expect(OF(c, knows)(OF(other, is_known_here)) == (&c == &other), "a runtime is known to its own copy alone");
}

void one_ends_and_others_go_on(const std::vector<copy>& all) {
  OF(all[0], end)();
  for (std::size_t i = 1; i < all.size(); ++i) expect(OF(all[i], go_on)() == 1, "one ends, others go on");
  for (std::size_t i = 1; i < all.size(); ++i) OF(all[i], end)();
}

void a_task_may_have_a_runtime_of_another(const std::vector<copy>& all) {
  for (const copy& c : all)
    for (const copy& other : all)
      if (&c != &other) expect(OF(c, inside_a_task)(OF(other, run_to_the_end)) == 1, "one runs in a task of another");
}

void errors_are_known_to_all(const std::vector<copy>& all) {
  for (const copy& c : all)
    for (const copy& other : all) expect(OF(c, caught)(OF(other, fail)) == 1, "an error of one is caught in another");
}

}  // namespace

int main(int, char** v) {
  const std::vector<copy> all{{}, {v[1], RTLD_GLOBAL}, {v[2], RTLD_LOCAL}};
  each_runs_alone(all);
  all_run_together(all);
  none_sees_the_runtime_of_another(all);
  one_ends_and_others_go_on(all);
  a_task_may_have_a_runtime_of_another(all);
  errors_are_known_to_all(all);
  OF(all[2], keep_until_unloading)();
  dlclose(all[2].library);
  expect(OF(all[1], run_to_the_end)() == 1, "one runs after another has been unloaded");
  OF(all[1], keep_until_unloading)();  // until the process ends
  keep_until_unloading();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
