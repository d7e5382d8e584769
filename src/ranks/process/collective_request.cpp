#include "ranks/process/collective_request.hpp"

#include <stretto/task.hpp>
#include <string>
#include <utility>

#include "ranks/messages/wait_targets.hpp"
#include "ranks/process/node_meeting.hpp"

namespace stretto::ranks {
namespace {

void destroy(completion& one) noexcept { delete &static_cast<collective_request&>(one); }
void start(request& one) { static_cast<collective_request&>(one).begin(); }
std::string describe(const completion& one) { return static_cast<const collective_request&>(one).text(); }
void add_targets_of_messages(const request& one, wait_targets& to) {
  static_cast<const collective_request&>(one).add_messages(to);
}
const request_kind kind_of_collectives{{destroy, describe}, start, nullptr, nullptr, add_targets_of_messages};

}  // namespace

collective_scope::collective_scope(communicator& comm)
    : context(collective_context(comm.members().number)),
      local(comm.members().local),
      remote(comm.members().remote),
      own(comm.rank()),
      nodes(comm.shared_members(), &comm.members().nodes),
      numbers(comm.numbers()) {}

collective_scope collective_scope::local_part(communicator& comm) {
  collective_scope scope(comm);
  if (!comm.is_intercommunicator()) return scope;
  scope.context = collective_context(comm.members().local_number);
  scope.remote.reset();
  return scope;
}

collective_scope::collective_scope(const group& members, std::optional<group> other, rank& self)
    : context(collective_context(creation_number)),
      local(members),
      remote(std::move(other)),
      own(members.rank_of(self.number()).value_or(0)),
      by_world_rank(true),
      nodes(std::make_shared<const std::vector<int>>(self.node().members()->nodes_of(members))) {}

collective_request::collective_request(rank& of, collective_scope scope, int tag)
    : request(kind_of_collectives), rank_(of), scope_(std::move(scope)), tag_(tag), run_(*this) {}

collective_group collective_request::local_group() const {
  collective_group local;
  local.rank = scope_.own;
  local.size = scope_.local.size();
  local.concurrency = rank_.node().workers();
  local.nodes = *scope_.nodes;
  return local;
}

collective_group collective_request::group() const {
  collective_group both = local_group();
  if (scope_.remote) both.remote_size = scope_.remote->size();
  return both;
}

std::string collective_request::text() const {
  return "collective of rank " + std::to_string(scope_.own) + " of " + std::to_string(scope_.local.size());
}

void collective_request::add_messages(wait_targets& to) const {
  for (const request_part<collective_request>& one : messages_)
    if (one.operation) add_targets(*one.operation, to);
}

void collective_request::begin() {
  messages_.clear();
  messages_.resize(steps_.transfers());
  activate();
  if (run_.start(steps_, tag_)) finish();
}

world_rank collective_request::member(const peer_rank& which) const {
  return which.side == group_side::remote ? (*scope_.remote)[which.rank] : scope_.local[which.rank];
}

envelope collective_request::envelope_of(int source, const schedule_transfer& transfer) const {
  return {scope_.context, source, transfer.tag};
}

void collective_request::post_send(const schedule_transfer& transfer) {
  const peer& to = rank_.node().reach(member(transfer.peer));
  const envelope message = envelope_of(scope_.by_world_rank ? static_cast<int>(rank_.number()) : scope_.own, transfer);
  const data_part& data = transfer.data;
  if (to.local && to.local->deliver_now(message, data, send_mode::standard))
    return end_transfer(transfer.number, error_class::success);
  messages_[transfer.number].await(*this, start_send({to, message, data}));
}

void collective_request::post_receive(const schedule_transfer& transfer) {
  const int source = scope_.by_world_rank ? static_cast<int>(member(transfer.peer)) : transfer.peer.rank;
  messages_[transfer.number].await(*this,
                                   start_receive({rank_.messages(), envelope_of(source, transfer), transfer.data}));
}

void collective_request::end_part(request_part<collective_request>& message) noexcept {
  end_transfer(static_cast<transfer_number>(&message - messages_.data()), message.operation->status.error);
}

void collective_request::end_transfer(transfer_number number, error_class error) {
  if (run_.complete(number, error)) go_on();
}

void collective_request::go_on() {
  if (!steps_.calls_program()) {
    if (run_.advance()) finish();
    return;
  }
  if (rank_.calls_from_any_thread()) {
    const acting_thread in_its_name(rank_);
    if (run_.advance()) finish();
    return;
  }
  // The rank does not run meanwhile: it is bound to the same worker.
  async(on(worker(rank_.worker())), name("reduction"), [this] { advance_in_rank(); });
}

void collective_request::advance_in_rank() {
  bool has_ended = false;
  {
    const acting_rank in_its_name(rank_);
    has_ended = run_.advance();
  }
  if (has_ended) finish();
}

void collective_request::finish() {
  status.error = run_.error();
  end();
}

collective_owner make_collective(communicator& comm) {
  return collective_owner(new collective_request(*rank::current(), collective_scope(comm), comm.tags().next()));
}

collective_owner make_local_collective(communicator& comm) {
  const int tag = (comm.is_intercommunicator() ? comm.local_tags() : comm.tags()).next();
  return collective_owner(new collective_request(*rank::current(), collective_scope::local_part(comm), tag));
}

void perform(collective_owner collective, const std::source_location& where) {
  collective->begin();
  wait_for(*collective, where);
  collective->deactivate();
  throw_error_of(collective->status);
}

void perform(communicator& comm, const collective_call& call, const std::source_location& where) {
  if (!comm.meeting()) comm.set_meeting(rank::current()->node().meeting_of(comm.shared_members()));
  if (node_meeting* const meeting = comm.meeting()->get()) return meeting->perform(comm.rank(), call, where);
  collective_owner one = make_collective(comm);
  build(one->steps(), one->group(), call);
  perform(std::move(one), where);
}

}  // namespace stretto::ranks
