// device_alternating.cpp - chains and copies by us and by raw OpenCL in turns, in one process: ratios that a busy
// machine spoils least.
//
//     device_turns [rounds] [chains|copies]    prints a line each: medians of both, and the median of the ratios of
//                                              neighbours
#include <stretto/copy.hpp>
#include <stretto/finish.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/recorded_launch.hpp>
#include <stretto/runtime.hpp>

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "raw_device.hpp"

using namespace stretto;
using bench::raw_device;

namespace {

STRETTO_KERNEL(nothing, (inout<int> x), {})

constexpr long chain = 1000;  // launches between two waits

double median(std::vector<double> of) {
  std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
  return of[of.size() / 2];
}

double processor_us_of_all() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}
double sleeps_of_all() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  return static_cast<double>(r.ru_nvcsw);
}

/// By turn and item: what passed, what all threads of the process computed, and how often one of them went to sleep.
struct costs {
  std::vector<double> us, processor_us, sleeps;

  void add_turn(long per, const std::function<void()>& f) {
    const double s = sleeps_of_all(), p = processor_us_of_all();
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
    const auto n = static_cast<double>(per);
    us.push_back(passed.count() / n);
    processor_us.push_back((processor_us_of_all() - p) / n);
    sleeps.push_back((sleeps_of_all() - s) / n);
  }
  void print() const {
    std::printf("%9.2f us (%9.2f on processors, %5.2f sleeps)  ", median(us), median(processor_us), median(sleeps));
  }
};

/// `per`: what the times are divided by.
void in_turns(const std::string& what, long rounds, long per, const std::function<void()>& raw,
              const std::function<void()>& ours) {
  for (int i = 0; i < 3; ++i) raw(), ours();
  costs theirs, mine;
  std::vector<double> ratios;
  for (long i = 0; i < rounds; ++i) {
    theirs.add_turn(per, raw), mine.add_turn(per, ours);
    ratios.push_back(mine.us.back() / theirs.us.back());
  }
  std::printf("%-24s raw ", what.c_str());
  theirs.print();
  std::printf("ours ");
  mine.print();
  std::printf("ours / raw %.2f\n", median(ratios));
  std::fflush(stdout);
}

void chains(runtime& rt, long rounds) {
  raw_device d;
  const auto raw = [&] {
    const std::size_t one = 1;
    for (long i = 0; i < chain; ++i) {
      // As careful code does for kernels whose arguments may change.
      d.cl->clSetKernelArg(d.kernel, 0, sizeof d.buffer, &d.buffer);
      d.cl->clEnqueueNDRangeKernel(d.queue, d.kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
    }
    d.cl->clFinish(d.queue);
  };
  auto x = instance<int>::create(at(rt.machine().places(place_kind::gpu_memory).front()), {0, 1}).made;
  wait(fill(x, 0));
  in_turns("chain on an instance", rounds, chain, raw, [&] {
    event last;
    for (long i = 0; i < chain; ++i) last = launch(after(last), nothing, box(0, 1), x);
    wait(last);
  });
  // Recorded: all of them in one replay, and a few in each of many, one after the other.
  for (const long per_replay : {chain, 8l, 1l}) {
    recorded_graph<> g;
    recorded_operation behind = launch(g, nothing, box(0, 1), x);
    for (long i = 1; i < per_replay; ++i) behind = launch(g, after(behind), nothing, box(0, 1), x);
    in_turns("recorded, " + std::to_string(per_replay) + " a replay", rounds, chain, raw, [&] {
      event last;
      for (long i = 0; i < chain / per_replay; ++i) last = g.replay(after(last));
      wait(last);
    });
  }
  x.destroy();
  const int zero = 0;
  object<int> y(box(0, 1), &zero);
  in_turns("chain on an object", rounds, chain, raw, [&] {
    finish([&] {
      for (long i = 0; i < chain; ++i) launch(on(device_kind::device), nothing, box(0, 1), y);
    });
  });
}

void copies(runtime& rt, long rounds) {
  constexpr long blocks = 10;
  for (long kib = 4; kib <= 64 << 10; kib *= 4) {
    const auto bytes = static_cast<std::size_t>(kib) << 10;
    raw_device d(bytes);
    auto h = instance<char>::create(at(rt.machine().memories().front()), {0, kib << 10}).made;
    auto there = instance<char>::create(at(rt.machine().places(place_kind::gpu_memory).front()), {0, kib << 10}).made;
    wait(fill(h, char(1)));
    char* const from = &h.view()(0);
    const long count = kib >= 4096 ? 1 : blocks;
    const std::string size = std::to_string(kib) + " KiB";
    in_turns(
        "to the device, " + size, rounds, count,
        [&] {
          for (long i = 0; i < count; ++i) {
            d.cl->clEnqueueWriteBuffer(d.queue, d.buffer, CL_FALSE, 0, bytes, from, 0, nullptr, nullptr);
            d.cl->clFinish(d.queue);
          }
        },
        [&] {
          for (long i = 0; i < count; ++i) wait(copy(h, there));
        });
    in_turns(
        "to the host, " + size, rounds, count,
        [&] {
          for (long i = 0; i < count; ++i) {
            d.cl->clEnqueueReadBuffer(d.queue, d.buffer, CL_FALSE, 0, bytes, from, 0, nullptr, nullptr);
            d.cl->clFinish(d.queue);
          }
        },
        [&] {
          for (long i = 0; i < count; ++i) wait(copy(there, h));
        });
    h.destroy(), there.destroy();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 31;
  const std::string which = argc > 2 ? argv[2] : "all";
  setenv("STRETTO_DEVICE_MEMORY", "256M", 0);
  setenv("STRETTO_SPEEDS", "none", 0);
  runtime rt({.workers = 1, .devices = "opencl:1"});
  rt.run([&] {
    if (which != "copies") chains(rt, rounds);
    if (which != "chains") copies(rt, rounds);
  });
}
