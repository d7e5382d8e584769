#include "ranks/process/message_exchange.hpp"

#include <utility>

#include "ranks/process/collective_request.hpp"

namespace stretto::ranks {
namespace {

const datatype& type_of_bytes() { return *predefined_type(0x247); }               // MPI_BYTE
const datatype& type_of_masks() { return *predefined_type(0x259); }               // MPI_UINT64_T
const reduction_operation& bitwise_and() { return *predefined_operation(0x28); }  // MPI_BAND

data_buffer buffer_of(std::span<std::byte> bytes) {
  return {bytes.data(), static_cast<std::int64_t>(bytes.size()), &type_of_bytes()};
}

/// Collectives of the ranks that create a communicator, and messages between the leaders of two groups.
class exchange_by_messages : public creation_exchange {
 public:
  exchange_by_messages(rank& of, int leader) : rank_(of), leader_(leader) {}

  void combine(std::span<std::uint64_t> values) override {
    collective_owner one = make_local();
    build_allreduce(
        one->steps(), one->local_group(),
        {in_place_buffer(), values.data(), static_cast<std::int64_t>(values.size()), &type_of_masks(), &bitwise_and()});
    perform(std::move(one));
  }

  std::vector<std::byte> gather(std::span<const std::byte> own) override {
    collective_owner one = make_local();
    std::vector<std::byte> all(own.size() * static_cast<std::size_t>(one->local_group().size));
    const auto bytes = static_cast<std::int64_t>(own.size());
    build_allgather(one->steps(), one->local_group(), {own.data(), bytes, &type_of_bytes()},
                    {all.data(), bytes, type_of_bytes()});
    perform(std::move(one));
    return all;
  }

  std::vector<std::byte> trade(std::span<const std::byte> own) override {
    std::uint64_t size = own.size(), other_size = 0;
    trade_equal(std::as_bytes(std::span(&size, 1)), std::as_writable_bytes(std::span(&other_size, 1)));
    std::vector<std::byte> other(other_size);
    trade_equal(own, other);
    return other;
  }

 protected:
  /// The next collective of both groups, and of the local one: groups may need different numbers of these.
  virtual collective_owner make() = 0;
  virtual collective_owner make_local() { return make(); }
  /// The other leader, among the ranks of the other group.
  virtual int other_leader() const { return 0; }
  rank& of() { return rank_; }

 private:
  /// The leaders exchange bytes, and each gives its group what it got.
  void trade_equal(std::span<const std::byte> own, std::span<std::byte> other) {
    collective_owner one = make();
    schedule& steps = one->steps();
    if (one->local_group().rank == leader_) {
      const peer_rank there{other_leader(), group_side::remote};
      steps.receive(there, data_part(other.data(), static_cast<std::int64_t>(other.size())));
      steps.send(there, data_part(own.data(), static_cast<std::int64_t>(own.size())));
      steps.wait_all();
    }
    build_broadcast(steps, one->local_group(), buffer_of(other), leader_);
    perform(std::move(one));
  }

  rank& rank_;
  const int leader_;
};

class exchange_over final : public exchange_by_messages {
 public:
  exchange_over(rank& of, communicator& comm) : exchange_by_messages(of, 0), comm_(comm) {}

 private:
  collective_owner make() override { return make_collective(comm_); }
  collective_owner make_local() override { return make_local_collective(comm_); }

  communicator& comm_;
};

class exchange_in_group final : public exchange_by_messages {
 public:
  exchange_in_group(rank& of, int leader, collective_scope scope, int tag)
      : exchange_by_messages(of, leader), scope_(std::move(scope)), tag_(tag & 0x3fff'ffff) {}

 private:
  collective_owner make() override { return collective_owner(new collective_request(of(), scope_, tag_)); }

  const collective_scope scope_;
  const int tag_;
};

}  // namespace

std::unique_ptr<creation_exchange> message_exchanges::over(communicator& comm) {
  return std::make_unique<exchange_over>(rank_, comm);
}

std::unique_ptr<creation_exchange> message_exchanges::in_group(const group& members, int tag) {
  return std::make_unique<exchange_in_group>(rank_, 0, collective_scope(members, {}, rank_), tag);
}

std::unique_ptr<creation_exchange> message_exchanges::apart(communicator& comm, std::uint32_t call) {
  const communicator_members& all = comm.members();
  std::optional<group> other;
  if (all.remote && comm.rank() == 0) other = group((*all.remote)[0], 1);
  collective_scope scope(all.local, std::move(other), rank_);
  scope.context = duplication_context;
  const auto tag = static_cast<std::uint32_t>(all.number) << 16 | (call & 0xffff);
  return std::make_unique<exchange_in_group>(rank_, 0, std::move(scope), static_cast<int>(tag & 0x3fff'ffff));
}

std::unique_ptr<creation_exchange> message_exchanges::between(communicator& local, const leader_link& link) {
  std::optional<group> other;
  if (local.rank() == link.local_leader) other = group(*link.remote_leader, 1);
  return std::make_unique<exchange_in_group>(
      rank_, link.local_leader, collective_scope(local.members().local, std::move(other), rank_), link.tag);
}

}  // namespace stretto::ranks
