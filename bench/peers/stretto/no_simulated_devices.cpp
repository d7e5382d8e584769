// no_simulated_devices.cpp - in the place of simulated_devices.cpp where the backend of simulated devices was taken
// away.
#include "peers/stretto/benchmarks.hpp"

bench::outcome speed_up_of_series(const bench::options&) {
  throw bench::unsupported("there is no src/device/sim here");
}
bench::outcome speed_up_of_series_on_one_bus(const bench::options& o) { return speed_up_of_series(o); }
bench::outcome speed_up_of_wave(const bench::options& o) { return speed_up_of_series(o); }
bench::outcome speed_up_of_wave_on_one_bus(const bench::options& o) { return speed_up_of_series(o); }
bench::outcome compare_wave_beyond_memory(const bench::options& o) { return speed_up_of_series(o); }
bench::outcome compare_product_beyond_memory(const bench::options& o) { return speed_up_of_series(o); }
