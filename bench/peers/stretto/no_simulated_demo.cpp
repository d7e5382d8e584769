// no_simulated_demo.cpp - in the place of simulated_demo.cpp where there are no simulated devices, or the command is
// not built.
#include "peers/stretto/benchmarks.hpp"

bench::outcome speed_up_of_demo(const bench::options&) {
  throw bench::unsupported("it needs src/device/sim and the command, STRETTO_TOOLS");
}
