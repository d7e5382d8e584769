#include <doctest/doctest.h>

#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/random_job.hpp"

using namespace stretto;
using test::block_form, test::collective_cases, test::collective_random, test::index, test::integers, test::model_job,
    test::placed_blocks, test::placed_data, test::random_job, test::require_all;

namespace {

ranks::data_buffer in_place() { return {ranks::in_place_buffer(), 0, ranks::predefined_type(0x209)}; }

block_form any_form(collective_random& random) { return static_cast<block_form>(random.number(0, 2)); }

}  // namespace

TEST_CASE("no rank leaves a barrier before the last one has come") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    for (int i = 0; i < all.size; ++i) build_barrier(all.job[i], all.group(i));
    const int last = all.root;
    for (int i = 0; i < all.size; ++i) {
      if (i != last) all.job.runs[index(i)]->start(all.job[i], 0);
    }
    all.job.network.run_events();
    for (int i = 0; i < all.size; ++i) REQUIRE(all.job.runs[index(i)]->has_ended() == (i == last));
    all.job.runs[index(last)]->start(all.job[last], 0);
    all.job.network.run();
    all.job.require_ended();
  }
}

TEST_CASE("a broadcast gives all ranks the data of the root") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const std::int64_t length = all.random.one_in(20) ? 140'000 : all.random.length();
    const integers values = all.random.values(length);
    std::vector<placed_data> data;
    for (int i = 0; i < all.size; ++i) {
      data.emplace_back(all.random, length);
      if (i == all.root) data.back().put(values);
      else data.back().expect(values);
      all.call({ranks::collective_kind::broadcast, all.root, data.back().buffer()});
    }
    all.run();
    require_all(data);
  }
}

TEST_CASE("a gather collects a block of each rank at the root") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const bool is_varying = all.random.one_in(2), is_in_place = all.random.one_in(3);
    const auto lengths = all.lengths_for(is_varying ? block_form::varying : block_form::regular);
    placed_blocks blocks = place_blocks(all.random, lengths, is_varying ? block_form::varying : block_form::regular);
    std::vector<placed_data> data;
    for (int i = 0; i < all.size; ++i) {
      const integers values = all.random.values(lengths[index(i)]);
      data.emplace_back(all.random, lengths[index(i)]);
      data.back().put(values);
      const bool is_there = i == all.root && is_in_place;
      if (is_there) blocks.put(index(i), values);
      else blocks.expect(index(i), values);
      const ranks::data_buffer own = is_there ? in_place() : data.back().buffer();
      const ranks::block_buffer target = i == all.root ? blocks.buffer() : ranks::block_buffer();
      const auto kind = is_varying ? ranks::collective_kind::gatherv : ranks::collective_kind::gather;
      all.call({kind, all.root, own, {}, target});
    }
    all.run();
    require_all(data);
    REQUIRE(blocks.memory.is_as_expected());
  }
}

TEST_CASE("a scatter gives each rank its block of the root") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const bool is_varying = all.random.one_in(2), is_in_place = all.random.one_in(3);
    const auto lengths = all.lengths_for(is_varying ? block_form::varying : block_form::regular);
    placed_blocks blocks = place_blocks(all.random, lengths, is_varying ? block_form::varying : block_form::regular);
    std::vector<placed_data> data;
    for (int i = 0; i < all.size; ++i) {
      const integers values = all.random.values(lengths[index(i)]);
      data.emplace_back(all.random, lengths[index(i)]);
      const bool is_there = i == all.root && is_in_place;
      if (!is_there) data.back().expect(values);
      blocks.put(index(i), values);
      const ranks::data_buffer own = is_there ? in_place() : data.back().buffer();
      const ranks::block_buffer source = i == all.root ? blocks.buffer() : ranks::block_buffer();
      const auto kind = is_varying ? ranks::collective_kind::scatterv : ranks::collective_kind::scatter;
      all.call({kind, all.root, own, source});
    }
    all.run();
    require_all(data);
    REQUIRE(blocks.memory.is_as_expected());
  }
}

TEST_CASE("an allgather collects a block of each rank at all ranks") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const block_form form = all.random.one_in(2) ? block_form::regular : block_form::varying;
    const auto lengths = all.lengths_for(form);
    std::vector<integers> values;
    for (const std::int64_t length : lengths) values.push_back(all.random.values(length));
    std::vector<placed_data> data;
    std::vector<placed_blocks> blocks;
    const bool is_in_place = all.random.one_in(3);
    for (int i = 0; i < all.size; ++i) {
      data.emplace_back(all.random, lengths[index(i)]);
      data.back().put(values[index(i)]);
      blocks.push_back(place_blocks(all.random, lengths, form));
      for (int j = 0; j < all.size; ++j) {
        if (is_in_place && i == j) blocks.back().put(index(j), values[index(j)]);
        else blocks.back().expect(index(j), values[index(j)]);
      }
    }
    for (int i = 0; i < all.size; ++i) {
      const ranks::data_buffer own = is_in_place ? in_place() : data[index(i)].buffer();
      all.call({ranks::collective_kind::allgather, 0, own, {}, blocks[index(i)].buffer()});
    }
    all.run();
    require_all(data);
    require_all(blocks);
  }
}

TEST_CASE("an exchange of all with all gives each pair its block") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const block_form form = any_form(all.random);
    const bool is_in_place = all.random.one_in(3);
    const std::int64_t common = all.random.length() / 4;
    std::vector<std::vector<integers>> values(index(all.size));
    for (int i = 0; i < all.size; ++i) {
      for (int j = 0; j < all.size; ++j) {
        // In place, both blocks of a pair are equally long.
        const bool is_mirrored = is_in_place && j < i;
        const std::int64_t other = is_mirrored ? std::ssize(values[index(j)][index(i)]) : all.random.length() / 4;
        values[index(i)].push_back(all.random.values(form == block_form::regular ? common : other));
      }
    }
    std::vector<placed_blocks> sent, received;
    for (int i = 0; i < all.size; ++i) {
      std::vector<std::int64_t> lengths, arriving;
      for (int j = 0; j < all.size; ++j) {
        lengths.push_back(std::ssize(values[index(i)][index(j)]));
        arriving.push_back(std::ssize(values[index(j)][index(i)]));
      }
      sent.push_back(place_blocks(all.random, lengths, form));
      received.push_back(place_blocks(all.random, arriving, form));
      for (int j = 0; j < all.size; ++j) {
        sent.back().put(index(j), values[index(i)][index(j)]);
        if (is_in_place) received.back().put(index(j), values[index(i)][index(j)]);
        received.back().expect(index(j), values[index(j)][index(i)]);
      }
    }
    for (int i = 0; i < all.size; ++i) {
      const ranks::block_buffer source =
          is_in_place ? ranks::block_buffer(ranks::in_place_buffer(), 0, *ranks::predefined_type(0x209))
                      : sent[index(i)].buffer();
      all.call({ranks::collective_kind::alltoall, 0, {}, source, received[index(i)].buffer()});
    }
    all.run();
    require_all(sent);
    require_all(received);
  }
}

TEST_CASE("many ranks exchange blocks, of which some are under way at once") {
  constexpr int size = 70, length = 1000;
  const ranks::datatype& integer = *ranks::predefined_type(0x209);
  model_job allgather(1, size), alltoall(2, size);
  std::vector<std::vector<int>> gathered(size), sent(size), received(size);
  for (int i = 0; i < size; ++i) {
    gathered[index(i)].resize(index(size * length));
    sent[index(i)].resize(index(size * length));
    received[index(i)].resize(index(size * length));
    for (int k = 0; k < size * length; ++k) sent[index(i)][index(k)] = i * size * length + k;
    build_allgather(allgather[i], {i, size}, {sent[index(i)].data(), length, &integer},
                    {gathered[index(i)].data(), length, integer});
    build_alltoall(alltoall[i], {i, size}, {sent[index(i)].data(), length, integer},
                   {received[index(i)].data(), length, integer});
  }
  allgather.run();
  alltoall.run();
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      int different = 0;
      for (int k = 0; k < length; ++k) {
        const std::size_t place = index(j * length + k);
        different += gathered[index(i)][place] != j * size * length + k;
        different += received[index(i)][place] != (j * size + i) * length + k;
      }
      REQUIRE(different == 0);
    }
  }
}

TEST_CASE("neighbours exchange blocks, also several with one neighbour") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const bool is_allgather = all.random.one_in(2);
    const block_form form = is_allgather ? block_form::varying : any_form(all.random);
    const std::int64_t common = all.random.number(0, 50);
    std::vector<std::vector<int>> sources(index(all.size)), destinations(index(all.size));
    std::vector<std::vector<integers>> sent_values(index(all.size)), received_values(index(all.size));
    std::vector<integers> own_values;
    for (int i = 0; i < all.size; ++i) own_values.push_back(all.random.values(all.random.number(0, 50)));
    const auto edges = all.random.number(0, 3 * all.size);
    for (std::int64_t edge = 0; edge < edges; ++edge) {
      const int from = static_cast<int>(all.random.number(0, all.size - 1));
      const int to = static_cast<int>(all.random.number(0, all.size - 1));
      const integers values = is_allgather
                                  ? own_values[index(from)]
                                  : all.random.values(form == block_form::regular ? common : all.random.number(0, 50));
      destinations[index(from)].push_back(to);
      sent_values[index(from)].push_back(values);
      sources[index(to)].push_back(from);
      received_values[index(to)].push_back(values);
    }
    std::vector<placed_data> data;
    std::vector<placed_blocks> sent, received;
    const auto lengths_of = [&](const std::vector<integers>& lists) {
      std::vector<std::int64_t> lengths;
      for (const integers& list : lists) lengths.push_back(std::ssize(list));
      // At least one, whose type a regular buffer has.
      if (lengths.empty()) lengths.push_back(0);
      return lengths;
    };
    for (int i = 0; i < all.size; ++i) {
      data.emplace_back(all.random, std::ssize(own_values[index(i)]));
      data.back().put(own_values[index(i)]);
      sent.push_back(place_blocks(all.random, lengths_of(sent_values[index(i)]), form));
      received.push_back(place_blocks(all.random, lengths_of(received_values[index(i)]), form));
      for (std::size_t k = 0; k < sent_values[index(i)].size(); ++k) sent.back().put(k, sent_values[index(i)][k]);
      for (std::size_t k = 0; k < received_values[index(i)].size(); ++k) {
        received.back().expect(k, received_values[index(i)][k]);
      }
    }
    for (int i = 0; i < all.size; ++i) {
      const ranks::neighbor_ranks neighbors{sources[index(i)], destinations[index(i)]};
      const ranks::block_buffer target = received[index(i)].buffer();
      if (is_allgather) build_neighbor_allgather(all.job[i], neighbors, data[index(i)].buffer(), target);
      else build_neighbor_alltoall(all.job[i], neighbors, sent[index(i)].buffer(), target);
    }
    all.job.run();
    require_all(data);
    require_all(sent);
    require_all(received);
  }
}

TEST_CASE("in a Cartesian topology, data that is sent down arrives from above") {
  for (int size = 1; size <= 4; ++size) {
    for (const bool is_periodic : {false, true}) {
      CAPTURE(size);
      model_job job(static_cast<std::uint64_t>(size), size);
      std::vector<std::vector<int>> sent(index(size)), received(index(size)), neighbors(index(size));
      const ranks::datatype& integer = *ranks::predefined_type(0x209);
      for (int i = 0; i < size; ++i) {
        const int down = i > 0 ? i - 1 : is_periodic ? size - 1 : ranks::null_process;
        const int up = i + 1 < size ? i + 1 : is_periodic ? 0 : ranks::null_process;
        neighbors[index(i)] = {down, up};
        sent[index(i)] = {10 * i, 10 * i + 1};
        received[index(i)] = {-1, -1};
        const ranks::neighbor_ranks topology{neighbors[index(i)], neighbors[index(i)],
                                             ranks::neighbor_order::cartesian};
        build_neighbor_alltoall(job[i], topology, {sent[index(i)].data(), 1, integer},
                                {received[index(i)].data(), 1, integer});
      }
      job.run();
      for (int i = 0; i < size; ++i) {
        const int down = neighbors[index(i)][0], up = neighbors[index(i)][1];
        REQUIRE(received[index(i)][0] == (down == ranks::null_process ? -1 : 10 * down + 1));
        REQUIRE(received[index(i)][1] == (up == ranks::null_process ? -1 : 10 * up));
      }
    }
  }
}

TEST_CASE("a root that is no rank of the group is an error") {
  ranks::schedule steps;
  int value = 0;
  const ranks::data_buffer data{&value, 1, ranks::predefined_type(0x209)};
  for (const int root : {-1, 4, ranks::null_process, ranks::this_rank_is_root}) {
    CHECK_THROWS_AS(build_broadcast(steps, {0, 4}, data, root), ranks::call_error);
  }
  CHECK_THROWS_AS(build_broadcast(steps, {0, 4, 2}, data, 2), ranks::call_error);
}
