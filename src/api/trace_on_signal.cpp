#include "api/trace_on_signal.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace stretto {

std::filesystem::path signal_trace_name(const std::filesystem::path& final_trace, pid_t process, std::uint16_t node,
                                        unsigned count) {
  return final_trace.parent_path() / fmt::format("stretto-{}-{}-{}.json", process, node, count);
}

trace_on_signal::trace_on_signal(std::uint16_t node, std::filesystem::path final_trace,
                                 std::function<void(const std::filesystem::path&)> save)
    : node_(node), final_trace_(std::move(final_trace)), save_(std::move(save)), watch_(SIGUSR2, [this] { write(); }) {}

void trace_on_signal::write() {
  if (!save_) {
    std::fputs("stretto: SIGUSR2 asked for a trace, and STRETTO_TRACE_LEVEL=off: nothing is recorded\n", stderr);
    return;
  }
  std::filesystem::path file;
  std::error_code fault;
  do file = signal_trace_name(final_trace_, getpid(), node_, ++count_);
  while (std::filesystem::exists(file, fault));
  save_(file);
  std::fprintf(stderr, "stretto: SIGUSR2 asked for a trace: %s\n", file.c_str());
}

}  // namespace stretto
