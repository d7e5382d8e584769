#include "mobile/mobile_objects.hpp"

#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

#include "trace/clock.hpp"

namespace stretto::mobiles {

mobile_objects::mobile_objects(dist::job* j)
    : job_(j),
      homes_(j),
      parts_(j ? std::make_unique<dist::out_of_band_parts>(*j) : nullptr),
      quiescence_(j, [this] { return counters_.totals(directory_); }),
      balancing_(j) {
  if (!j) return;
  register_alternatives(static_cast<small_message*>(nullptr));
  register_structs<object_message, broadcast_message, value_reply, value_and_end_reply, end_reply, batched_replies,
                   aggregated_replies>();
  job_->on<&mobile_objects::receive_object>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_message>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_object>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_reply<value_reply>>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_reply<value_and_end_reply>>(this);
  j->add_advancing(*this);
}

void mobile_objects::start(std::uint16_t node, const object_settings& s) noexcept {
  homes_.start(node);
  random_.start(s.seed, s.random_migration_percent, homes_.self());
  outgoing_replies_.start(s.is_stepped);
  if (!job_ || s.balance_policy == policy::none || !s.balance_period_ms || !s.begin_balancing) return;
  measure();
  balancing_.start(s.begin_balancing, s.balance_policy, s.balance_period_ms, s.seed);
}

void mobile_objects::advance(base::thread_context& context) {
  departure_.take_back_rejected();
  quiescence_.advance();
  balancing_.advance(context);
}

void mobile_objects::lost(rank node, base::thread_context& context) noexcept {
  deferred_actions actions;
  recovery_.on_node_failed(node, actions);
  // Messages forwarded to the failed node may come from senders that have not lost it.
  for (const rank sender : router_.forwarded().senders_to(node))
    if (!homes_.is_lost(sender)) actions.send.push_back({sender, resend_request{{}, sender}});
  run(actions);
  checkpoints_.on_node_failed(node);
  quiescence_.on_node_failed(node);
  outgoing_replies_.on_node_failed(node);
  replies_.on_node_failed(node, context);
  router_.resend_after_loss_of(node);
}

void mobile_objects::check(object_id to, const std::source_location& where, const char* called) const {
  const bool is_empty = to == object_id{};
  if (!is_empty && homes_.home_of(to) != no_rank) return;
  throw error("G01", std::string(called) +
                         (is_empty ? " was given a mobile that is empty" : " was given an object of another job"))
      .fact("called", where)
      .because(is_empty ? "it was default-constructed, or the construction of its object failed"
                        : "it was created by a runtime that is not a node of this job")
      .remedy("keep the mobile that make_mobile returned");
}

void mobile_objects::run_all(deferred_actions& actions) {
  if (!actions.begin.is_empty()) {
    sched::thread_state& t = current_thread();
    while (message* const msg = actions.begin.pop()) handlers_.begin(*msg, t);
  }
  for (auto& p : actions.forward) {
    p.what->memory.end();  // it was received and has not begun
    p.what->reply_share.end();
    router_.forward(p.to, std::move(p.what), p.routing);
  }
  for (const auto& n : actions.send) std::visit([&](const auto& m) { send_small(n.to, m); }, n.what);
  for (auto& msg : actions.complete)
    outgoing_replies_.complete_unhandled(*msg.what, std::move(msg.cause), msg.is_permanent);
  for (auto& msg : actions.discard) msg->reply_share.end();
  for (auto& msg : actions.deliver) router_.deliver(std::move(msg));
  if (actions.pack) departure_.pack(*actions.pack);
}

namespace {

template <class M, class Part>
concept handled_by = requires(Part& part, const M& m) { part.on(rank{}, m); };

}  // namespace

template <class M>
void mobile_objects::handle(rank from, const M& m) {
  const auto try_part = [&](auto& part) {
    if constexpr (handled_by<M, std::remove_reference_t<decltype(part)>>) part.on(from, m);
    return handled_by<M, std::remove_reference_t<decltype(part)>>;
  };
  static_assert(handled_by<M, message_router> + handled_by<M, object_replies> + handled_by<M, broadcast_protocol> +
                    handled_by<M, object_removal> + handled_by<M, migration_grants> +
                    handled_by<M, migration_departure> + handled_by<M, failure_recovery> ==
                1);
  (try_part(router_), try_part(replies_), try_part(broadcasts_), try_part(removal_), try_part(grants_),
   try_part(departure_), try_part(recovery_));
}

void mobile_objects::receive_object(rank from, const object_migration& m, base::thread_context&) {
  if (is_malformed(m, homes_)) return job_->refuse_malformed(object_migration::message, from);
  arrival_.on_object(from, m);
}

void mobile_objects::on_unreceivable_message(rank from, const object_message& prefix, failure_ref cause,
                                             base::thread_context&) {
  if (is_malformed(prefix, homes_)) return job_->refuse_malformed(object_message::message, from);
  router_.reject(from_header(prefix.header, prefix.name.text, job_->node_of(from)), *cause.get());
  counters_.protocol_message_received();
}

void mobile_objects::on_unreceivable_object(rank from, const object_migration& prefix, failure_ref cause,
                                            base::thread_context&) {
  if (is_malformed(prefix.header, homes_)) return job_->refuse_malformed(object_migration::message, from);
  arrival_.on_unreceivable(from, prefix, std::move(cause));
}

template <class Reply>
void mobile_objects::on_unreceivable_reply(rank from, const Reply& prefix, failure_ref cause, base::thread_context&) {
  if (is_malformed(prefix, homes_)) return job_->refuse_malformed(Reply::message, from);
  constexpr bool is_end = std::is_same_v<Reply, value_and_end_reply>;
  replies_.on_unreceivable(is_end ? reply_stage::value_and_end : reply_stage::value, from, prefix.header,
                           std::move(cause));
  counters_.protocol_message_received();
}

namespace {

/// The report of the calling node, without its objects.
load_report row_of(const base::thread_context& context) {
  const auto* const machine = context.runtime->get<platform>(base::floor_slot::platform);
  return {.speed = static_cast<double>(static_cast<const sched::thread_state&>(context).owner->workers.size()),
          .devices = static_cast<double>(machine->places(place_kind::gpu).size()),
          .objects = {}};
}

}  // namespace

void mobile_objects::measure() { load_.begin(directory_, trace::clock::now(), trace::clock::to_nanoseconds(1) * 1e-9); }

load_report mobile_objects::load_report_of(object_id first, std::uint64_t count) {
  return load_measurement::report(directory_, row_of(current_thread()), first, count);
}

load_report mobile_objects::windowed_load_report(load_measurement::window_step what) {
  return load_.windowed_report(directory_, row_of(current_thread()), what, trace::clock::now());
}

mobile_statistics mobile_objects::statistics() {
  mobile_statistics all = directory_.statistics();
  all.to_many = counters_.broadcast_messages_sent();
  return all;
}

bool mobile_objects::is_handler(sched::task_record& r) {
  const handler_execution::location is = handlers_.read_location(r.storage());
  bool is_found = false;
  if (is.local || is.remote)
    directory_.for_each_local([&](const local_object& o) { is_found |= &o == is.local || &o == is.remote; });
  return is_found;
}

}  // namespace stretto::mobiles
