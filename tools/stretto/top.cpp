// top.cpp - stretto top: what a running program's runtimes do, as a page that renews itself, or once.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stretto/error.hpp>
#include <thread>

#include "base/local_socket.hpp"
#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"
#include "top/view.hpp"

namespace stretto::tools {
namespace {

const char* const how_to_start =
    "stretto top PID inspects a running program; programs started with STRETTO_LIVE=1 are listed without a PID";

/// Whether the process has a handler for SIGURG, according to /proc; without one no runtime would reply.
bool handles_urgent(const std::string& process) {
  std::ifstream in("/proc/" + process + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("SigCgt:")) return std::strtoull(line.c_str() + 7, nullptr, 16) >> (SIGURG - 1) & 1;
  return false;
}

/// A process without a socket opens it when it is asked to; see src/api/live_runtimes.hpp.
std::optional<std::string> ask(const std::string& name) {
  const auto folder = base::local_socket_folder();
  if (auto answer = base::query_local_socket(folder, name)) return answer;
  const bool is_number = !name.empty() && name.size() < 10 && name.find_first_not_of("0123456789") == name.npos;
  if (!is_number || !handles_urgent(name) || kill(std::atoi(name.c_str()), SIGURG) != 0) return std::nullopt;
  for (int tries = 0; tries < 150; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (auto answer = base::query_local_socket(folder, name)) return answer;
  }
  return std::nullopt;
}

std::string answer_of(const std::string& name) {
  if (auto answer = ask(name)) return *std::move(answer);
  throw error("W40", fmt::format("process {} cannot be inspected", name))
      .because("no process of yours with that number has a runtime that answers")
      .remedy(how_to_start);
}

int list(bool json) {
  const auto folder = base::local_socket_folder();
  auto rows = nlohmann::ordered_json::array();
  std::size_t found = 0;
  for (const auto& name : base::local_sockets_in(folder)) {
    const auto answer = base::query_local_socket(folder, name);
    if (!answer) continue;  // it has just ended, or is stopped
    ++found;
    if (json) rows.push_back({{"name", name}, {"sample", nlohmann::ordered_json::parse(*answer)}});
    else fmt::print("{}", top::line_about(name, top::read_sample(*answer)));
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  else if (!found) fmt::print("no process of yours can be inspected: {}\n", how_to_start);
  return 0;
}

/// Until the process ends, or Ctrl-C ends this one.
int watch(const std::string& name, double interval) {
  const bool on_terminal = isatty(fileno(stdout));
  std::optional<top::sample> before;
  for (std::string answer = answer_of(name);;) {
    const auto now = top::read_sample(answer);
    if (on_terminal) std::fputs("\x1b[H\x1b[2J", stdout);
    print_text("{}", top::view(now, before ? &*before : nullptr));
    std::fflush(stdout);
    before = now;
    std::this_thread::sleep_for(std::chrono::duration<double>(interval));
    auto next = base::query_local_socket(base::local_socket_folder(), name);
    if (!next) break;
    answer = *std::move(next);
  }
  fmt::print("process {} shows no runtime any more\n", name);
  return 0;
}

}  // namespace

int run_top(const invocation& call) {
  arguments words(call);
  std::string name;
  bool once = false, json = false;
  double interval = 1;
  words.add_option("PID", name, "the process; without it, those that can be looked at are listed");
  words.add_flag("--once", once, "print one page, and end");
  words.add_option("--interval", interval, "seconds between two pages")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.05, 3600.0));
  words.add_json(json);
  if (!words.read()) return 0;

  if (name.empty()) return list(json);
  if (json) fmt::print("{}", answer_of(name));
  else if (once) fmt::print("{}", top::view(top::read_sample(answer_of(name)), nullptr));
  else return watch(name, interval);
  return 0;
}

}  // namespace stretto::tools
