#include "api/live_runtimes.hpp"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fork_reset.hpp"
#include "base/local_socket.hpp"
#include "base/progress_list.hpp"

namespace stretto {

// The socket belongs to the process, so its runtimes share this.
struct live_list {
  std::mutex change_mutex;  // held while runtimes come and go
  base::local_socket* socket = nullptr;
  std::mutex list_mutex;  // held during a query
  live_runtime* first = nullptr;

  void open() {
    if (!socket) socket = new base::local_socket(base::local_socket_folder(), live_text);
  }
  void open_when_asked() {
    const std::scoped_lock lock(change_mutex);
    if (first) open();
  }
  void add(live_runtime& r, live_runtime::opens when) {
    const std::scoped_lock lock(change_mutex);
    if (when == live_runtime::opens::at_once) open();
    const std::scoped_lock list(list_mutex);
    live_runtime** at = &first;
    while (*at) at = &(*at)->next_;
    *at = &r;
  }
  void remove(live_runtime& r) noexcept {
    const std::scoped_lock lock(change_mutex);
    bool is_empty;
    {
      const std::scoped_lock list(list_mutex);
      live_runtime** at = &first;
      while (*at != &r) at = &(*at)->next_;
      *at = r.next_;
      is_empty = !first;
    }
    if (!is_empty) return;
    delete socket;  // its thread may be reading the list
    socket = nullptr;
  }
  nlohmann::ordered_json snapshot() {
    const std::scoped_lock list(list_mutex);
    auto all = nlohmann::ordered_json::array();
    for (const live_runtime* r = first; r; r = r->next_) {
      auto one = nlohmann::ordered_json::parse(r->statistics_());
      one["node"] = r->node_;
      one["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - r->since_).count();
      all.push_back(std::move(one));
    }
    return all;
  }
};

namespace {

constinit live_list list;

// The socket belongs to the parent; no thread serves it here.
const base::fork_reset live_in_child([]() noexcept { std::construct_at(&list); });

std::string program_name() {
  std::ifstream in("/proc/self/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t whole = 0, resident = 0;
  in >> whole >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

live_runtime::live_runtime(std::uint16_t node, opens when, std::function<std::string()> statistics)
    : node_(node), statistics_(std::move(statistics)), since_(std::chrono::steady_clock::now()) {
  list.add(*this, when);
  if (when == opens::when_asked) query_signal_.emplace(SIGURG, [] { list.open_when_asked(); });
}

live_runtime::~live_runtime() {
  query_signal_.reset();  // first: its callback locks the list, and this waits for the callback
  list.remove(*this);
}

std::string live_text() try {
  using json = nlohmann::ordered_json;
  auto works = json::array();
  for (const auto& p : base::progress_now())
    works.push_back({{"what", p.what}, {"unit", p.unit}, {"done", p.done}, {"total", p.total}});
  const json all{{"process", getpid()},
                 {"program", program_name()},
                 {"resident_bytes", resident_bytes()},
                 {"progress", works},
                 {"runtimes", list.snapshot()}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
} catch (...) {
  return {};  // out of memory: the query gets no reply
}

}  // namespace stretto
