#include "report/rank_wait_kinds.hpp"

#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stretto::report {
namespace {

enum class call_class { messages, collective, other };

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

call_class class_of(std::string_view call) {
  call = call.substr(0, call.find('('));
  if (!call.starts_with("MPI_")) return call_class::other;
  for (const auto part : {"Win_", "File_", "Put", "Get", "ccumulate", "Fetch", "Compare", "Wtime"})
    if (has(call, part)) return call_class::other;
  for (const auto part : {"end", "ecv", "robe", "Wait", "Test", "Start", "Cancel"})
    if (has(call, part)) return call_class::messages;
  return call_class::collective;
}

class classification {
 public:
  explicit classification(run& r) : r_(r), class_of_label_(r.labels.size()) {
    for (std::size_t i = 0; i < r.labels.size(); ++i) class_of_label_[i] = class_of(r.labels[i].name);
    for (const delivery& one : r.deliveries) {
      received_.insert({one.lane, one.sent});
      receives_.insert(one.received);
    }
    for (const record& one : r.records)
      if (one.id != 0 && is_work(one.kind)) lane_of_.insert_or_assign(one.id, one.lane);
  }

  void perform() {
    for (record& one : r_.records) {
      if (one.kind != kind::wait || !is_rank_track(r_.tracks[r_.lanes[one.lane].track])) continue;
      one.kind = kind_of(one);
      one.label = label_with(one.label, one.kind);
    }
  }

 private:
  kind kind_of(const record& wait) const {
    const call_class call = class_of_label_[wait.label];
    if (call == call_class::other) return kind::wait;
    if (call == call_class::collective) return kind::collective_wait;
    const auto by = lane_of_.find(wait.cause);
    if (by != lane_of_.end() && by->second == wait.lane) return kind::receive_wait;
    if (received_.contains({wait.lane, wait.cause})) return kind::message_wait;
    if (receives_.contains(wait.cause)) return kind::receive_wait;
    const std::string_view name = r_.labels[wait.label].name;
    if (has(name, "ecv") || has(name, "robe")) return kind::message_wait;
    return has(name, "end(") ? kind::receive_wait : kind::wait;
  }

  std::uint32_t label_with(std::uint32_t label, kind k) {
    if (r_.labels[label].kind == k) return label;
    const auto [at, is_new] = changed_.try_emplace({label, k}, static_cast<std::uint32_t>(r_.labels.size()));
    if (is_new) {
      auto made = r_.labels[label];
      made.kind = k;
      r_.labels.push_back(std::move(made));
    }
    return at->second;
  }

  run& r_;
  std::vector<call_class> class_of_label_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> received_;  // lanes with the messages that they have received
  std::set<std::uint64_t> receives_;
  std::unordered_map<std::uint64_t, std::uint32_t> lane_of_;  // of what ran
  std::map<std::pair<std::uint32_t, kind>, std::uint32_t> changed_;
};

}  // namespace

void classify_rank_waits(run& r) {
  for (const lane& one : r.lanes)
    if (is_rank_track(r.tracks[one.track])) return classification(r).perform();
}

}  // namespace stretto::report
