// random_programs.cpp - random correct MPI programs, each receive and collective of which is checked.
//
//     random_programs [FIRST [COUNT]]
//
// Each rank makes the whole program from its number, runs its own part by calls of MPI, and interprets the rest to know
// what it gets. The ranks divide into groups at random, and each group runs programs of its own at the same time.
#include <cstdlib>

#include "collective_phase.hpp"
#include "message_phase.hpp"

namespace {

struct map_reduction {
  MPI_Datatype type;
  MPI_Op compose;

  map_reduction() {
    MPI_Type_contiguous(2, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose_all, 0, &compose);
  }
  void free() {
    MPI_Op_free(&compose);
    MPI_Type_free(&type);
  }
};

void run_program(std::uint64_t seed, MPI_Comm all, map_reduction& maps) {
  program_seed = seed;
  int self, size;
  MPI_Comm_rank(all, &self);
  MPI_Comm_size(all, &size);
  program_random shared(seed), own(seed * 1000 + static_cast<std::uint64_t>(self) + 1);
  program_communicators communicators(all, size, self);
  std::vector<std::shared_ptr<open_collective>> open;
  for (int phase = 0, phases = shared.number(2, 8); phase < phases; ++phase) {
    if (shared.one_in(2)) communicators.add(shared);
    const program_communicator on = communicators.any(shared);
    const std::uint64_t key = seed * 10'000 + static_cast<std::uint64_t>(phase) * 100;
    if (shared.one_in(2)) {
      message_phase(shared, own, on, self, key).run();
    } else if (const auto begun = collective_phase(shared, on, self, key).run(maps.type, maps.compose)) {
      open.push_back(begun);
    }
    if (!open.empty() && own.one_in(3)) {
      open.back()->finish();
      open.pop_back();
    }
  }
  own.shuffle(open);
  for (const auto& one : open) one->finish();
  communicators.free();
}

/// Programs from `first` to `last`, by groups of ranks.
void run_programs(std::uint64_t first, std::uint64_t last) {
  map_reduction maps;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr std::uint64_t batch = 20;
  for (; first < last; first += batch) {
    program_random shared(first);
    const int groups = shared.number(1, std::max(1, size / 2));
    int group = 0;
    for (int r = 0; r <= rank; ++r) group = r < groups ? r : shared.number(0, groups - 1);
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, group, 0, &part);
    for (std::uint64_t i = first; i < std::min(last, first + batch); ++i)
      run_program(i * 64 + static_cast<std::uint64_t>(group), part, maps);  // its batch begins at seed / 64 or before
    MPI_Comm_free(&part);
  }
  maps.free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20;
  std::vector<char> memory(16 << 20);
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  run_programs(first, first + count);
  void* buffer;
  int bytes;
  MPI_Buffer_detach(&buffer, &bytes);
  MPI_Finalize();
}
