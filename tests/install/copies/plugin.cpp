// A library or program with its own copy of Stretto. The macros and inline functions have the same names in each, and
// other values.
#include "plugin.hpp"

#include <optional>
#include <stretto/stretto.hpp>
#include <string>

namespace model {

STRETTO_DEVICE_CONSTANT(float, offset, COPY)
STRETTO_DEVICE_STRUCT(pair, {
  float first;
  float second;
})
STRETTO_DEVICE_FUNCTION(float, shifted, (float x), { return x + offset; })
STRETTO_KERNEL(shift, (inout<float> u), { u(global_id(0)) = shifted(u(global_id(0))); })

}  // namespace model

namespace {

using namespace stretto;

std::string failure_of_a_task() {
  try {
    async([] { throw error("X01", "copy " + std::to_string(COPY)); }).get();
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

int computes() {
  buffer<float> b(box(0, 1000), [](coordinate) { return 1.f; });
  launch(model::shift, box(0, 1000), b(one_to_one));
  if (b.read().get().view()(999) != 1.f + COPY) return 0;
  auto last = async([] { return COPY; });
  for (int i = 0; i < 1000; ++i)
    last = async(after(last), [last] {
      yield();
      return last.get() + 1;
    });
  return last.get() == COPY + 1000 && failure_of_a_task().find("copy " + std::to_string(COPY)) != std::string::npos;
}

std::optional<runtime> own, forgotten;

}  // namespace

int run_to_the_end() {
  runtime rt({.workers = 2});
  return rt.run(computes);
}

void begin() { own.emplace(runtime_options{.workers = 2}); }
int go_on() { return own->run(computes); }
void end() { own.reset(); }

int knows(int (*is_known)()) {
  return own->run([is_known] { return is_known(); });
}

int is_known_here() {
  try {
    async([] {}).get();
    return 1;
  } catch (const error& e) {
    return e.code() == "B20" ? 0 : 2;
  }
}

int inside_a_task(int (*work)()) {
  runtime rt({.workers = 2});
  return rt.run([work] { return async([work] { return work(); }).get(); });
}

void fail() { throw error("X02", "thrown by a copy"); }

int caught(void (*thrower)()) {
  try {
    thrower();
  } catch (const error& e) {
    return e.code() == "X02";
  }
  return 0;
}

void keep_until_unloading() {
  forgotten.emplace(runtime_options{.workers = 2});
  forgotten->run([] { async([] {}); });
}
