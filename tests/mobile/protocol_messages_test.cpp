// Protocol messages of mobile objects: what is read equals what was written, and what is cut or longer is refused.
#include "mobile/protocol_messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "event/failure.hpp"
#include "mobile/broadcast_message.hpp"
#include "mobile/migration_message.hpp"

namespace stretto::mobiles {
namespace {

failure_ref failure_number(std::uint64_t id) {
  auto f = failure_ref::adopt(new failure(std::make_exception_ptr(std::runtime_error("lost")), "an object", {}));
  f->name_root(id);
  return f;
}

/// Writes and reads nothing of a failure but its number.
struct numbered_failures final : dist::failure_fields {
  void write(dist::writer& to, const failure& f) override { to.put(f.id()); }
  failure_ref read(dist::reader& from, dist::rank) override { return failure_number(from.get<std::uint64_t>()); }
};

message_header example_header() {
  return {object_id{1}, 2, 3, 4, 5, 6, migration_epoch{7}, 1, 2, 3, message_action::migrate, -4, 2, 1, 0};
}

std::vector<small_message> examples() {
  return {executed_at{17, 3},
          location_update{object_id{18}, 2, migration_epoch{5}},
          pinned_message_arrived{object_id{19}},
          migration_request{object_id{20}, 1},
          migration_decision{object_id{21}, migration_epoch{6}},
          migration_decision{object_id{21}, {}},
          migration_cancelled{object_id{22}, migration_epoch{7}},
          cancellation_request{object_id{23}},
          object_arrived{object_id{24}, migration_epoch{8}},
          location_query{object_id{25}},
          arrival_query{object_id{26}, migration_epoch{9}, 3},
          lost_in_transit{object_id{27}, failure_number(1)},
          object_failed{object_id{28}, failure_number(2)},
          object_lost{object_id{29}, failure_number(3)},
          object_destroyed{object_id{30}},
          resend_request{{}, 2},
          departure_query{object_id{31}},
          not_departed{object_id{32}},
          recall{object_id{33}, migration_epoch{10}},
          already_departed{object_id{34}, migration_epoch{11}},
          object_accepted{object_id{35}, migration_epoch{12}},
          object_rejected{object_id{36}, migration_epoch{13}, failure_number(4)}};
}

template <class M>
constexpr bool ends_in_bytes = requires(M m) { m.value; } || requires(M m) { m.arguments; };

/// Lines that this node does not have are read as others.
template <class M>
constexpr bool has_line = requires(M m) { m.header.first_request; };

template <class M>
std::vector<std::byte> encoded(const M& m) {
  numbered_failures failures;
  dist::writer w;
  dist::encode_message(w, m, {.nodes = 4, .failures = &failures});
  return {w.all().begin(), w.all().end()};
}

template <class M>
bool is_decoded(std::span<const std::byte> bytes, M& m) {
  numbered_failures failures;
  dist::reader r(bytes);
  return dist::decode_message(r, m, {.nodes = 4, .failures = &failures});
}

/// The message is read as it was written. It is refused if it is cut before its last `rest` bytes, or longer without
/// these. With any bit changed, it is refused, or is what the message that it makes is written as, but for lines.
template <class M>
void check_fields(const M& m, std::size_t rest = 0) {
  const std::string name(M::message);
  CAPTURE(name);
  std::vector<std::byte> bytes = encoded(m);
  M read{};
  REQUIRE(is_decoded(bytes, read));
  CHECK(encoded(read) == bytes);
  for (std::size_t n = 0; n < bytes.size() - rest; ++n) {
    // An allocation of its own, so that a sanitizer finds what reads beyond it.
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    M some{};
    CHECK_FALSE(is_decoded(cut, some));
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const std::byte before = std::exchange(bytes[bit / 8], bytes[bit / 8] ^ std::byte{1} << bit % 8);
    M changed{};
    if (is_decoded(bytes, changed) && !has_line<M>) CHECK(encoded(changed) == bytes);
    bytes[bit / 8] = before;
  }
  if (rest || ends_in_bytes<M>) return;
  bytes.push_back({});
  M longer{};
  CHECK_FALSE(is_decoded(bytes, longer));
}

}  // namespace

TEST_CASE("protocol messages of mobile objects are read as they were written, and refused if cut or longer") {
  std::vector<bool> is_tested(std::variant_size_v<small_message>);
  for (const small_message& example : examples()) {
    is_tested[example.index()] = true;
    std::visit([](const auto& m) { check_fields(m); }, example);
  }
  for (const bool tested : is_tested) CHECK(tested);
}

TEST_CASE("protocol messages of mobile objects keep their fields, and name no node beyond the job") {
  location_update update;
  REQUIRE(is_decoded(encoded(location_update{object_id{18}, 2, migration_epoch{5}}), update));
  CHECK((update.object == object_id{18} && update.location == 2 && update.epoch == migration_epoch{5}));
  CHECK_FALSE(is_decoded(encoded(location_update{object_id{18}, 4, migration_epoch{5}}), update));
  migration_decision decision;
  REQUIRE(is_decoded(encoded(migration_decision{object_id{21}, migration_epoch{6}}), decision));
  CHECK(decision.granted_epoch == migration_epoch{6});
  REQUIRE(is_decoded(encoded(migration_decision{object_id{21}, {}}), decision));
  CHECK_FALSE(decision.granted_epoch.has_value());
  object_rejected rejected;
  REQUIRE(is_decoded(encoded(object_rejected{object_id{36}, migration_epoch{13}, failure_number(4)}), rejected));
  CHECK((rejected.object == object_id{36} && rejected.epoch == migration_epoch{13}));
  CHECK(rejected.cause->id() == 4);
}

TEST_CASE("a message to an object is read as it was written, and refused if cut; its arguments come last") {
  const message_header header = example_header();
  const std::string name(max_name_bytes, 'n');
  const std::vector<std::byte> arguments(100, std::byte{5});
  check_fields(object_message{});
  check_fields(object_message{.header = header, .name = {"a name"}, .arguments = arguments}, arguments.size());
  check_fields(object_message{.header = header, .refused = failure_number(8)});
  const std::vector<std::byte> bytes =
      encoded(object_message{.header = header, .name = {name}, .arguments = arguments});
  CHECK(bytes.size() == sizeof header + 1 + name.size() + 1 + arguments.size());
  CHECK(bytes == encoded(object_message{.header = header, .name = {name + " and more"}, .arguments = arguments}));
  object_message read;
  REQUIRE(is_decoded(bytes, read));
  CHECK(std::memcmp(&read.header, &header, sizeof header) == 0);
  CHECK((read.name.text == name && !read.refused));
  CHECK(read.arguments.data() == bytes.data() + bytes.size() - arguments.size());
}

TEST_CASE("the header of a message to an object keeps the fields of the message") {
  const message_header header = example_header();
  const auto msg = from_header(header, "a name", 2);
  CHECK((msg->object == header.object && msg->number == header.number && msg->request == header.request));
  CHECK((msg->function == 5 && msg->from == 1 && msg->target == 2 && msg->priority == -4 && msg->name == "a name" &&
         msg->is_remote));
  CHECK(msg->action_taken() == message_action::migrate);
  CHECK((msg->routing.epoch == migration_epoch{7} && msg->routing.avoid == 3 && msg->routing.hops == 2 &&
         msg->routing.pins_object));
  msg->where = std::source_location::current();
  message_header again = header_of(*msg, msg->routing, 2);
  CHECK(from_header(again, {}, 2)->where.line() == msg->where.line());
  again.where = header.where;
  CHECK(std::memcmp(&again, &header, sizeof header) == 0);
}

TEST_CASE("a broadcast is read as it was written, and refused if cut; its arguments come last") {
  const std::vector<std::byte> arguments(30, std::byte{3});
  const broadcast_message m{
      .header = {.first = object_id{1},
                 .first_request = 2,
                 .function = 3,
                 .from = 3,
                 .action = message_action::destroy,
                 .priority = 5},
      .name = {"a name"},
      .nodes = {{1, {{1, 2, 3, 4, migration_epoch{5}, 6}, {7, 8, 9, 10, migration_epoch{11}, 12}}}, {2, {}}},
      .arguments = arguments};
  check_fields(broadcast_message{});
  check_fields(m, arguments.size());
  broadcast_message read;
  REQUIRE(is_decoded(encoded(m), read));
  CHECK((read.header.from == 3 && read.header.action == message_action::destroy && read.header.priority == 5));
  REQUIRE((read.nodes.size() == 2 && read.nodes[0].runs.size() == 2));
  CHECK((read.nodes[1].node == 2 && read.nodes[0].runs[1].index == 7 && read.nodes[0].runs[1].count == 12));
  broadcast_message elsewhere = m;
  elsewhere.nodes[1].node = 4;
  CHECK_FALSE(is_decoded(encoded(elsewhere), read));
}

TEST_CASE("a migrating object is read as it was written, with its messages and senders, and refused if cut or longer") {
  const std::vector<std::byte> data(200, std::byte{1}), arguments(90, std::byte{2});
  object_migration m;
  check_fields(m);
  m.header = {.is_retained = true,
              .epoch = migration_epoch{3},
              .object = object_id{4},
              .type = 5,
              .attachments = data::kept_attachments{6},
              .parts = 7};
  m.name = {"an object"};
  m.load = {.workers = 0.5, .devices = 0.25, .hint = 8};
  m.behind.all = {0, 9};
  m.bytes = {data};
  m.messages.all = {{example_header(), message_queue::accepted, {"a name"}, {arguments}},
                    {example_header(), message_queue::out_of_order, {}, {}}};
  m.senders.all = {{.node = 1, .next = 10, .residences = {{11, 2}}, .refused = {{12, failure_number(9)}}},
                   {.node = 3, .next = 13, .skipped = {15, 17}}};
  check_fields(m);

  const std::vector<std::byte> bytes = encoded(m);
  CHECK(bytes.front() == std::byte{1});  // the source sets is_retained there
  object_migration read;
  REQUIRE(is_decoded(bytes, read));
  CHECK((read.header.is_retained && !read.header.is_constructed && read.header.epoch == migration_epoch{3} &&
         read.header.object == object_id{4}));
  CHECK((read.header.type == 5 && read.header.attachments == data::kept_attachments{6} && read.header.parts == 7));
  CHECK((read.name.text == "an object" && read.load.workers == 0.5 && read.load.hint == 8));
  CHECK((read.behind.all == m.behind.all && std::ranges::equal(read.bytes.all, data)));
  REQUIRE((read.messages.all.size() == 2 && read.senders.all.size() == 2));
  CHECK(read.messages.all[0].queue == message_queue::accepted);
  CHECK(std::ranges::equal(read.messages.all[0].arguments.all, arguments));
  CHECK((read.messages.all[1].header.target == 2 && read.messages.all[1].name.text.empty()));
  CHECK((read.senders.all[0].residences[0].end == 11 && read.senders.all[0].residences[0].on == 2));
  CHECK((read.senders.all[0].refused[0].cause->id() == 9 && read.senders.all[1].skipped[1] == 17));

  // A node without memory for the rest knows the object by the beginning.
  numbered_failures failures;
  dist::reader beginning{std::span(bytes).first(60)};
  object_migration prefix;
  dist::decode_prefix(beginning, prefix, {.nodes = 4, .failures = &failures});
  CHECK((prefix.header.is_retained && prefix.header.object == object_id{4} && prefix.name.text == "an object"));
  CHECK(prefix.messages.all.empty());
}

TEST_CASE("replies of mobile objects are read as they were written, and refused if cut; a value comes last") {
  const std::vector<std::byte> value(7, std::byte{9});
  const reply_header permanent{.request = 17, .cause = failure_number(5), .is_permanent = true};
  const reply_header attached{.request = 18, .attachments = data::kept_attachments{19}};
  for (const reply_header& header : {reply_header{.request = 20}, permanent, attached}) {
    check_fields(value_reply{.header = header, .value = value}, value.size());
    check_fields(value_and_end_reply{.header = header, .value = value}, value.size());
    check_fields(value_and_end_reply{.header = header});
    check_fields(end_reply{.header = header});
  }
  reply_batcher::batch requests;
  check_fields(batched_replies{requests});
  for (std::uint64_t i = 0; i < reply_batcher::max_replies; ++i) requests.requests[requests.count++] = 1000 + i;
  check_fields(batched_replies{requests});

  const std::vector<std::byte> bytes = encoded(value_and_end_reply{.header = permanent, .value = value});
  value_and_end_reply reply;
  REQUIRE(is_decoded(bytes, reply));
  CHECK((reply.header.request == 17 && reply.header.cause->id() == 5 && reply.header.is_permanent));
  CHECK_FALSE(reply.header.attachments.has_value());
  CHECK(reply.value.data() == bytes.data() + bytes.size() - value.size());
  end_reply end;
  REQUIRE(is_decoded(encoded(end_reply{.header = attached}), end));
  CHECK((end.header.request == 18 && !end.header.cause && end.header.attachments == data::kept_attachments{19}));
  batched_replies batch;
  std::vector<std::byte> of_batch = encoded(batched_replies{requests});
  REQUIRE(is_decoded(of_batch, batch));
  CHECK(batch.requests.count == reply_batcher::max_replies);
  CHECK(batch.requests.all().back() == 1000 + reply_batcher::max_replies - 1);
  of_batch.front() = static_cast<std::byte>(reply_batcher::max_replies + 1);
  of_batch.resize(of_batch.size() + sizeof(std::uint64_t));
  CHECK_FALSE(is_decoded(of_batch, batch));
}

TEST_CASE("aggregated replies are encoded one by one, and read together as they were written, or refused") {
  const std::vector<std::byte> value(300, std::byte{7});
  const std::vector<aggregated_reply> all{
      {.request = 1, .what = reply_stage::value_and_end},
      {.request = 2, .what = reply_stage::value, .value = {value}},
      {.request = 3, .what = reply_stage::value_and_end, .cause = failure_number(6), .is_permanent = true},
      {.request = 4, .what = reply_stage::end, .cause = failure_number(7)},
      {.request = 5, .what = reply_stage::value_and_end, .value = {std::span(value).first(1)}}};
  check_fields(aggregated_replies{});
  check_fields(aggregated_replies{all});

  numbered_failures failures;
  const dist::message_environment environment{.nodes = 4, .failures = &failures};
  std::vector<std::byte> replies;
  for (const aggregated_reply& r : all) {
    dist::writer w;
    dist::field_encoder fields(w, environment);
    fields.keeps_rest_apart = true;
    fields.put(r);
    CHECK(fields.rest.data() == r.value.all.data());
    replies.insert(replies.end(), w.all().begin(), w.all().end());
    replies.insert(replies.end(), fields.rest.begin(), fields.rest.end());
  }
  const std::vector<std::byte> bytes = encoded(encoded_replies{static_cast<std::uint32_t>(all.size()), replies});
  CHECK(bytes == encoded(aggregated_replies{all}));
  aggregated_replies read;
  REQUIRE(is_decoded(bytes, read));
  REQUIRE(read.replies.size() == all.size());
  CHECK((read.replies[1].request == 2 && read.replies[1].what == reply_stage::value && !read.replies[1].cause));
  CHECK(std::ranges::equal(read.replies[1].value.all, value));
  CHECK((read.replies[2].cause->id() == 6 && read.replies[2].is_permanent && read.replies[2].value.all.empty()));
}

}  // namespace stretto::mobiles
