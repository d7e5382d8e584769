#include "dist/job.hpp"

#include <stretto/error.hpp>

#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {

namespace {
constexpr std::uint32_t most_node = 0x7fff;  // limit of event handles
/// Messages below these sizes are accepted without a check of free memory; the first applies if a limit is set.
constexpr std::uint64_t least_limit = std::uint64_t{64} << 10, large_bytes = std::uint64_t{16} << 20;
}  // namespace

/// A message whose content is being received.
struct job::incoming_message : places::completion {
  /// `head` holds the first of `bytes` bytes.
  incoming_message(entry& e, rank from, std::span<const std::byte> head, std::size_t bytes, bool has_cause)
      : completion(run_it),
        to(e),
        from(from),
        has_cause(has_cause),
        bytes(bytes),
        content(new(std::nothrow) std::byte[bytes]) {
    if (content && !head.empty()) std::memcpy(content.get(), head.data(), head.size());
  }

  static void run_it(places::work_item& item) noexcept {
    auto& l = static_cast<incoming_message&>(item);
    job& j = *l.to.owner_job;
    // Messages of a failed node must not be handled: protocols were notified of the loss.
    if (!l.failure && !j.is_lost(l.from)) {
      j.handled_ = &l;
      j.set_handled_kind(l.to.name.c_str());  // after receive(), other messages may have been handled
      j.handle(l.to, l.from, {l.content.get(), l.bytes}, l.has_cause);
      j.handled_ = nullptr;
    }
    j.incoming_messages_.erase(l.at);
  }

  entry& to;
  rank from;
  bool has_cause;
  std::size_t bytes;
  std::unique_ptr<std::byte[]> content;    // null: out of memory
  std::shared_ptr<std::byte[]> kept = {};  // owns the content instead once a handler keeps a part of it
  std::list<incoming_message>::iterator at;
};

/// Memory that is kept until the transport has sent it.
struct job::retained_payload : places::completion {
  retained_payload(job& j, std::shared_ptr<const void>&& l, back_pressure::share&& m)
      : completion(run_it), of(j), lent(std::move(l)), memory(std::move(m)) {}

  static void run_it(places::work_item& item) noexcept {
    auto& p = static_cast<retained_payload&>(item);
    std::list<retained_payload> gone;  // destroyed after the lock is released: `lent` may be an object of the program
    const std::scoped_lock lock(p.of.retained_payloads_lock_);
    gone.splice(gone.begin(), p.of.retained_payloads_, p.at);
  }

  job& of;
  const std::shared_ptr<const void> lent;
  const back_pressure::share memory;
  std::list<retained_payload>::iterator at;
};

namespace {

/// The span that this thread runs, if spans are recorded; else 0.
std::uint64_t current_span() noexcept {
  const auto* const context = base::current();
  return context ? context->current_id : 0;
}

/// While a handler runs, the current span is the cause at the end of the message, if there is one.
class cause_scope {
 public:
  cause_scope(std::span<const std::byte>& content, bool has_cause, base::thread_context& context) noexcept
      : is_cut(has_cause && content.size() < sizeof context.current_id), context_(context), outer_(context.current_id) {
    if (!has_cause || is_cut) return;
    std::memcpy(&context.current_id, content.last(sizeof context.current_id).data(), sizeof context.current_id);
    content = content.first(content.size() - sizeof context.current_id);
  }
  cause_scope(const cause_scope&) = delete;
  ~cause_scope() { context_.current_id = outer_; }

  const bool is_cut;  // the message is too short for its cause

 private:
  base::thread_context& context_;
  const std::uint64_t outer_;
};

}  // namespace

job::job(std::uint16_t first) : first_(first) { on<&job::on_disconnection>(this); }

job::~job() = default;

job::entry& job::add_entry(void* owner, const message_type& type, bool is_counted) {
  entry& e = entries_.emplace_back(entry{this, owner, &type, is_counted, std::string(type.name)});
  handlers_.add(e.name, &e, on_arrival);
  if (e.is_counted) handlers_.add(e.name + " with its cause", &e, on_arrival_with_cause);
  return e;
}

void job::start(const transport_maker& make) {
  transport_ = make(handlers_);
  self_ = transport_->self();
  nodes_ = transport_->nodes();
  if (first_ + nodes_ - 1 > most_node)
    throw error("N10", "a job has too many nodes")
        .fact("nodes", std::to_string(nodes_))
        .fact("numbers", "from " + std::to_string(first_) + " to " + std::to_string(most_node))
        .because("a node's number has 15 bits in handles");
  for (entry& e : entries_) {
    e.number = handlers_.number(e.name);
    if (e.is_counted) e.number_with_cause = handlers_.number(e.name + " with its cause");
  }
  traffic_ = std::make_unique<traffic[]>(nodes_);
  lost_ = std::make_unique<std::atomic<bool>[]>(nodes_);
  losses_.resize(nodes_);
  transport_->on_unknown_handler(
      [this](rank from, net::handler_number n) { refuse_unknown("number " + std::to_string(n), from); });
  transport_->on_malformed([this](rank from, std::string_view message) { refuse_malformed(message, from); });
  transport_->on_lost(
      [this](rank r) { report_loss(r, "it ended or cannot be reached; its pending work will not happen"); });
}

void job::send(rank to, message_kind kind, const writer& content) {
  if (is_lost(to)) return;
  const entry& e = entries_[static_cast<std::size_t>(kind)];
  if (e.is_counted) traffic_[to].sent.fetch_add(1, std::memory_order_relaxed);
  const auto put = [&](net::handler_number number, std::span<const std::byte> all) {
    const std::size_t ahead = all.size() <= net::transport::most_head_bytes ? all.size()
                              : all.size() < split_bytes                    ? 0
                                                                            : net::transport::most_head_bytes;
    transport_->send({.to = to, .handler = number, .head = all.first(ahead), .payload = all.subspan(ahead)});
  };
  const std::uint64_t cause = e.is_counted ? current_span() : 0;
  if (!cause) [[likely]]
    return put(e.number, content.all());
  writer caused = content;
  caused.put(cause);
  put(e.number_with_cause, caused.all());
}

void job::send_lent(rank to, net::handler_number number, std::span<const std::byte> head,
                    std::span<const std::byte> rest, std::shared_ptr<const void> lent, counting is,
                    followed by_another) {
  back_pressure::share memory;
  if (is == counting::as_message) memory = {pressure_, back_pressure::kind::unanswered, rest.size()};
  retained_payload* p = nullptr;
  {
    const std::scoped_lock lock(retained_payloads_lock_);
    p = &retained_payloads_.emplace_back(*this, std::move(lent), std::move(memory));
    p->at = std::prev(retained_payloads_.end());
  }
  transport_->send({.to = to,
                    .handler = number,
                    .head = head,
                    .payload = rest,
                    .sent = p,
                    .is_followed = by_another == followed::yes});
}

void job::send(rank to, message_kind kind, writer&& content) {
  const entry& e = entries_[static_cast<std::size_t>(kind)];
  if (content.size() < split_bytes || is_lost(to)) return send(to, kind, std::as_const(content));
  const std::uint64_t cause = e.is_counted ? current_span() : 0;
  if (cause) content.put(cause);
  if (e.is_counted) traffic_[to].sent.fetch_add(1, std::memory_order_relaxed);
  auto kept = std::make_shared<const writer>(std::move(content));
  const std::span<const std::byte> all = kept->all();
  constexpr std::size_t ahead = net::transport::most_head_bytes;
  send_lent(to, cause ? e.number_with_cause : e.number, all.first(ahead), all.subspan(ahead), std::move(kept),
            counting::as_message, followed::no);
}

void job::send(rank to, message_kind kind, const writer& head, std::span<const std::byte> rest,
               std::shared_ptr<const void> lent, counting is, followed by_another) {
  const entry& e = entries_[static_cast<std::size_t>(kind)];
  const std::uint64_t cause = e.is_counted ? current_span() : 0;
  const bool is_one = !e.decode_head_and_handle;  // one content, at whose end the cause is written
  if (is_one && (cause || rest.size() < split_bytes)) {
    writer all = head;
    all.put_bytes(rest);
    return send(to, kind, std::move(all));
  }
  if (is_lost(to)) return;
  if (e.is_counted) traffic_[to].sent.fetch_add(1, std::memory_order_relaxed);
  if (!cause) return send_lent(to, e.number, head.all(), rest, std::move(lent), is, by_another);
  writer caused = head;
  caused.put(cause);
  send_lent(to, e.number_with_cause, caused.all(), rest, std::move(lent), is, by_another);
}

void job::send(rank to, message_kind kind, const writer& head, std::span<const std::byte> rest,
               places::completion& sent, bool from_device) {
  if (is_lost(to)) return net::end(sent, net::node_lost(to, "elements of an instance"));
  const entry& e = entries_[static_cast<std::size_t>(kind)];
  traffic_[to].sent.fetch_add(1, std::memory_order_relaxed);
  const auto put = [&](net::handler_number number, std::span<const std::byte> all) {
    transport_->send(
        {.to = to, .handler = number, .head = all, .payload = rest, .sent = &sent, .from_device = from_device});
  };
  const std::uint64_t cause = e.is_counted ? current_span() : 0;
  if (!cause) [[likely]]
    return put(e.number, head.all());
  writer caused = head;
  caused.put(cause);
  put(e.number_with_cause, caused.all());
}

std::size_t job::poll() {
  for (protocol* const p : advancing_) p->begin_poll();
  if (pressure_.should_stop_receiving()) return 0;
  polled_by_.store(base::current(), std::memory_order_relaxed);
  struct polled {
    std::atomic<const base::thread_context*>& by;
    ~polled() { by.store(nullptr, std::memory_order_relaxed); }
  } const then{polled_by_};
  const std::size_t found = transport_->poll();
  if (fatal_error_) std::rethrow_exception(fatal_error_);
  for (protocol* const p : advancing_) p->advance(base::require_current("job::poll"));
  return found;
}

void job::on_arrival(void* at, net::arrival& a) { receive(*static_cast<entry*>(at), a, false); }
void job::on_arrival_with_cause(void* at, net::arrival& a) { receive(*static_cast<entry*>(at), a, true); }

void job::receive(entry& e, net::arrival& a, bool has_cause) {
  if (e.owner_job->is_lost(a.from)) return;  // this node has disconnected from it
  e.owner_job->set_handled_kind(e.name.c_str());
  e.owner_job->is_handling_messages_.store(true, std::memory_order_release);
  if (e.decode_head_and_handle) {
    auto& context = base::require_current("job::poll");
    std::span<const std::byte> content = a.head;
    const cause_scope cause(content, has_cause, context);
    reader head(content);
    const message_span span(context, e.name, e.in_trace, has_cause ? context.current_id : 0, head.left());
    if (cause.is_cut || !e.decode_head_and_handle(*e.owner_job, e.owner, a.from, head, std::move(a.rest), context))
      return e.owner_job->refuse_malformed(e.name, a.from);
    e.owner_job->traffic_[a.from].handled.fetch_add(1, std::memory_order_release);
    return;
  }
  if (a.rest.bytes() && !a.rest.is_here()) {
    const std::uint64_t bytes = a.head.size() + a.rest.bytes();
    auto& all = e.owner_job->incoming_messages_;
    if (e.owner_job->has_room_for(bytes)) {
      incoming_message& l = all.emplace_back(e, a.from, a.head, bytes, has_cause);
      l.at = std::prev(all.end());
      if (l.content) return std::move(a.rest).receive(l.content.get() + a.head.size(), l);
      all.pop_back();
    }
    return e.owner_job->refuse(e, a.from, a.head, bytes);
  }
  if (a.head.empty() || !a.rest.bytes())
    return e.owner_job->handle(e, a.from, a.rest.bytes() ? a.rest.here() : a.head, has_cause);
  std::vector<std::byte> whole(a.head.begin(), a.head.end());
  whole.insert(whole.end(), a.rest.here().begin(), a.rest.here().end());
  e.owner_job->handle(e, a.from, whole, has_cause);
}

std::uint64_t job::always_accepted_bytes() const noexcept {
  return pressure_.has_message_limit() ? least_limit : large_bytes;
}

std::exception_ptr job::no_room(const entry& e, rank from, std::uint64_t bytes) const {
  return std::make_exception_ptr(
      error("N18", "node " + name_of(self_) + " has no memory for a message")
          .fact("sender", name_of(from))
          .fact("handler", e.name)
          .fact("bytes", std::to_string(bytes))
          .fact("at most", std::to_string(pressure_.max_message_bytes()))
          .because("the receiving node must hold the whole message in memory")
          .remedy(
              "send large data in parts, or as an object or a buffer; raise STRETTO_LARGEST_MESSAGE, if it is set"));
}

failure_ref job::failure_of_message(std::exception_ptr why) const {
  return detail::make_failure(std::move(why), "a message for node " + name_of(self_), {});
}

failure_ref job::no_room_for(message_kind kind, rank from, std::uint64_t bytes) const {
  return failure_of_message(no_room(entries_[static_cast<std::size_t>(kind)], from, bytes));
}

void job::refuse(const entry& e, rank from, std::span<const std::byte> message_prefix, std::uint64_t bytes) {
  std::exception_ptr why = no_room(e, from, bytes);
  if (!e.refused) return fail(std::move(why));
  auto& context = base::require_current("job::poll");
  reader prefix(message_prefix);
  e.refused(*this, e.owner, from, prefix, failure_of_message(std::move(why)), context);
  if (e.is_counted) traffic_[from].handled.fetch_add(1, std::memory_order_release);
}

void job::handle(entry& e, rank from, std::span<const std::byte> content, bool has_cause) {
  auto& context = base::require_current("job::poll");
  const cause_scope cause(content, has_cause, context);
  reader all(content);
  const message_span span(context, e.name, e.in_trace, has_cause ? context.current_id : 0, all.left());
  if (cause.is_cut || !e.decode_and_handle(*this, e.owner, from, all, context)) return refuse_malformed(e.name, from);
  if (e.is_counted) traffic_[from].handled.fetch_add(1, std::memory_order_release);
}

std::vector<message_type> job::message_types() const {
  std::vector<message_type> all = inner_types_;
  for (const entry& e : entries_) all.push_back(*e.type);
  return all;
}

void job::refuse_malformed(std::string_view message, rank from) {
  disconnect_from(from, "it sent a message that cannot be read: " + std::string(message));
}

void job::refuse_unknown(const std::string& which, rank from) {
  disconnect_from(from, "it sent a message of an unknown kind: " + which);
}

void job::fail_without_handler(std::string_view message) const { throw handlers_.no_handler(message); }

std::shared_ptr<const std::byte> job::keep(std::span<const std::byte> part) {
  if (part.empty()) return {};
  const std::byte* const first = !handled_ ? nullptr : handled_->kept ? handled_->kept.get() : handled_->content.get();
  // The handler may be called for an earlier message that was kept.
  const bool lies_in_it = first && part.data() >= first && part.data() < first + handled_->bytes;
  if (!lies_in_it) {
    const auto copy = std::make_shared<std::byte[]>(part.size());
    std::memcpy(copy.get(), part.data(), part.size());
    return {copy, copy.get()};
  }
  if (!handled_->kept) handled_->kept = std::shared_ptr<std::byte[]>(std::move(handled_->content));
  return {handled_->kept, part.data()};
}

job::counts job::messages() const noexcept {
  counts all;
  for (rank r = 0; r < nodes_; ++r) {
    std::uint64_t handled = traffic_[r].handled.load(std::memory_order_acquire);
    std::uint64_t sent = traffic_[r].sent.load(std::memory_order_relaxed);
    if (is_lost(r)) handled = sent = handled + sent + 1;
    all.handled += handled;
    all.sent += sent;
  }
  return all;
}

failure_ref job::loss_of(rank r) const {
  const std::scoped_lock lock(losses_lock_);
  return losses_[r];
}

void job::disconnect_from(rank r, const std::string& why) {
  if (is_lost(r)) return;
  send(r, node_disconnection{why});
  report_loss(r, why);
}

void job::on_disconnection(rank from, const node_disconnection& m, base::thread_context&) {
  report_loss(from, "that node has disconnected from this one: " + m.why);
}

void job::disconnect_from_all(const std::string& why) {
  for (rank r = 0; r < nodes_; ++r)
    if (r != self_) report_loss(r, why);
}

void job::report_loss(rank r, const std::string& why) {
  if (is_lost(r)) return;
  {
    const std::scoped_lock lock(losses_lock_);
    losses_[r] = detail::make_failure(
        std::make_exception_ptr(
            error("N05", "node " + name_of(r) + " is lost").fact("detected by", "node " + name_of(self_)).because(why)),
        "node " + name_of(r), {});
  }
  lost_[r].store(true, std::memory_order_release);
  auto& context = base::require_current("job::poll");
  for (protocol* p : protocols_) p->lost(r, context);
}

}  // namespace stretto::dist
