// stretto.cpp - Stretto: the table of its benchmarks.
//
// Threads     a runtime of exactly `workers`, of which the calling thread is worker 0.

#include <stretto/runtime.hpp>

#include <cstdio>

#include "peers/stretto/benchmarks.hpp"

int main(int argc, char** argv) {
  using bench::better;
  using bench::repeat;
  const bench::program system{
      .system = "stretto",
      .entries = {{"fib", "ns/task", better::lower, 30, time_fib},
                  {"empty", "ns/task", better::lower, 1000000, time_empty},
                  {"chain", "ns/hop", better::lower, 100000, time_chain},
                  {"spawn_wait", "ns/task", better::lower, 200000, time_spawn_wait},
                  {"handoff", "ns/handoff", better::lower, 100000, time_handoff},
                  {"pending_bytes", "bytes/task", better::lower, 200000, measure_pending_bytes, repeat::once},
                  {"many_tasks", "MB", better::lower, 10000000, measure_many_tasks, repeat::once},
                  {"uts", "Mnodes/s", better::higher, 0, time_uts},
                  {"uts_tasks", "Mnodes/s", better::higher, 0, time_uts_tasks},
                  {"taskbench", "us/task", better::lower, 0, time_taskbench},
                  {"taskbench_static", "us/task", better::lower, 0, time_taskbench_static},
                  {"taskbench_blocks", "us/task", better::lower, 0, time_taskbench_blocks},
                  {"event_chain", "ns/trigger", better::lower, 1000, time_event_chain},
                  {"event_link", "ns/event", better::lower, 1000, time_event_link},
                  {"event_trigger", "ns/event", better::lower, 1000, time_event_trigger},
                  {"event_merge", "ns/input", better::lower, 1000, time_event_merge},
                  {"event_fan_out", "ns/waiter", better::lower, 1024, time_event_fan_out},
                  {"event_fan", "Mtriggers/s", better::higher, 8, count_event_fan},
                  {"reservation", "Mgrants/s", better::higher, 100000, count_uncontended_grants},
                  {"reservation_chains", "Mgrants/s", better::higher, 1, count_chained_grants},
                  {"barrier", "ns/phase", better::lower, 100000, time_barrier},
                  {"copy", "ns/copy", better::lower, 100000, time_copy},
                  {"copy_chain", "ns/copy", better::lower, 1000, time_copy_chain},
                  {"copy_large", "of memcpy", better::lower, 64 << 20, compare_large_copy},
                  {"instance", "ns/instance", better::lower, 100000, time_instance},
                  {"launch_none", "ns/task", better::lower, 100000, time_launch_of_none},
                  {"launch_readers_1", "ns/task", better::lower, 100000, time_readers_of_one},
                  {"launch_chain_1", "ns/task", better::lower, 100000, time_chain_on_one},
                  {"launch_readers_3", "ns/task", better::lower, 100000, time_readers_of_three},
                  {"launch_chain_3", "ns/task", better::lower, 100000, time_chain_on_three},
                  {"host_stencil", "of by hand", better::higher, 1024, compare_host_stencil, repeat::once},
                  {"host_wave", "of by hand", better::higher, 1024, compare_host_wave, repeat::once},
                  {"host_product", "of by hand", better::higher, 512, compare_host_product, repeat::once},
                  {"host_tiles", "of by hand", better::higher, 512, compare_host_tiles, repeat::once},
                  {"host_sum", "of by hand", better::higher, 512, compare_host_sum, repeat::once},
                  {"device_series_plain", "us/product", better::lower, 64, time_series_plain, repeat::once},
                  {"device_series_records", "us/product", better::lower, 64, time_series_records, repeat::once},
                  {"device_series_pool", "us/product", better::lower, 64, time_series_pool, repeat::once},
                  {"device_series_locked", "us/product", better::lower, 64, time_series_locked, repeat::once},
                  {"device_series_overlap", "us/product", better::lower, 64, time_series_overlap, repeat::once},
                  {"device_series_copies", "us/product", better::lower, 64, time_series_copies, repeat::once},
                  {"device_series_streams", "us/product", better::lower, 64, time_series_streams, repeat::once},
                  {"device_series", "us/product", better::lower, 64, time_series_on_device, repeat::once},
                  {"device_series_into", "us/product", better::lower, 64, time_series_into, repeat::once},
                  {"device_together", "of the better alone", better::higher, 384, compare_together, repeat::once},
                  {"device_series_threads", "us/product", better::lower, 64, time_series_threads, repeat::once},
                  {"device_chain", "us/kernel", better::lower, 2000, time_chain_on_device, repeat::once},
                  {"device_chain_threads", "us/kernel", better::lower, 2000, time_chain_with_threads, repeat::once},
                  {"device_chain_instance", "us/kernel", better::lower, 2000, time_chain_on_instance, repeat::once},
                  {"device_copy", "GB/s", better::higher, 1024, time_copies_to_device, repeat::once},
                  {"sim_series", "of one device", better::higher, 2, speed_up_of_series, repeat::once},
                  {"sim_series_bus", "of one device", better::higher, 2, speed_up_of_series_on_one_bus, repeat::once},
                  {"sim_wave", "of one device", better::higher, 2, speed_up_of_wave, repeat::once},
                  {"sim_wave_bus", "of one device", better::higher, 2, speed_up_of_wave_on_one_bus, repeat::once},
                  {"beyond_memory_wave", "of the floor", better::lower, 6, compare_wave_beyond_memory, repeat::once},
                  {"beyond_memory_product", "of the floor", better::lower, 6, compare_product_beyond_memory, repeat::once},
                  {"histogram_dense_original", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_original", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"histogram_dense_fold", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_fold", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"histogram_dense_shared_fold", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_shared_fold", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"histogram_dense_list", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_list", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"histogram_dense_automatic", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_automatic", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"histogram_dense_localize", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_localize", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"histogram_dense_single", "ns/value", better::lower, 8 << 20, time_histogram_dense},
                  {"histogram_sparse_single", "ns/value", better::lower, 1 << 20, time_histogram_sparse},
                  {"density_original", "ns/value", better::lower, 16, time_reduction_density},
                  {"density_fold", "ns/value", better::lower, 16, time_reduction_density},
                  {"density_list", "ns/value", better::lower, 16, time_reduction_density},
                  {"density_automatic", "ns/value", better::lower, 16, time_reduction_density},
                  {"circuit", "events/slot", better::higher, 2000, sample_circuit, repeat::once},
                  {"runtime_startup", "ms", better::lower, 0, time_startup},
                  {"runtime_shutdown", "ms", better::lower, 0, time_shutdown},
                  {"idle", "% of a core", better::lower, 1000, measure_idle_share},
                  {"two_runtimes", "of one", better::lower, 30, measure_two_runtimes},
                  {"recording_span", "ns/span", better::lower, 200000, time_recorded_span},
                  {"recording_share", "% of tasks of 5 us", better::lower, 4000, measure_recorded_share},
                  {"trace_write", "s", better::lower, 1000000, time_trace_write, repeat::once},
                  {"report_seconds", "s", better::lower, 1000000, time_report, repeat::once},
                  {"report_memory", "GB", better::lower, 1000000, measure_report_memory, repeat::once}},
      .with_workers = [](const bench::options& o, const std::function<void()>& body) {
        if (needs_no_runtime(o.bench)) return body();
        stretto::runtime_options options;
        options.workers = static_cast<std::uint32_t>(o.workers);
        stretto::runtime(options).run(body);
      }};
  return bench::run(system, argc, argv);
}
