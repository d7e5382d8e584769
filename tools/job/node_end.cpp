#include "job/node_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

namespace stretto::job {
namespace {

constexpr std::string_view mark =
    "\x1e"
    "stretto-node ";
constexpr std::size_t longest_kept_line = 512;

std::optional<node_end> read_line(const std::string& line) {
  std::istringstream in(line.substr(mark.size()));
  node_end e;
  int how = 0;
  if (!(in >> e.node >> e.process >> how >> e.number >> e.at_ns >> e.is_of_ranks >> e.is_reported >> e.is_in_job >>
        e.host) ||
      how < 0 || how > 2)
    return std::nullopt;
  e.how = static_cast<ending>(how);
  return e;
}

}  // namespace

std::string to_text(const node_end& e) {
  switch (e.how) {
    case ending::exit_code:
      return fmt::format("ended with exit code {}{}", e.number, e.number ? "" : " before the job was over");
    case ending::signal: return fmt::format("ended by signal {} ({})", e.number, ::strsignal(e.number));
    case ending::not_started: return fmt::format("could not be started: {}", std::strerror(e.number));
  }
  return {};
}

void order_by_cause(std::vector<node_end>& all) {
  constexpr std::int64_t close_by = 1'000'000'000;
  std::ranges::stable_sort(all, {}, &node_end::at_ns);
  const auto has_aborted = [](const node_end& e) { return e.how == ending::signal && e.number == SIGABRT; };
  if (all.empty() || !has_aborted(all.front())) return;
  const auto first = std::ranges::find_if(all, [&](const node_end& e) {
    return e.how == ending::signal && !has_aborted(e) && e.at_ns - all.front().at_ns < close_by;
  });
  if (first != all.end()) std::rotate(all.begin(), first, first + 1);
}

std::string to_line(const node_end& e) {
  return fmt::format("{}{} {} {} {} {} {:d} {:d} {:d} {}\n", mark, e.node, e.process, static_cast<int>(e.how), e.number,
                     e.at_ns, e.is_of_ranks, e.is_reported, e.is_in_job, e.host.empty() ? "?" : e.host);
}

std::string node_end_reader::read(std::string_view came) {
  std::string shown;
  kept_ += came;
  while (true) {
    const auto begin = kept_.find(mark[0]);
    if (begin == kept_.npos) return shown + std::exchange(kept_, {});
    shown += kept_.substr(0, begin);
    kept_.erase(0, begin);
    const auto compared = std::min(kept_.size(), mark.size());
    const auto end = kept_.find('\n');
    const bool is_ours = std::string_view(kept_).substr(0, compared) == mark.substr(0, compared);
    if (is_ours && end == kept_.npos && kept_.size() < longest_kept_line) return shown;  // the rest is to come
    const auto read = is_ours && end != kept_.npos ? read_line(kept_.substr(0, end)) : std::nullopt;
    if (read) {
      found.push_back(*read);
      kept_.erase(0, end + 1);
    } else {  // a byte that the program wrote
      shown += kept_[0];
      kept_.erase(0, 1);
    }
  }
}

std::string node_end_reader::rest() { return std::exchange(kept_, {}); }

}  // namespace stretto::job
