// communicator_creation.cpp - agrees on numbers, and makes the members that follow from what the ranks exchanged.
#include "ranks/communicators/communicator_creation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/communicators/group_operations.hpp"

namespace stretto::ranks {

namespace {

enum class sides { local, both };

static_assert(sizeof(number_offer) % sizeof(std::uint64_t) == 0);

number_offer combined_offer(const number_offer& own, sides over, creation_exchange& exchange) {
  std::vector<std::uint64_t> masks = values_of<std::uint64_t>(bytes_of(std::span(&own, 1)));
  exchange.combine(masks);
  number_offer all = values_of<number_offer>(std::as_bytes(std::span(masks)))[0];
  if (over == sides::both) all = combined(all, trade_values(exchange, std::vector{all})[0]);
  return all;
}

communicator_number agree(const agreement_key& key, sides over, const creation_site& site) {
  number_agreement agreement(site.numbers, key);
  for (;;) {
    const number_offer all = combined_offer(agreement.start_round(), over, site.exchange);
    switch (agreement.end_round(all)) {
      case agreement_outcome::agreed: return agreement.number();
      case agreement_outcome::another_round: break;
      case agreement_outcome::exhausted:
        throw call_error(error_class::other,
                         "the ranks have no free number for a communicator in common: each can have " +
                             std::to_string(2 * numbers_per_part));
    }
  }
}

/// Numbers of a communicator, released when nobody keeps them any more.
class reserved_numbers {
 public:
  explicit reserved_numbers(number_table& table) : table_(table) {}
  reserved_numbers(const reserved_numbers&) = delete;
  reserved_numbers& operator=(const reserved_numbers&) = delete;
  ~reserved_numbers() {
    for (const communicator_number number : numbers_) table_.release(number);
  }

  communicator_number add(communicator_number number) {
    numbers_.push_back(number);
    return number;
  }

 private:
  number_table& table_;
  std::vector<communicator_number> numbers_;
};

using shared_numbers = std::shared_ptr<reserved_numbers>;

/// A number for a communicator of a group whose ranks all call. A rank alone agrees with nobody.
communicator_number number_for(const group& local, const agreement_key& key, const creation_site& site) {
  return local.size() == 1 ? site.numbers.take_single() : agree(key, sides::local, site);
}

/// Numbers for a communicator that is created by all ranks of `parent`.
communicator_members numbered(communicator& parent, const shared_numbers& numbers, const creation_site& site) {
  const std::uint32_t call = site.call ? *site.call : parent.next_creation();
  const communicator_members& old = parent.members();
  communicator_members made;
  if (old.remote) {
    made.local_number = numbers->add(number_for(old.local, key_of_collective(old.local_number, call), site));
    made.number = numbers->add(agree(key_of_collective(old.number, call), sides::both, site));
  } else {
    made.number = numbers->add(number_for(old.local, key_of_collective(old.number, call), site));
  }
  return made;
}

created_communicator made_of(communicator_members members, const shared_numbers& numbers, const creation_site& site) {
  created_communicator made;
  if (members.local.contains(site.self)) made = made_communicator(site.node.share(std::move(members)), site.self);
  if (made) made->set_numbers(numbers);
  return made;
}

/// A new communicator that is no duplicate has the error handler of the old one, and none of its other properties.
created_communicator inherited(created_communicator made, const communicator& parent) {
  if (made) made->set_handler(parent.handler());
  return made;
}

group listed(const std::vector<world_rank>& members) { return group(members); }

std::vector<world_rank> list_of(const group& members) {
  std::vector<world_rank> list;
  for (int rank = 0; rank < members.size(); ++rank) list.push_back(members[rank]);
  return list;
}

/// The group that the ranks of a side pass; some may pass an empty one.
group passed_group(const group& chosen, creation_exchange& exchange) {
  std::vector<world_rank> all = gather_lists(exchange, list_of(chosen)), members;
  for (const world_rank member : all) {
    if (std::ranges::find(members, member) == members.end()) members.push_back(member);
  }
  return listed(members);
}

}  // namespace

created_communicator duplicate(communicator& original, void* handle, const creation_site& site) {
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members = numbered(original, numbers, site);
  members.local = original.members().local;
  members.remote = original.members().remote;
  auto copy = std::make_unique<communicator>(site.node.share(std::move(members)), original.rank());
  copy_properties(original, *copy, handle, copy.get());
  copy->set_numbers(numbers);
  return copy;
}

created_communicator split(communicator& parent, const split_choice& choice, const creation_site& site) {
  check_color(choice.color);
  const std::vector<split_choice> choices = gather_value(site.exchange, choice);
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members = numbered(parent, numbers, site);
  const communicator_members& old = parent.members();
  members.local = split_group(old.local, choices, choice.color);
  if (old.remote) members.remote = split_group(*old.remote, trade_values(site.exchange, choices), choice.color);
  return inherited(made_of(std::move(members), numbers, site), parent);
}

created_communicator create(communicator& parent, const group& chosen, const creation_site& site) {
  check_subgroup(parent.members().local, chosen);
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members = numbered(parent, numbers, site);
  members.local = chosen;
  if (parent.is_intercommunicator()) {
    members.remote = listed(trade_values(site.exchange, list_of(passed_group(chosen, site.exchange))));
  }
  return inherited(made_of(std::move(members), numbers, site), parent);
}

created_communicator create_from_group(const group& chosen, const agreement_key& key, const creation_site& site) {
  if (!chosen.contains(site.self)) return nullptr;
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members;
  members.local = chosen;
  members.number = numbers->add(number_for(chosen, key, site));
  return made_of(std::move(members), numbers, site);
}

created_communicator create_intercommunicator(communicator& local, int leader, const creation_site& site) {
  const group& own = local.members().local;
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members;
  members.local = own;
  members.local_number = numbered(local, numbers, site).number;
  const intercommunicator_side side{members.local_number, own[leader]};
  const intercommunicator_side other = trade_values(site.exchange, std::vector{side})[0];
  members.remote = listed(trade_values(site.exchange, list_of(own)));
  check_disjoint(own, *members.remote);
  members.number = numbers->add(agree(key_of_sides(side, other), sides::both, site));
  return inherited(made_of(std::move(members), numbers, site), local);
}

created_communicator merge(communicator& both, bool is_high, const creation_site& site) {
  const communicator_members& old = both.members();
  const int is_other_high = trade_values(site.exchange, std::vector<int>{is_high})[0];
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members;
  members.number = numbers->add(agree(key_of_collective(old.number, both.next_creation()), sides::both, site));
  members.local = merged_group({old.local, is_high}, {*old.remote, is_other_high != 0});
  return inherited(made_of(std::move(members), numbers, site), both);
}

created_communicator arrange(communicator& parent, topology arrangement, const creation_site& site,
                             std::span<const int> order) {
  const group& all = parent.members().local;
  const int places = places_of(arrangement).value_or(all.size());
  if (places > all.size()) {
    throw call_error(error_class::topology, "the topology has " + std::to_string(places) +
                                                " places, and the communicator " + std::to_string(all.size()) +
                                                " ranks");
  }
  const auto numbers = std::make_shared<reserved_numbers>(site.numbers);
  communicator_members members = numbered(parent, numbers, site);
  const group_range first{0, places - 1, 1};
  if (places > 0) members.local = order.empty() ? ranges_included(all, std::span(&first, 1)) : included(all, order);
  created_communicator made = inherited(made_of(std::move(members), numbers, site), parent);
  if (made) made->set_arrangement(std::make_shared<const topology>(std::move(arrangement)));
  return made;
}

created_communicator part_of_grid(communicator& grid, const std::vector<bool>& is_kept, const creation_site& site) {
  const auto& whole = std::get<cartesian_grid>(*grid.arrangement());
  created_communicator part = split(grid, whole.part_of(grid.rank(), is_kept), site);
  part->set_arrangement(std::make_shared<const topology>(whole.part(is_kept)));
  return part;
}

}  // namespace stretto::ranks
