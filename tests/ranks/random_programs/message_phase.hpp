// message_phase.hpp - a phase of messages in a random program: what each rank sends and receives, and whether each
// receive gets what MPI's rules of matching say.
//
// Every rank draws all messages. A receive with a fixed source has one possible message, however the ranks run. One
// from any source may take the first fitting message of any sender, and the check follows the choice.
#pragma once

#include <deque>

#include "open_requests.hpp"
#include "program_communicators.hpp"
#include "random_layout.hpp"

struct phase_message {
  int from, to, tag, elements;
  std::uint64_t key;
  bool is_taken = false;
};

/// By which the receives of a rank choose messages.
enum class named { source_and_tag, source, tag, nothing };

/// How the ranks order their calls.
enum class phase_order {
  one_by_one,      // each message is sent and received before the next one, by calls that may wait
  receives_first,  // all receives begin, then sends follow that may wait
  sends_first,     // all sends begin, then receives follow that may wait
};

class message_phase {
 public:
  /// `shared` is drawn from by all ranks alike, also by those that are not in the communicator; `own` by this rank.
  message_phase(program_random& shared, program_random& own, const program_communicator& on, int self,
                std::uint64_t key)
      : own_(own), on_(on), self_(self), base_(random_base(shared)) {
    order_ = static_cast<phase_order>(shared.number(0, 2));
    is_ready_ = order_ == phase_order::receives_first && shared.one_in(2);
    by_ = static_cast<named>(own.number(0, order_ == phase_order::one_by_one ? 1 : 3));
    const auto members = on.members();
    for (int left = shared.number(0, 14); left > 0; --left) {
      const int from = shared.one_of(members), to = shared.one_of(on.peers_of(from));
      const phase_message one{from, to, shared.number(0, 3), random_elements(shared), key++};
      if (order_ != phase_order::one_by_one || from != to) messages_.push_back(one);
    }
  }

  void run() {
    if (!on_.has(self_)) return;
    switch (order_) {
      case phase_order::one_by_one: run_one_by_one(); break;
      case phase_order::receives_first: run_receives_first(); break;
      case phase_order::sends_first: run_sends_first();
    }
    open_.finish_all(own_);
    for (receive& one : receives_) check(one);
    for (random_layout& one : sent_) one.free();
    MPI_Barrier(on_.handle);  // no receive of this phase may take a message of the next one
  }

 private:
  struct receive {
    int source, tag;  // a rank and a tag, or any
    random_layout data;
    MPI_Status status{};
  };

  static int random_elements(program_random& random) {
    static const std::vector<int> sizes{0, 1, 2, 3, 6, 8, 24, 120, 600, 3000, 40'000};
    return sizes[static_cast<std::size_t>(random.number(0, random.one_in(8) ? 10 : 8))];
  }

  void run_one_by_one() {
    for (const phase_message& one : messages_) {
      if (one.from == self_) send(one, own_.one_in(2));
      if (one.to == self_) post(one, own_.one_in(2));
      if (own_.one_in(4)) open_.finish_one(own_);
    }
  }

  void run_receives_first() {
    for (const phase_message& one : mine_in_any_order()) post(one, false);
    if (is_ready_) MPI_Barrier(on_.handle);
    for (const phase_message& one : messages_)
      if (one.from == self_) send(one, own_.one_in(2));
  }

  void run_sends_first() {
    for (const phase_message& one : messages_)
      if (one.from == self_) send(one, false);
    for (const phase_message& one : mine_in_any_order()) post(one, own_.one_in(2));
  }

  std::vector<phase_message> mine_in_any_order() {
    std::vector<phase_message> mine;
    for (const phase_message& one : messages_)
      if (one.to == self_) mine.push_back(one);
    own_.shuffle(mine);
    return mine;
  }

  bool fits(const phase_message& one, int source, int tag) const {
    if (one.to != self_ || one.is_taken) return false;
    return (source == MPI_ANY_SOURCE || on_.rank(one.from) == source) && (tag == MPI_ANY_TAG || one.tag == tag);
  }

  /// A receive that may take this message; not necessarily it does.
  void post(const phase_message& like, bool may_wait) {
    const int source = by_ == named::tag || by_ == named::nothing ? MPI_ANY_SOURCE : on_.rank(like.from);
    const int tag = by_ == named::source || by_ == named::nothing ? MPI_ANY_TAG : like.tag;
    int elements = 0;
    for (const phase_message& one : messages_)
      if (fits(one, source, tag)) elements = std::max(elements, one.elements);
    receives_.push_back({source, tag, random_layout(own_, base_, elements)});
    receive& made = receives_.back();
    made.data.clear();
    if (may_wait) receive_now(made);
    else begin(made);
  }

  void begin(receive& one) {
    MPI_Request request;
    const random_layout& d = one.data;
    if (own_.one_in(3)) {
      MPI_Recv_init(one.data.data(), d.count(), d.type(), one.source, one.tag, on_.handle, &request);
      MPI_Start(&request);
    } else {
      MPI_Irecv(one.data.data(), d.count(), d.type(), one.source, one.tag, on_.handle, &request);
    }
    open_.add(request, &one.status);
  }

  void receive_now(receive& one) {
    random_layout& d = one.data;
    MPI_Message message;
    MPI_Status probed;
    int flag = 0;
    switch (own_.number(0, 4)) {
      case 0: MPI_Recv(d.data(), d.count(), d.type(), one.source, one.tag, on_.handle, &one.status); return;
      case 1:
        MPI_Probe(one.source, one.tag, on_.handle, &probed);
        MPI_Recv(d.data(), d.count(), d.type(), probed.MPI_SOURCE, probed.MPI_TAG, on_.handle, &one.status);
        break;
      case 2:
        while (!flag) MPI_Iprobe(one.source, one.tag, on_.handle, &flag, &probed);
        MPI_Recv(d.data(), d.count(), d.type(), probed.MPI_SOURCE, probed.MPI_TAG, on_.handle, &one.status);
        break;
      case 3:
        MPI_Mprobe(one.source, one.tag, on_.handle, &message, &probed);
        MPI_Mrecv(d.data(), d.count(), d.type(), &message, &one.status);
        break;
      default:
        while (!flag) MPI_Improbe(one.source, one.tag, on_.handle, &flag, &message, &probed);
        MPI_Request request;
        MPI_Imrecv(d.data(), d.count(), d.type(), &message, &request);
        MPI_Wait(&request, &one.status);
    }
    if (probed.MPI_SOURCE != one.status.MPI_SOURCE || probed.MPI_TAG != one.status.MPI_TAG ||
        elements_of(probed) != elements_of(one.status))
      fail("a probe finds another message than the receive");
  }

  void send(const phase_message& one, bool may_wait) {
    sent_.push_back(random_layout(own_, base_, one.elements));
    random_layout& data = sent_.back();
    data.fill(one.key);
    const int to = on_.rank(one.to);
    if (may_wait) send_now(data, to, one.tag);
    else begin_send(data, to, one.tag);
  }

  void send_now(random_layout& d, int to, int tag) {
    switch (own_.number(0, is_ready_ ? 3 : 2)) {
      case 0: MPI_Send(d.data(), d.count(), d.type(), to, tag, on_.handle); break;
      case 1: MPI_Ssend(d.data(), d.count(), d.type(), to, tag, on_.handle); break;
      case 2:
        MPI_Bsend(d.data(), d.count(), d.type(), to, tag, on_.handle);
        d.clear();
        break;
      default: MPI_Rsend(d.data(), d.count(), d.type(), to, tag, on_.handle);
    }
  }

  void begin_send(random_layout& d, int to, int tag) {
    MPI_Request request;
    const int kind = own_.number(0, is_ready_ ? 6 : 5);
    const bool is_persistent = kind >= 3 && kind <= 5;
    switch (kind) {
      case 0: MPI_Isend(d.data(), d.count(), d.type(), to, tag, on_.handle, &request); break;
      case 1: MPI_Issend(d.data(), d.count(), d.type(), to, tag, on_.handle, &request); break;
      case 2: MPI_Ibsend(d.data(), d.count(), d.type(), to, tag, on_.handle, &request); break;
      case 3: MPI_Send_init(d.data(), d.count(), d.type(), to, tag, on_.handle, &request); break;
      case 4: MPI_Ssend_init(d.data(), d.count(), d.type(), to, tag, on_.handle, &request); break;
      case 5: MPI_Bsend_init(d.data(), d.count(), d.type(), to, tag, on_.handle, &request); break;
      default: MPI_Irsend(d.data(), d.count(), d.type(), to, tag, on_.handle, &request);
    }
    if (is_persistent) MPI_Start(&request);
    open_.add(request, &ignored_);
  }

  int elements_of(const MPI_Status& status) const {
    int elements = -1;
    MPI_Get_elements(&status, base_.type, &elements);
    return elements;
  }

  /// In the order in which the receives were posted.
  void check(receive& one) {
    const int source = one.status.MPI_SOURCE, elements = elements_of(one.status);
    const auto found = std::find_if(messages_.begin(), messages_.end(), [&](const phase_message& m) {
      return fits(m, one.source, one.tag) && on_.rank(m.from) == source;
    });
    if (found == messages_.end())
      fail("rank %d: a receive of source %d and tag %d gets a message of %d with tag %d, which fits none left", self_,
           one.source, one.tag, source, one.status.MPI_TAG);
    if (one.status.MPI_TAG != found->tag || elements != found->elements || !one.data.has(found->key, elements))
      fail(
          "rank %d: a receive of source %d and tag %d gets %d elements with tag %d of rank %d, not %d with tag %d, "
          "or wrong data",
          self_, one.source, one.tag, elements, one.status.MPI_TAG, source, found->elements, found->tag);
    found->is_taken = true;
    one.data.free();
  }

  program_random& own_;
  const program_communicator& on_;
  const int self_;
  const base_type base_;
  phase_order order_;
  named by_;
  bool is_ready_;  // receives are posted before sends begin
  std::vector<phase_message> messages_;
  std::deque<receive> receives_;  // as posted
  std::deque<random_layout> sent_;
  open_requests open_;
  MPI_Status ignored_;
};
