#include "mobile/letters_to_many.hpp"

#include "dist/program_constants.hpp"

namespace stretto::mobiles {

void said_once::say(far_letter& l, std::uint64_t index, std::uint64_t position) const {
  l.object = first + index;
  l.request = first_request + position;
  l.function = function;
  l.where = where;
  l.kind = static_cast<std::uint64_t>(kind);
  l.from = from;
  l.priority = priority;
  l.name = name;
}

void letters_to_many::write_words(dist::writer& to, std::span<const letters_for> to_nodes, std::uint16_t node) const {
  to.put(first).put(first_request).put(from).put(kind).put(priority).put(function).put(dist::encode(where, node));
  to.put_text(name, longest_name);
  to.put(static_cast<std::uint32_t>(to_nodes.size()));
  for (const letters_for& n : to_nodes) {
    to.put(n.node).put(static_cast<std::uint32_t>(n.runs.size()));
    for (const run_of_letters& r : n.runs) to.put(r.index).put(r.position).put(r.number).put(r.answered).put(r.epoch).put(r.count);
  }
}

letters_to_many::letters_to_many(dist::reader& c, std::uint16_t node) {
  first = c.get<object_id>();
  first_request = c.get<std::uint64_t>();
  from = c.get<rank>();
  kind = c.get<letter_kind>();
  priority = c.get<std::int8_t>();
  function = c.get<std::uint64_t>();
  where = dist::decode(c.get<std::uint64_t>(), node);
  name = c.get_text();
  for (auto n = c.get<std::uint32_t>(); n && c.is_whole(); --n) {
    letters_for& of = nodes.emplace_back();
    of.node = c.get<rank>();
    for (auto runs = c.get<std::uint32_t>(); runs && c.is_whole(); --runs) {
      run_of_letters& r = of.runs.emplace_back();
      r.index = c.get<std::uint64_t>();
      r.position = c.get<std::uint64_t>();
      r.number = c.get<std::uint64_t>();
      r.answered = c.get<std::uint64_t>();
      r.epoch = c.get<std::uint32_t>();
      r.count = c.get<std::uint32_t>();
    }
  }
  arguments = c.get_bytes(c.left());
}

std::unique_ptr<far_letter> letters_to_many::letter(const run_of_letters& run, std::uint32_t i) const {
  auto l = std::make_unique<far_letter>();
  say(*l, run.index + i, run.position + i);
  l->number = run.number;
  l->answered = run.answered;
  l->way.epoch = run.epoch;
  return l;
}

}  // namespace stretto::mobiles
