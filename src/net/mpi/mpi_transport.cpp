#include "net/mpi/mpi_transport.hpp"

#include <stretto/error.hpp>
#include <stretto/mpi_mutex.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/driver_threads.hpp"
#include "base/error_output.hpp"
#include "net/mapped_memory.hpp"
#include "net/messages_window.hpp"
#include "net/mpi/bulk_traffic.hpp"
#include "net/mpi/channel_traffic.hpp"
#include "net/mpi/job_mark.hpp"
#include "net/mpi/mpi_library.hpp"
#include "net/mpi/outbox.hpp"
#include "net/mpi/packet.hpp"
#include "net/mpi/shared_window.hpp"
#include "net/mpi/transfer_activity.hpp"

namespace stretto::net::mpi {
namespace {

constexpr std::size_t ring_size = 64;

template <class T>
T read(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

class mpi_transport final : public transport {
 public:
  mpi_transport(const calls& mpi, const handlers& all, const started& is,
                std::unique_ptr<messages_window> between_hosts, std::uint64_t channel_memory)
      : transport(all),
        mpi_(mpi),
        started_(is),
        outbox_(std::make_unique<outbox>(mpi, all, is.size)),
        messages_window_(std::move(between_hosts)),
        ring_(ring_size),
        bulk_(std::make_unique<bulk_traffic>(mpi, is.most_tag, activity_)),
        // If MPI can use memory of devices, it carries all large payloads.
        channels_(nodes(), is.host_size > 1 && !mpi.takes_cuda_memory() ? channel_memory : 0, lock_, activity_) {
    for (auto& r : ring_) {
      r.bytes.resize(most_packet_bytes);
      must(mpi_.ring_receive(r.bytes.data(), r.bytes.size(), &r.is));
    }
    must(mpi_.barrier());  // all nodes have posted their receives
  }
  ~mpi_transport() override {
    if (!finish_transfers()) {
      keep_buffers_for_mpi();
      abort_job();
      return;
    }
    mpi_.barrier();
    for (auto& r : ring_) mpi_.cancel(&r.is);
    mpi_.stop();
    mark_job(job_mark::over);
  }

  node_number self() const noexcept override { return static_cast<node_number>(started_.rank); }
  std::uint32_t nodes() const noexcept override { return static_cast<std::uint32_t>(started_.size); }
  bool is_pending() const noexcept override { return true; }  // another node may have sent a message
  bool takes_memory_of(std::string_view driver) const noexcept override {
    return driver == "cuda" && mpi_.takes_cuda_memory();
  }
  std::uint64_t outstanding_bytes() const noexcept override {
    return outbox_->outstanding_bytes() + bulk_->outstanding_bytes() + channels_.outstanding_bytes();
  }
  bool allows_blocking_calls() const noexcept override { return started_.level == threads::multiple; }
  void communicator(std::uint32_t group, std::span<std::byte> handle) override;
  traffic counted() const noexcept override {
    std::scoped_lock lock(lock_);
    return count_;
  }
  std::size_t poll() override;
  void abandon(const std::exception_ptr& why) noexcept override { end_all(why); }
  bool is_bound_to_thread() const noexcept override { return started_.level < threads::serialized; }
  bool needs_polling() const noexcept override { return nodes() > 1; }
  window& open_window(std::uint64_t bytes) override;
  host_nodes on_host() const noexcept override {
    return {static_cast<std::uint32_t>(started_.host_rank), static_cast<std::uint32_t>(started_.host_size)};
  }
  bool gather_on_host(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const std::scoped_lock lock(lock_);
    must(mpi_.gather_on_host(mine.data(), mine.size(), all.data()));
    return true;
  }
  std::optional<node_number> first_failed(bool has_failed) override {
    const std::scoped_lock lock(lock_);
    std::uint64_t lowest = 0, highest = 0;
    must(mpi_.extremes(has_failed ? self() : nodes(), &lowest, &highest));
    return lowest < nodes() ? std::optional(static_cast<node_number>(lowest)) : std::nullopt;
  }

  void receive(node_number from, std::uint64_t number, std::uint64_t bytes, std::byte* target,
               places::completion& landed);
  void drop(node_number from, std::uint64_t number);

 protected:
  void send_checked(const message& m) override;

 private:
  struct ring_slot {
    std::vector<std::byte> bytes;
    request is = {};
  };
  struct received {
    ring_slot* slot = nullptr;
    node_number from = 0;
    std::uint32_t packets = 0;  // packets in the slot that took credit: all or none
  };
  struct posted_receive {  // a receive that waits for the thread that may call MPI
    node_number from;
    std::uint64_t number, bytes;
    std::byte* target;
    places::completion* landed;
  };

  calling may_call() const noexcept {
    const bool may = started_.level >= threads::serialized || std::this_thread::get_id() == thread_;
    return may ? calling::allowed : calling::not_allowed;
  }

  /// Calls `f` unless MPI has failed before. Stores a failure for the next poll, because the caller may be a handler.
  template <class F>
  void call_unless_failed(F&& f) noexcept {
    if (failed_) return;
    try {
      f();
    } catch (...) {
      failed_ = std::current_exception();
    }
  }
  /// Waits until all transfers have ended. False: MPI has failed.
  bool finish_transfers() noexcept;
  /// After a failure: keeps the memory that MPI may still read and write, until the process ends.
  void keep_buffers_for_mpi();
  /// Prints the failure and aborts the job; otherwise the other processes and MPI would wait for this one.
  void abort_job() const noexcept;

  void reply(node_number to, packet_kind kind, std::uint64_t transfer, int tag);
  void post_receive(const posted_receive& a);
  void send_by_channel(const message& m, std::uint32_t channel, std::unique_lock<std::mutex>& lock);
  /// Copies a payload into its channel. Releases the lock meanwhile.
  void copy_to_channel(std::uint32_t channel, std::span<const std::byte> payload, places::completion* sent,
                       std::unique_lock<std::mutex>& lock);
  void send_deferred(std::unique_lock<std::mutex>& lock);
  void send_channel_address(node_number to);
  void handle_packet(node_number from, const packet_front& front, const std::byte* body);
  /// Starts the persistent receive of a slot again and counts the credit that its sender gets back.
  void return_slot(const received& r);
  std::size_t poll_mpi();
  /// Ends all completions with the failure of MPI.
  void end_all(const std::exception_ptr& why) noexcept;

  const calls& mpi_;
  const started started_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::mutex own_lock_;
  // guards all members below and every MPI call
  std::mutex& lock_ = started_.level == threads::multiple ? own_lock_ : mpi_mutex();
  std::unique_ptr<outbox> outbox_;
  const std::unique_ptr<messages_window> messages_window_;
  std::optional<mapped_memory> own_memory_;
  std::unique_ptr<shared_window> host_window_;
  std::vector<ring_slot> ring_;  // only the polling thread touches the bytes
  std::size_t next_slot_ = 0;
  std::deque<posted_receive> waiting_receives_;
  transfer_activity activity_;
  std::unique_ptr<bulk_traffic> bulk_;
  channel_traffic channels_;
  std::vector<places::completion*> ended_;  // poll() runs them without the lock
  traffic count_;
  std::exception_ptr failed_;
};

/// The payload source of an offer, for its handler.
class offer final : public payload::source {
 public:
  offer(mpi_transport& net, node_number from, std::uint64_t number, std::uint64_t bytes)
      : net_(&net), from_(from), number_(number), bytes_(bytes) {}
  ~offer() override {
    if (net_) net_->drop(from_, number_);
  }
  void receive(std::byte* target, places::completion& landed) override {
    std::exchange(net_, nullptr)->receive(from_, number_, bytes_, target, landed);
  }

 private:
  mpi_transport* net_;
  node_number from_;
  std::uint64_t number_, bytes_;
};

void mpi_transport::reply(node_number to, packet_kind kind, std::uint64_t transfer, int tag) {
  const offer_reply_note note{transfer, tag};
  outbox_->post(to, kind, 0, {}, std::as_bytes(std::span(&note, 1)), may_call());
}

void mpi_transport::abort_job() const noexcept {
  try {
    std::rethrow_exception(failed_);
  } catch (const std::exception& e) {
    base::print_error(e, base::error_form::text);
  } catch (...) {
  }
  mpi_.abort();
}

bool mpi_transport::finish_transfers() noexcept {
  for (bool is_empty = false; !is_empty && !failed_;) {
    std::scoped_lock lock(lock_);
    call_unless_failed([&] {
      outbox_->test();
      bulk_->test(ended_);
      channels_.advance(ended_);
      is_empty = outbox_->is_empty() && bulk_->is_empty() && channels_.is_empty();
    });
  }
  return !failed_;
}

void mpi_transport::keep_buffers_for_mpi() {
  struct left {
    std::unique_ptr<outbox> sends;
    std::unique_ptr<bulk_traffic> bulk;
    std::vector<ring_slot> ring;
  };
  static auto& all = *new std::deque<std::unique_ptr<left>>;
  std::scoped_lock lock(lock_);
  all.push_back(std::make_unique<left>(std::move(outbox_), std::move(bulk_), std::move(ring_)));
}

void mpi_transport::send_checked(const message& m) {
  std::unique_lock lock(lock_);
  ++count_.sent;
  count_.bytes_sent += m.head.size() + m.payload.size();
  if (m.payload.size() <= most_eager_bytes && !m.from_device) {
    call_unless_failed([&] { outbox_->post(m.to, packet_kind::eager, m.handler, m.head, m.payload, may_call()); });
    if (m.sent) ended_.push_back(m.sent);
    return send_deferred(lock);
  }
  if (!m.from_device && !failed_)
    if (const auto channel = channels_.take(m.to)) return send_by_channel(m, *channel, lock);
  ++count_.by_rendezvous;
  const offer_note note = bulk_->offer(m.payload, m.sent);
  call_unless_failed([&] {
    outbox_->post(m.to, packet_kind::offer, m.handler, m.head, std::as_bytes(std::span(&note, 1)), may_call());
    send_channel_address(m.to);
  });
  if (!m.is_followed) send_deferred(lock);
}

void mpi_transport::send_by_channel(const message& m, std::uint32_t channel, std::unique_lock<std::mutex>& lock) {
  ++count_.through_shared_memory;
  const channel_note note{channel, m.payload.size()};
  call_unless_failed([&] {
    outbox_->post(m.to, packet_kind::channel_payload, m.handler, m.head, std::as_bytes(std::span(&note, 1)),
                  may_call());
  });
  if (m.is_followed && m.sent) return channels_.defer(channel, m.payload, m.sent);
  copy_to_channel(channel, m.payload, m.sent, lock);
  send_deferred(lock);
}

void mpi_transport::copy_to_channel(std::uint32_t channel, std::span<const std::byte> payload, places::completion* sent,
                                    std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  const std::size_t done = channels_.copy_in(channel, payload);  // the receiver may copy out meanwhile
  lock.lock();
  channels_.continue_copy(channel, payload, done, sent, ended_);
}

void mpi_transport::send_deferred(std::unique_lock<std::mutex>& lock) {
  while (const auto o = channels_.take_deferred()) copy_to_channel(o->channel, o->left, o->sent, lock);
}

void mpi_transport::send_channel_address(node_number to) {
  if (const auto here = channels_.address_to_send(to))
    outbox_->post(to, packet_kind::channel_address, 0, {}, std::as_bytes(std::span(&*here, 1)), may_call());
}

void mpi_transport::receive(node_number from, std::uint64_t number, std::uint64_t bytes, std::byte* target,
                            places::completion& landed) {
  std::scoped_lock lock(lock_);
  const posted_receive a{from, number, bytes, target, &landed};
  if (may_call() == calling::allowed) call_unless_failed([&] { post_receive(a); });
  else waiting_receives_.push_back(a);
}

void mpi_transport::post_receive(const posted_receive& a) {
  reply(a.from, packet_kind::clear_to_send, a.number, bulk_->receive(a.from, a.bytes, a.target, *a.landed));
}

void mpi_transport::drop(node_number from, std::uint64_t number) {
  std::scoped_lock lock(lock_);
  call_unless_failed([&] { reply(from, packet_kind::offer_dropped, number, 0); });
}

void mpi_transport::handle_packet(node_number from, const packet_front& front, const std::byte* body) {
  const std::span<const std::byte> head(body, front.head_bytes), rest(body + front.head_bytes, front.rest_bytes);
  switch (front.kind) {
    case packet_kind::eager: handle(from, front.handler, head, payload(rest)); break;
    case packet_kind::offer: {
      const auto note = read<offer_note>(rest.data());
      handle(from, front.handler, head,
             payload(std::make_unique<offer>(*this, from, note.transfer, note.bytes), note.bytes));
      break;
    }
    case packet_kind::clear_to_send: {
      const auto note = read<offer_reply_note>(rest.data());
      std::scoped_lock lock(lock_);
      bulk_->send(from, note.transfer, static_cast<int>(note.tag));
      break;
    }
    case packet_kind::offer_dropped: {
      std::scoped_lock lock(lock_);
      bulk_->drop(read<offer_reply_note>(rest.data()).transfer, ended_);
      break;
    }
    case packet_kind::channel_payload: {
      const auto note = read<channel_note>(rest.data());
      handle(from, front.handler, head, payload(channels_.source_of(from, note), note.bytes));
      break;
    }
    case packet_kind::channel_address: {
      const auto there = read<channels_address>(rest.data());
      std::scoped_lock lock(lock_);
      const auto found = static_cast<std::byte>(channels_.map_channels_of(from, there));
      call_unless_failed(
          [&] { outbox_->post(from, packet_kind::address_reply, 0, {}, std::span(&found, 1), may_call()); });
      break;
    }
    case packet_kind::address_reply: {
      std::scoped_lock lock(lock_);
      channels_.on_address_reply(from, rest.front() != std::byte{0});
      break;
    }
    case packet_kind::credit: break;
  }
}

void mpi_transport::return_slot(const received& r) {
  must(mpi_.restart(&r.slot->is));
  count_.received += r.packets;
  if (r.packets && outbox_->count_owed_credit(r.from)) reply(r.from, packet_kind::credit, 0, 0);
}

window& mpi_transport::open_window(std::uint64_t bytes) {
  std::vector<void*> addresses(static_cast<std::size_t>(started_.size));
  if (started_.size == 1) {  // MPICH would take this memory from the heap, without zeroing it
    addresses.front() = own_memory_.emplace(bytes).data();
  } else {
    const std::scoped_lock lock(lock_);
    must(mpi_.share(bytes, addresses.data()));
  }
  if (addresses.front()) return *(host_window_ = std::make_unique<shared_window>(bytes, std::move(addresses)));
  messages_window_->open(*this, bytes);
  const std::scoped_lock lock(lock_);
  must(mpi_.barrier());  // no node accesses the window before all have opened it
  return *messages_window_;
}

void mpi_transport::communicator(std::uint32_t group, std::span<std::byte> handle) {
  if (group > static_cast<std::uint32_t>(started_.most_tag))
    throw no_communicator("group " + std::to_string(group) + " is above " + std::to_string(started_.most_tag) +
                          ", the largest tag of this MPI");
  copy_communicator(mpi_, group, handle);  // without the lock, since it waits for the other nodes
}

std::size_t mpi_transport::poll() {
  if (may_call() == calling::not_allowed) return 0;
  try {
    return poll_mpi();
  } catch (...) {
    end_all(std::current_exception());
    throw;
  }
}

void mpi_transport::end_all(const std::exception_ptr& why) noexcept {
  std::vector<places::completion*> all;
  {
    std::scoped_lock lock(lock_);
    if (!failed_) failed_ = why;
    all.swap(ended_);
    bulk_->end_all(all);
    for (const posted_receive& a : waiting_receives_) all.push_back(a.landed);
    waiting_receives_.clear();
    channels_.end_all(all);
  }
  for (places::completion* const c : all)
    if (c) end(*c, why);
}

std::size_t mpi_transport::poll_mpi() {
  std::size_t found = 0;
  bool is_moving = false;
  received handled;  // the slot of the last round; it is returned when the lock is held again
  for (int round = 0; round < 16; ++round) {
    std::vector<places::completion*> ended;
    ring_slot* arrived = nullptr;
    int from = 0;
    std::size_t bytes = 0;
    {
      std::scoped_lock lock(lock_);
      if (failed_) std::rethrow_exception(failed_);
      if (handled.slot) return_slot(std::exchange(handled, {}));
      for (; !waiting_receives_.empty(); waiting_receives_.pop_front()) post_receive(waiting_receives_.front());
      outbox_->post_waiting();
      outbox_->test();
      if (!bulk_->is_empty()) bulk_->test(ended_);
      channels_.advance(ended_);
      bool has_arrived = false;
      must(mpi_.test(&ring_[next_slot_].is, &has_arrived, &from, &bytes));
      if (has_arrived) {
        arrived = &ring_[next_slot_];
        next_slot_ = (next_slot_ + 1) % ring_size;
        if (const auto returned = read<packet_front>(arrived->bytes.data()).returned)
          outbox_->on_credit(static_cast<node_number>(from), returned);
      }
      ended.swap(ended_);
      is_moving = (!bulk_->is_empty() || channels_.is_moving()) && activity_.is_recent();
    }
    for (places::completion* c : ended) end(*c);
    found += ended.size() + (arrived != nullptr);
    if (!arrived) {
      if (ended.empty()) break;
      continue;
    }
    std::uint32_t packets = 0;
    for (std::size_t at = 0; at < bytes;) {
      const auto front = read<packet_front>(arrived->bytes.data() + at);
      handle_packet(static_cast<node_number>(from), front, arrived->bytes.data() + at + sizeof front);
      packets += takes_credit(front.kind);
      at = next_packet(at + bytes_of(front));
    }
    handled = {arrived, static_cast<node_number>(from), packets};
  }
  if (handled.slot) {
    std::scoped_lock lock(lock_);
    return_slot(handled);
    outbox_->post_waiting();
  }
  return found + (!found && is_moving);
}

}  // namespace

namespace {

/// The MPI job of this process, for messages at its end.
int self_of_process = 0, nodes_of_process = 1;
bool is_process_in_job = false;  // false if making the transport fails after MPI was started

base::error_form form_of_errors() { return base::error_form_of(base::stretto_environment(), {}); }
std::string name_of_process() {
  return "node " + std::to_string(self_of_process) + " of " + std::to_string(nodes_of_process);
}

bool finalized_too_early() {
  if (!is_process_in_job) return false;
  base::print_error(error("N32", name_of_process() + " calls MPI_Finalize while its runtime is part of the job")
                        .because("the runtimes of a job end together, by messages over MPI")
                        .remedy("end the runtime first: { stretto::runtime rt; ... } MPI_Finalize();"),
                    form_of_errors());
  return true;
}

bool ended_too_early(int status) {
  if (!is_process_in_job) return false;
  const std::string how = status ? " ends with exit code " + std::to_string(status) : " ends";
  error e("N33", name_of_process() + how + " before the job is over");
  if (!status) e.fact("exit code", "1 instead of 0, because the other nodes wait for this one");
  base::print_error(e.because("the process calls exit, or returns from main, while its runtime is part of the job")
                        .remedy("return from run on every node, and end the runtime before the process"),
                    form_of_errors());
  return true;
}

/// Nodes exchange these if they do not agree about their message handlers.
struct node_description {
  std::uint64_t digest = 0;
  char text[1016] = {};
};

/// The error N06 or N15 about node 0 and the first node that differs from it: the same on every node.
error mismatch_error(const calls& mpi, const handlers& all, const started& is) {
  node_description mine;
  mine.digest = all.digest();
  all.description(sizeof mine.text - 1).copy(mine.text, sizeof mine.text - 1);
  std::vector<node_description> descriptions(static_cast<std::size_t>(is.size));
  must(mpi.gather(&mine, sizeof mine, descriptions.data()));
  must(mpi.stop());
  const auto first = std::ranges::find_if(
      descriptions, [&](const node_description& c) { return c.digest != descriptions.front().digest; });
  return build_mismatch(0, descriptions.front().text, static_cast<node_number>(first - descriptions.begin()),
                        first->text);
}

}  // namespace

void copy_communicator(const calls& mpi, std::uint32_t group, std::span<std::byte> handle) {
  threads level = threads::single;
  const char* const fault = mpi.communicator(group, handle.data(), handle.size(), &level);
  if (!fault) return;
  error none = no_communicator(fault);
  if (level != threads::multiple)
    none.remedy(
        "STRETTO_MPI_THREADS=multiple; if the program initialises MPI itself: MPI_Init_thread with "
        "MPI_THREAD_MULTIPLE");
  throw none;
}

std::unique_ptr<transport> make(const calls& mpi, handlers& all, threads wanted, std::uint64_t channel_memory) {
  auto between_hosts = std::make_unique<messages_window>(all);
  all.close();
  started is;
  is_process_in_job = false;
  {
    const base::driver_threads started_here("async");  // as MPICH names one
    must(mpi.start(wanted, {.finalized = finalized_too_early, .exited = ended_too_early}, &is));
  }
  self_of_process = is.rank, nodes_of_process = is.size;
  check_launch(detect_launch_environment(), mpi.library(), is.size);
  std::uint64_t lowest = 0, highest = 0;
  must(mpi.extremes(all.digest(), &lowest, &highest));
  if (lowest != highest) throw mismatch_error(mpi, all, is);
  auto made = std::make_unique<mpi_transport>(mpi, all, is, std::move(between_hosts), channel_memory);
  is_process_in_job = true;
  if (is.size > 1) mark_job(job_mark::in_job);
  return made;
}

}  // namespace stretto::net::mpi
