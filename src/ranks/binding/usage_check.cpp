#include "ranks/binding/usage_check.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <stretto/error.hpp>

#include "base/options.hpp"
#include "ranks/binding/checked_messages.hpp"
#include "ranks/binding/described_call.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

constexpr std::size_t most_kinds_of_leaks = 12;

/// An object that a program has to free, or a request in progress.
struct made_object {
  object_kind kind;
  described_call site;
  data_part data = {};     // of requests of messages
  datatype_ref type = {};  // keeps the layout of the data
  bool is_send = false, is_receive = false;
  std::uint64_t hash = 0;  // of what is sent
};

std::uint64_t hash_of(const data_part& data) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(data.bytes()));
  if (!bytes.empty()) copy_part({bytes.data(), data.bytes()}, data);
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const std::byte one : bytes) hash = (hash ^ static_cast<std::uint64_t>(one)) * 0x100'0000'01b3;
  return hash;
}

struct rank_objects {
  std::map<const void*, made_object> all;
};

/// Shared by all ranks of the process.
struct shared_state {
  std::mutex mutex;
  std::map<int, rank_objects> objects;  // by rank
};

shared_state& shared() {
  static auto* const state = new shared_state;  // ranks may outlive static objects
  return *state;
}

bool overlap(const data_part& a, const data_part& b) {
  return a.is_dense() && b.is_dense() && a.bytes() > 0 && b.bytes() > 0 && a.address() < b.address() + b.bytes() &&
         b.address() < a.address() + a.bytes();
}

void report_overlap(const made_object& one, const made_object& other) {
  const made_object& receive = one.is_receive ? one : other;
  const made_object& second = one.is_receive ? other : one;
  report_usage(error("R16", second.is_send ? "a pending receive writes what a pending send reads"
                                           : "two pending receives write the same memory")
                   .fact("receive", receive.site.text())
                   .fact(second.is_send ? "send" : "receive", second.site.text())
                   .because("the order in which messages arrive decides what the memory has afterwards")
                   .remedy("give each pending operation a buffer of its own, or complete the first before the second"));
}

void report_change(const made_object& send) {
  report_usage(error("R15", "the buffer of a pending send was changed")
                   .fact("send", send.site.text())
                   .because("its data differs between the start of the send and its completion")
                   .remedy("change the buffer after MPI_Wait or MPI_Test has completed the send"));
}

const char* name_of(object_kind kind) {
  return kind == object_kind::request ? "requests" : kind == object_kind::datatype ? "datatypes" : "communicators";
}

}  // namespace

void start() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto variables = base::stretto_environment();
    const auto found = variables.find("STRETTO_CHECK");
    if (found == variables.end() || found->second != "1") return;
    is_on = true;
    usage_observer::install(matched_messages());
  });
}

void made(const void* object, object_kind kind) {
  if (!innermost_call) return;
  made_object one{kind, innermost_description()};
  const std::scoped_lock lock(shared().mutex);
  shared().objects[one.site.rank].all.insert_or_assign(object, std::move(one));
}

void freed(const void* object) {
  const std::scoped_lock lock(shared().mutex);
  shared().objects[current_rank().world.rank()].all.erase(object);
}

void made_request(const request& r) {
  if (!innermost_call) return;
  made_object one{object_kind::request, innermost_description()};
  const bool is_message = &r.functions() == &message_kinds::send || &r.functions() == &message_kinds::receive;
  if (is_message && r.is_active() && !r.is_persistent()) {
    one.data = static_cast<const message_request&>(r).data;
    one.type = static_cast<const message_request&>(r).type;
    one.is_send = &r.functions() == &message_kinds::send;
    one.is_receive = !one.is_send;
    if (one.is_send) one.hash = hash_of(one.data);
  }
  const std::scoped_lock lock(shared().mutex);
  auto& all = shared().objects[one.site.rank].all;
  for (const auto& [object, other] : all)
    if ((one.is_receive || other.is_receive) && overlap(one.data, other.data)) report_overlap(one, other);
  all.insert_or_assign(&r, std::move(one));
}

void requests_in_call::compare() const {
  const std::scoped_lock lock(shared().mutex);
  auto& all = shared().objects[current_rank().world.rank()].all;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (handles_[i] == before_[i]) continue;
    const auto found = all.find(reinterpret_cast<const void*>(before_[i]));
    if (found == all.end()) continue;
    if (found->second.is_send && hash_of(found->second.data) != found->second.hash) report_change(found->second);
    all.erase(found);
  }
}

void report_leaks() {
  const std::scoped_lock lock(shared().mutex);
  const int self = current_rank().world.rank();
  std::map<std::pair<const char*, std::string>, int> counts;
  std::size_t sum = 0;
  for (const auto& [object, one] : shared().objects[self].all) {
    if (!one.site.return_address) continue;
    ++counts[{name_of(one.kind), one.site.place()}];
    ++sum;
  }
  shared().objects.erase(self);
  if (counts.empty()) return;
  error e("R14",
          "a rank calls MPI_Finalize and has not freed " + std::to_string(sum) + (sum == 1 ? " object" : " objects"));
  for (const auto& [made_by, count] : counts)
    if (counts.size() <= most_kinds_of_leaks || count > 1)
      e.fact(made_by.first, std::to_string(count) + " of " + made_by.second);
  e.because("each object that a program makes lives until the program frees it")
      .remedy("complete requests with MPI_Wait; free communicators and datatypes with MPI_Comm_free and MPI_Type_free");
  report_usage(std::move(e));
}

}  // namespace stretto::ranks::usage_check
