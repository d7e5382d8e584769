#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "ranks/call_error.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/message_model.hpp"
#include "ranks/messages/send_buffer.hpp"

using namespace stretto;
using ranks::send_mode, ranks::context_number, ranks::envelope, ranks::error_class;
using test::message_model;

namespace {

/// The bytes of an operation, dense or every second one of a memory.
struct message_memory {
  std::vector<unsigned char> bytes;
  bool is_strided = false;
  ranks::datatype_ref type;

  message_memory(std::int64_t size, bool strided) : bytes(static_cast<std::size_t>(strided ? 2 * size : size), 0xee) {
    is_strided = strided && size > 0;
    if (!is_strided) return;
    type = ranks::make_vector(size, 1, 2, *ranks::predefined_type(0x247));
    type->commit();
  }
  std::size_t size() const { return is_strided ? bytes.size() / 2 : bytes.size(); }
  unsigned char& at(std::size_t i) { return bytes[is_strided ? 2 * i : i]; }
  ranks::data_part data() {
    if (is_strided) return {bytes.data(), 1, *type};
    return {bytes.data(), static_cast<std::int64_t>(bytes.size())};
  }
};

/// A random history of one receiving rank: each step is done by the mailbox and by the model, which are compared.
class mailbox_history {
 public:
  explicit mailbox_history(std::uint64_t seed) : random_(static_cast<std::mt19937::result_type>(seed)) {
    sent_aside_.attach(this, 1 << 20);
  }
  ~mailbox_history() {
    for (const auto& p : probed_) ranks::receive_matched(box_, p.first, {});
    for (entry& e : all_) {
      if (!e.request || !e.request->is_active() || e.request->is_done()) continue;
      ranks::cancel(*e.request);
      CHECK(e.request->is_done());
    }
  }

  void step() {
    switch (number(0, 11)) {
      case 0:
      case 1:
      case 2: return begin_receive();
      case 3:
      case 4:
      case 5: return begin_send();
      case 6: return probe();
      case 7: return matched_probe();
      case 8: return receive_matched();
      case 9: return cancel();
      default: return restart();
    }
  }

  /// Every operation is in the state that the model says.
  void compare() {
    for (int id = 0; id < std::ssize(all_); ++id) {
      if (is_as_expected(id)) continue;
      CAPTURE(id);
      FAIL("the mailbox and the model differ");
    }
  }

 private:
  struct entry {
    message_memory memory;
    ranks::request_owner request;
    bool is_send = false;
    send_mode mode = send_mode::standard;
  };

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  entry& at(int id) { return all_[static_cast<std::size_t>(id)]; }
  envelope message() { return {context_number(static_cast<unsigned>(number(0, 2) * 5)), number(0, 2), number(0, 2)}; }
  envelope pattern() {
    const envelope e = message();
    return {e.context(), number(0, 3) ? e.source() : ranks::any_source, number(0, 3) ? e.tag() : ranks::any_tag};
  }
  std::int64_t size() {
    switch (number(0, 5)) {
      case 0: return 0;
      case 1: return number(4097, 5000);
      case 2: return number(513, 4096);
      default: return number(1, 64);
    }
  }

  static unsigned char byte_of(int id, std::size_t i) {
    return static_cast<unsigned char>(id * 37 + static_cast<int>(i) * 11);
  }

  bool is_as_expected(int id) {
    const auto& expected = model_.operations[static_cast<std::size_t>(id)];
    entry& e = at(id);
    if (!e.request || !e.request->is_active()) return true;
    if (e.request->is_done() != expected.is_done) return false;
    if (!expected.is_done) return true;
    if (e.request->status.is_cancelled != expected.is_cancelled) return false;
    return e.is_send || expected.is_cancelled || has_received(e, expected);
  }

  bool has_received(entry& e, const message_model::operation& expected) {
    const auto& sent = model_.operations[static_cast<std::size_t>(expected.partner)];
    const ranks::message_status& status = e.request->status;
    const std::int64_t bytes = std::min(expected.bytes, sent.bytes);
    if (status.source != sent.e.source() || status.tag != sent.e.tag()) return false;
    if (status.bytes != bytes || status.message_bytes != sent.bytes) return false;
    if ((status.error == error_class::truncate) != (sent.bytes > expected.bytes)) return false;
    for (std::size_t i = 0; i < e.memory.size(); ++i) {
      if (e.memory.at(i) != (i < static_cast<std::size_t>(bytes) ? byte_of(expected.partner, i) : 0xee)) return false;
    }
    return true;
  }

  void begin_receive() {
    const int id = model_.add(pattern(), size());
    const auto& o = model_.operations.back();
    all_.push_back({message_memory(o.bytes, number(0, 3) == 0), nullptr});
    entry& e = all_.back();
    if (number(0, 4) == 0) {
      e.request = ranks::make_receive({box_, o.e, e.memory.data()}, e.memory.type);
      ranks::start(*e.request);
    } else {
      e.request = ranks::start_receive({box_, o.e, e.memory.data()}, e.memory.type);
    }
    model_.receive(id);
  }

  bool is_done_early(const entry& e) const {
    return e.mode == send_mode::buffered || (e.mode != send_mode::synchronous && e.memory.size() <= ranks::eager_bytes);
  }

  void begin_send() {
    const int id = model_.add(message(), size());
    const auto o = model_.operations.back();
    all_.push_back({message_memory(o.bytes, number(0, 3) == 0), nullptr, true, static_cast<send_mode>(number(0, 3))});
    entry& e = all_.back();
    for (std::size_t i = 0; i < e.memory.size(); ++i) e.memory.at(i) = byte_of(id, i);
    const ranks::send_arguments a{{&box_}, o.e, e.memory.data(), e.mode, &sent_aside_};
    if (e.mode == send_mode::ready && !model_.has_receive(o.e)) {
      CHECK_THROWS_AS(ranks::start_send(a), ranks::call_error);
      return;
    }
    if (is_done_early(e) && number(0, 1)) {
      ranks::send(a);
      std::ranges::fill(e.memory.bytes, 0);  // the data has been copied
    } else if (number(0, 3) == 0) {
      e.request = ranks::make_send(a, e.memory.type);
      ranks::start(*e.request);
    } else {
      e.request = ranks::start_send(a, e.memory.type);
    }
    model_.send(id, is_done_early(e));
  }

  void compare_probed(const ranks::message_status& status, int expected) {
    const auto& sent = model_.operations[static_cast<std::size_t>(expected)];
    REQUIRE(status.source == sent.e.source());
    REQUIRE(status.tag == sent.e.tag());
    REQUIRE(status.bytes == sent.bytes);
  }

  void probe() {
    const envelope p = pattern();
    const auto expected = model_.oldest_message(p);
    const auto status = ranks::try_probe(box_, p);
    REQUIRE(status.has_value() == expected.has_value());
    if (status) compare_probed(*status, *expected);
  }

  void matched_probe() {
    const envelope p = pattern();
    const auto expected = model_.oldest_message(p);
    const auto found = ranks::try_matched_probe(box_, p);
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) return;
    compare_probed(found->status, *expected);
    model_.take(*expected);
    probed_.push_back({found->message, *expected});
  }

  void receive_matched() {
    if (probed_.empty()) return;
    const auto [message, sent] = probed_.back();
    probed_.pop_back();
    const int id = model_.add(model_.operations[static_cast<std::size_t>(sent)].e, size());
    all_.push_back({message_memory(model_.operations.back().bytes, number(0, 3) == 0), nullptr});
    entry& e = all_.back();
    e.request = ranks::start_receive_matched(box_, message, e.memory.data(), e.memory.type);
    model_.match(id, sent);
  }

  void cancel() {
    if (all_.empty()) return;
    const int id = number(0, static_cast<int>(all_.size()) - 1);
    if (!at(id).request || !at(id).request->is_active()) return;
    ranks::cancel(*at(id).request);
    model_.cancel(id);
  }

  /// Waits for a done request: a persistent one is started again or stays inactive, another one is freed.
  void restart() {
    if (all_.empty()) return;
    const int id = number(0, static_cast<int>(all_.size()) - 1);
    entry& e = at(id);
    if (!e.request || (e.request->is_active() && !e.request->is_done())) return;
    if (e.request->is_active() && e.is_send && model_.waits(id)) return;  // its message would be an older one's
    e.request->deactivate();
    if (!e.request->is_persistent()) return e.request.reset();
    if (number(0, 3) == 0 || e.mode == send_mode::ready) return;
    if (e.is_send && is_probed(id)) return;
    if (!e.is_send) std::ranges::fill(e.memory.bytes, 0xee);
    ranks::start(*e.request);
    if (e.is_send) model_.send(id, is_done_early(e));
    else model_.receive(id);
  }
  bool is_probed(int id) const {
    return std::ranges::any_of(probed_, [&](const auto& p) { return p.second == id; });
  }

  std::mt19937 random_;
  message_model model_;
  ranks::send_buffer sent_aside_;
  ranks::mailbox box_;
  std::deque<entry> all_;
  std::vector<std::pair<ranks::queue_entry*, int>> probed_;
};

}  // namespace

TEST_CASE("random sends, receives, probes and cancels match as MPI's rules say") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread<std::uint64_t>(3000, 100'000); ++seed) {
    CAPTURE(seed);
    mailbox_history history(seed);
    for (int i = 0; i < 60; ++i) {
      history.step();
      history.compare();
    }
  }
}
