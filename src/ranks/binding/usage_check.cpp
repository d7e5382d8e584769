#include "ranks/binding/usage_check.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <stretto/error.hpp>

#include "base/code_location.hpp"
#include "base/options.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/datatypes/type_signature.hpp"
#include "ranks/messages/message_observer.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

constexpr std::size_t most_kinds_of_leaks = 12;

/// A call of a rank: where, and its arguments.
struct call_site {
  int rank = 0;
  std::string call;  // "MPI_Send(to rank 1, ...)"
  const void* return_address = nullptr;

  std::string place() const { return call + " at " + base::location_of_call(return_address); }
  std::string text() const { return "rank " + std::to_string(rank) + ", " + place(); }
};

call_site site_of(const call_record& call, rank_state& of) {
  return {of.world.rank(), text_of(call, of), return_address_of(call)};
}

/// The data of a message as one side describes it.
struct message_side {
  call_site site;
  std::int64_t count = 0;
  datatype_ref type;  // null: unknown
};

enum class side { sender, receiver };

/// The arguments of the calling function that concern one side; null if it has none.
const message_arguments* arguments_of(const call_record& call, side which) {
  const call_details& d = call.details;
  if (d.describe == describe_exchange) {
    const auto* const both = static_cast<const exchange_arguments*>(d.arguments);
    return which == side::sender ? &both->sent : &both->received;
  }
  const bool is_known = d.describe == (which == side::sender ? describe_send : describe_receive);
  return is_known ? static_cast<const message_arguments*>(d.arguments) : nullptr;
}

message_side calling_side(side which) {
  message_side made;
  if (!innermost_call || !rank::current()) return made;
  const message_arguments* const a = arguments_of(*innermost_call, which);
  if (!a || a->type == MPI_PACKED) return made;
  made.site = site_of(*innermost_call, current_rank());
  made.count = a->count;
  made.type = datatype_ref(&object_of(a->type));
  return made;
}

void compare_sides(const message_side& sent, const message_side& received) {
  if (!sent.type || !received.type) return;
  const auto found = compare_signatures(*sent.type, sent.count, *received.type, received.count);
  if (!found) return;
  error e = found->received ? error("R11", "a message has other types than its receive")
                            : error("R12", "a message is longer than its receive");
  e.fact("sent", sent.site.text()).fact("received", received.site.text());
  if (found->received) {
    report_usage(
        std::move(e.because("element " + std::to_string(found->index) + " is sent as " +
                            std::string(found->sent->name) + " and received as " + std::string(found->received->name))
                      .remedy("use the same sequence of basic types on both sides")));
  } else {
    report_usage(std::move(e.because("the receive has place for " + std::to_string(found->index) + " elements")
                               .remedy("receive at least as many elements as are sent; MPI_Probe returns how many")));
  }
}

/// Collects what waits in queues.
class matched_messages final : public message_observer {
 public:
  void waits(const queue_entry& entry) override {
    if (is_of_collective(entry)) return;
    message_side made = calling_side(entry.kind == entry_kind::receive ? side::receiver : side::sender);
    const std::scoped_lock lock(mutex_);
    waiting_.insert_or_assign(&entry, std::move(made));
  }
  void matched(const queue_entry& waited) override {
    if (is_of_collective(waited)) return;
    const message_side first = taken(waited);
    if (!first.type) return;
    if (waited.kind == entry_kind::receive) compare_sides(calling_side(side::sender), first);
    else compare_sides(first, calling_side(side::receiver));
  }
  void forgotten(const queue_entry& entry) override { taken(entry); }

 private:
  static bool is_of_collective(const queue_entry& e) { return static_cast<std::uint32_t>(e.match.context()) % 2 == 1; }

  message_side taken(const queue_entry& entry) {
    const std::scoped_lock lock(mutex_);
    const auto found = waiting_.find(&entry);
    if (found == waiting_.end()) return {};
    message_side side = std::move(found->second);
    waiting_.erase(found);
    return side;
  }

  std::mutex mutex_;
  std::map<const queue_entry*, message_side> waiting_;
};

/// An object that a program has to free, or a request in progress.
struct made_object {
  object_kind kind;
  call_site site;
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

/// The collective of a communicator that some of its ranks have begun.
struct begun_collective {
  std::string name;
  collective_arguments arguments;
  datatype_ref type;
  call_site site;
  int ranks = 0;
};

/// Shared by all ranks of the process.
struct shared_state {
  std::mutex mutex;
  std::map<int, rank_objects> objects;  // by rank
  std::map<std::pair<const communicator_members*, int>, begun_collective> collectives;
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

/// How the arguments of two ranks differ; empty if they do not.
std::string difference(const begun_collective& first, const char* name, const collective_arguments& a,
                       const datatype* type) {
  if (first.name != name) return "the ranks call different collectives";
  if (first.arguments.root != a.root) return "the roots differ";
  if (first.arguments.operation != a.operation && is_predefined(first.arguments.operation) &&
      is_predefined(a.operation))
    return "the operations differ";
  if (!first.type || !type || a.count < 0 || first.arguments.count < 0) return {};
  if (compare_signatures(*first.type, first.arguments.count, *type, a.count) ||
      compare_signatures(*type, a.count, *first.type, first.arguments.count))
    return "the counts or the types differ";
  return {};
}

const datatype* type_of(const collective_arguments& a) {
  return a.count >= 0 && a.type != MPI_DATATYPE_NULL ? &object_of(a.type) : nullptr;
}

}  // namespace

void start() {
  static matched_messages messages;
  static std::once_flag once;
  std::call_once(once, [] {
    const auto variables = base::stretto_environment();
    const auto found = variables.find("STRETTO_CHECK");
    if (found == variables.end() || found->second != "1") return;
    is_on = true;
    message_observer::installed = &messages;
  });
}

void made(const void* object, object_kind kind) {
  if (!innermost_call) return;
  made_object one{kind, site_of(*innermost_call, current_rank())};
  const std::scoped_lock lock(shared().mutex);
  shared().objects[one.site.rank].all.insert_or_assign(object, std::move(one));
}

void freed(const void* object) {
  const std::scoped_lock lock(shared().mutex);
  shared().objects[current_rank().world.rank()].all.erase(object);
}

void made_request(const request& r) {
  if (!innermost_call) return;
  made_object one{object_kind::request, site_of(*innermost_call, current_rank())};
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

void begins(const collective_arguments& a, const communicator& over, int number) {
  if (!innermost_call || over.is_intercommunicator()) return;
  const datatype* const type = type_of(a);
  const call_site site = site_of(*innermost_call, current_rank());
  const std::scoped_lock lock(shared().mutex);
  const auto [place, is_first] = shared().collectives.try_emplace({over.shared_members().get(), number});
  begun_collective& begun = place->second;
  if (is_first) {
    begun = {innermost_call->name, a, type ? datatype_ref(type) : datatype_ref(), site, 0};
  } else if (const std::string how = difference(begun, innermost_call->name, a, type); !how.empty()) {
    report_usage(error("R13", "the ranks of a communicator disagree about a collective")
                     .fact("one", begun.site.text())
                     .fact("other", site.text())
                     .because(how)
                     .remedy("all ranks must call the same collectives in the same order, with equal arguments"));
  }
  if (++begun.ranks == over.size()) shared().collectives.erase(place);
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
