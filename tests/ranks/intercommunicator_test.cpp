#include <doctest/doctest.h>

#include <vector>

#include "ranks/model_operation.hpp"
#include "ranks/random_job.hpp"

using namespace stretto;
using ranks::collective_group;
using test::block_form, test::collective_cases, test::collective_random, test::index, test::integer_type,
    test::integers, test::model_job, test::modelled_operation, test::placed_blocks, test::placed_data,
    test::rank_memory, test::require_all;

namespace {

/// Two groups of random sizes; the ranks of both are numbered from 0 to before all().
struct two_groups {
  explicit two_groups(std::uint64_t seed)
      : random(seed),
        sizes{static_cast<int>(random.number(1, 9)), static_cast<int>(random.number(1, 9))},
        job(random.seed(), sizes[0], sizes[1]) {
    root_side = static_cast<int>(random.number(0, 1));
    root = static_cast<int>(random.number(0, sizes[root_side] - 1));
    if (random.one_in(3)) concurrency = static_cast<int>(random.number(1, 3));
  }

  int all() const { return sizes[0] + sizes[1]; }
  int side(int number) const { return number < sizes[0] ? 0 : 1; }
  int rank(int number) const { return number < sizes[0] ? number : number - sizes[0]; }
  int number(int of_side, int of_rank) const { return of_side == 0 ? of_rank : sizes[0] + of_rank; }
  collective_group group(int number) const {
    return {rank(number), sizes[side(number)], sizes[1 - side(number)], concurrency};
  }
  /// The root's argument at a rank of the job.
  int root_for(int number) const {
    if (side(number) != root_side) return root;
    return rank(number) == root ? ranks::this_rank_is_root : ranks::null_process;
  }
  bool is_root(int number) const { return root_for(number) == ranks::this_rank_is_root; }

  collective_random random;
  int sizes[2];
  model_job job;
  int root_side = 0;
  int root = 0;
  int concurrency = 1000;
};

/// Values of each rank, and the results.
struct inter_reduction : two_groups {
  explicit inter_reduction(std::uint64_t seed) : two_groups(seed), combined_by(any_operation(random)) {
    type = type_for(random, combined_by);
  }

  void make_values(std::int64_t count) {
    elements = count;
    for (int i = 0; i < all(); ++i) {
      values.push_back(random.values(count * type.integers));
      in.emplace_back(count * type.type->extent());
      out.emplace_back(count * type.type->extent());
      in.back().put(type, 0, values.back());
    }
  }
  integers combined(int of_side) const {
    integers result = values[index(number(of_side, 0))];
    for (int i = 1; i < sizes[of_side]; ++i) {
      integers right = values[index(number(of_side, i))];
      combined_by.model(result, right);
      result = std::move(right);
    }
    return result;
  }
  ranks::reduction_buffers buffers(int i) {
    return {in[index(i)].at(), out[index(i)].at(), elements, type.type.get(), &*combined_by.operation};
  }
  void run_and_compare() {
    job.run();
    for (const rank_memory& memory : in) REQUIRE(memory.is_as_expected());
    for (const rank_memory& memory : out) REQUIRE(memory.is_as_expected());
  }

  modelled_operation combined_by;
  integer_type type;
  std::int64_t elements = 0;
  std::vector<integers> values;
  std::vector<rank_memory> in, out;
};

}  // namespace

TEST_CASE("no rank leaves a barrier of two groups before the last one has come") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    two_groups both(seed);
    for (int i = 0; i < both.all(); ++i) build_barrier(both.job[i], both.group(i));
    const int last = static_cast<int>(both.random.number(0, both.all() - 1));
    for (int i = 0; i < both.all(); ++i) {
      if (i != last) both.job.runs[index(i)]->start(both.job[i], 0);
    }
    both.job.network.run_events();
    for (int i = 0; i < both.all(); ++i) REQUIRE(both.job.runs[index(i)]->has_ended() == (i == last));
    both.job.runs[index(last)]->start(both.job[last], 0);
    both.job.network.run();
    both.job.require_ended();
  }
}

TEST_CASE("a broadcast between groups gives the other group the data of the root") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    two_groups both(seed);
    const std::int64_t length = both.random.length();
    const integers values = both.random.values(length);
    std::vector<placed_data> data;
    for (int i = 0; i < both.all(); ++i) {
      data.emplace_back(both.random, length);
      if (both.is_root(i)) data.back().put(values);
      else if (both.side(i) != both.root_side) data.back().expect(values);
      build_broadcast(both.job[i], both.group(i), data.back().buffer(), both.root_for(i));
    }
    both.job.run();
    require_all(data);
  }
}

TEST_CASE("gathers and scatters between groups connect the root with the other group") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    two_groups both(seed);
    const bool is_varying = both.random.one_in(2), is_scatter = both.random.one_in(2);
    const block_form form = is_varying ? block_form::varying : block_form::regular;
    const std::int64_t common = both.random.length();
    std::vector<std::int64_t> lengths;
    for (int i = 0; i < both.sizes[1 - both.root_side]; ++i) {
      lengths.push_back(is_varying ? both.random.length() : common);
    }
    placed_blocks blocks = place_blocks(both.random, lengths, form);
    std::vector<placed_data> data;
    for (int i = 0; i < both.all(); ++i) {
      const bool takes_part = both.side(i) != both.root_side;
      const std::size_t block = index(takes_part ? both.rank(i) : 0);
      data.emplace_back(both.random, lengths[block]);
      const integers values = both.random.values(lengths[block]);
      if (takes_part && is_scatter) {
        blocks.put(block, values);
        data.back().expect(values);
      } else if (takes_part) {
        data.back().put(values);
        blocks.expect(block, values);
      }
      const ranks::data_buffer own = data.back().buffer();
      const ranks::block_buffer all = both.is_root(i) ? blocks.buffer() : ranks::block_buffer();
      const auto gather = is_varying ? ranks::build_gatherv : ranks::build_gather;
      const auto scatter = is_varying ? ranks::build_scatterv : ranks::build_scatter;
      if (is_scatter) scatter(both.job[i], both.group(i), all, own, both.root_for(i));
      else gather(both.job[i], both.group(i), own, all, both.root_for(i));
    }
    both.job.run();
    require_all(data);
    REQUIRE(blocks.memory.is_as_expected());
  }
}

TEST_CASE("an allgather between groups gives each group the blocks of the other one") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    two_groups both(seed);
    const block_form form = both.random.one_in(2) ? block_form::varying : block_form::regular;
    const std::int64_t common[2] = {both.random.length(), both.random.length()};
    std::vector<integers> values;
    std::vector<placed_data> data;
    for (int i = 0; i < both.all(); ++i) {
      const std::int64_t length = form == block_form::regular ? common[both.side(i)] : both.random.length();
      values.push_back(both.random.values(length));
      data.emplace_back(both.random, length);
      data.back().put(values.back());
    }
    std::vector<placed_blocks> blocks;
    for (int i = 0; i < both.all(); ++i) {
      const int other = 1 - both.side(i);
      std::vector<std::int64_t> lengths;
      for (int k = 0; k < both.sizes[other]; ++k) lengths.push_back(std::ssize(values[index(both.number(other, k))]));
      blocks.push_back(place_blocks(both.random, lengths, form));
      for (int k = 0; k < both.sizes[other]; ++k) blocks.back().expect(index(k), values[index(both.number(other, k))]);
    }
    for (int i = 0; i < both.all(); ++i) {
      build_allgather(both.job[i], both.group(i), data[index(i)].buffer(), blocks[index(i)].buffer());
    }
    both.job.run();
    require_all(data);
    require_all(blocks);
  }
}

TEST_CASE("an exchange between groups gives each pair of both its block") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    two_groups both(seed);
    const auto form = static_cast<block_form>(both.random.number(0, 2));
    const std::int64_t common[2] = {both.random.number(0, 40), both.random.number(0, 40)};
    std::vector<std::vector<integers>> values(index(both.all()));
    for (int i = 0; i < both.all(); ++i) {
      for (int k = 0; k < both.sizes[1 - both.side(i)]; ++k) {
        const std::int64_t length = form == block_form::regular ? common[both.side(i)] : both.random.number(0, 900);
        values[index(i)].push_back(both.random.values(length));
      }
    }
    std::vector<placed_blocks> sent, received;
    for (int i = 0; i < both.all(); ++i) {
      const int other = 1 - both.side(i);
      std::vector<std::int64_t> lengths, arriving;
      const auto from = [&](int k) -> const integers& {
        return values[index(both.number(other, k))][index(both.rank(i))];
      };
      for (int k = 0; k < both.sizes[other]; ++k) {
        lengths.push_back(std::ssize(values[index(i)][index(k)]));
        arriving.push_back(std::ssize(from(k)));
      }
      sent.push_back(place_blocks(both.random, lengths, form));
      received.push_back(place_blocks(both.random, arriving, form));
      for (int k = 0; k < both.sizes[other]; ++k) {
        sent.back().put(index(k), values[index(i)][index(k)]);
        received.back().expect(index(k), from(k));
      }
    }
    for (int i = 0; i < both.all(); ++i) {
      build_alltoall(both.job[i], both.group(i), sent[index(i)].buffer(), received[index(i)].buffer());
    }
    both.job.run();
    require_all(sent);
    require_all(received);
  }
}

TEST_CASE("a reduction between groups gives the root the values of the other group in their order") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    inter_reduction both(seed);
    both.make_values(both.random.length());
    for (int i = 0; i < both.all(); ++i) {
      if (both.is_root(i)) both.out[index(i)].expect(both.type, 0, both.combined(1 - both.root_side));
      build_reduce(both.job[i], both.group(i), both.buffers(i), both.root_for(i));
    }
    both.run_and_compare();
  }
}

TEST_CASE("a reduction to all between groups gives each group the values of the other one") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    inter_reduction both(seed);
    both.make_values(both.random.length());
    const integers results[] = {both.combined(1), both.combined(0)};
    for (int i = 0; i < both.all(); ++i) {
      both.out[index(i)].expect(both.type, 0, results[both.side(i)]);
      build_allreduce(both.job[i], both.group(i), both.buffers(i));
    }
    both.run_and_compare();
  }
}

TEST_CASE("a scattered reduction between groups cuts the values of the other group") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    inter_reduction both(seed);
    const std::int64_t all = both.random.length();
    both.make_values(all);
    const bool are_equal = all % both.sizes[0] == 0 && all % both.sizes[1] == 0;
    for (const int side : {0, 1}) {
      const integers result = both.combined(1 - side);
      const int size = both.sizes[side];
      std::vector<int> counts;
      std::int64_t begin = 0;
      for (int k = 0; k < size; ++k) {
        const std::int64_t rest = all - begin;
        const std::int64_t count = are_equal ? all / size : k + 1 == size ? rest : both.random.number(0, rest);
        counts.push_back(static_cast<int>(count));
        const integers part(result.begin() + begin * both.type.integers,
                            result.begin() + (begin + count) * both.type.integers);
        both.out[index(both.number(side, k))].expect(both.type, 0, part);
        begin += count;
      }
      for (int k = 0; k < size; ++k) {
        const int i = both.number(side, k);
        ranks::reduction_buffers buffers = both.buffers(i);
        if (!are_equal) build_reduce_scatter(both.job[i], both.group(i), buffers, counts.data());
        buffers.count = all / size;
        if (are_equal) build_reduce_scatter_block(both.job[i], both.group(i), buffers);
      }
    }
    both.run_and_compare();
  }
}
