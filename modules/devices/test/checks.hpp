// checks.hpp - what both tests share: counted checks, errors by their code, and bodies that both drivers take.
#pragma once

#include <stretto/stretto.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace stretto {

inline int failures = 0;
inline void check(bool is_right, const std::string& what) {
  if (!is_right) std::printf("FAILED: %s\n", what.c_str()), ++failures;
}

/// The codes of the errors from what `call` throws down to its first cause, as "M04 M03"; "none" if nothing is thrown.
template <class Call>
std::string codes_of(Call&& call) {
  std::string all;
  std::exception_ptr next;
  try {
    call();
    return "none";
  } catch (...) {
    next = std::current_exception();
  }
  while (next) try {
      std::rethrow_exception(std::exchange(next, nullptr));
    } catch (const poisoned& p) {
      next = p.root();
    } catch (const error& e) {
      all += (all.empty() ? "" : " ") + e.code();
      next = e.cause();
    } catch (const std::exception& e) {
      all += (all.empty() ? "" : " ") + std::string(e.what());
    }
  return all;
}

inline module_statistics counted(const runtime& rt, const std::string& what, const std::string& place = {}) {
  for (const module_statistics& s : rt.statistics().modules)
    if (s.what == what && s.place == place) return s;
  return {};
}

/// A module that claims the places of devices.
class claiming_module final : public module {
 public:
  std::string_view name() const noexcept override { return "claiming"; }
  void initialise(module_host& host) override { host.claim(place_kind::gpu); }
};

/// Lent calls, copies and errors on a simulated device, where bodies compute by themselves.
template <class Module>
void run_on_simulated_device(runtime& rt, Module& its) {
  rt.run([&] {
    const place gpu = its.devices().front().processor, memory = its.devices().front().memory;
    auto x = instance<int>::create(at(memory), box(0, 100)).made;
    const event filled = fill(x, 20);
    const event doubled = its.enqueue(
        after(filled), at(gpu), name("doubled"),
        [](typename Module::queue q, const native_array<int>& a) {
          check(static_cast<typename Module::native_queue>(q) == nullptr, "a simulated device has no queue");
          for (std::int64_t i = 0; i < a.length(0); ++i) a.data[i] *= 2;
        },
        x);
    const future<int> read = its.enqueue(
        after(doubled), at(memory), [](typename Module::queue, const native_array<int>& a) { return a.data[7] + 1; },
        only_read(x));
    check(read.get() == 41, "lent calls on a simulated device run in order and return values");

    int bytes[4] = {1, 2, 3, 4}, back[4] = {};
    std::vector<int> stands_for_device_memory(4);
    const native_memory there{.data = stands_for_device_memory.data()};
    const event in = its.async_copy(memory, there, place{}, {.data = bytes}, sizeof bytes);
    wait(its.async_copy(place{}, {.data = back}, memory, there, sizeof back, after(in)));
    check(back[3] == 4, "copies reach memory of a simulated device");
    wait(x.destroy());
  });
}

}  // namespace stretto
