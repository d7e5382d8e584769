// functions_for_nodes.cpp - a program of ranks sends functions, mobile objects and messages to other nodes.
#include <map>
#include <stdexcept>
#include <stretto/stretto.hpp>
#include <string>
#include <vector>

#include "check.h"

using namespace stretto;

namespace {

int rank, size;
int number_of_rank = -1;                                         // a variable of each rank
const std::map<int, std::string> names{{1, "one"}, {2, "two"}};  // made by a constructor

/// In an order of blocks, where all nodes have as many ranks.
int first_rank_of(std::uint32_t node) { return static_cast<int>(node) * size / static_cast<int>(job_nodes()); }

std::string name_of(int number) { return names.at(number); }

void functions_run_there() {
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    CHECK(async(at_node(n), call<&name_of>(2)).get() == "two");
    CHECK_EQUAL(async(at_node(n), call([](int of) { return of == 7 ? static_cast<int>(this_node()) : -1; }, 7)).get(),
                static_cast<int>(n));
  }
}

int number_there() { return number_of_rank; }

void functions_see_the_variables_of_the_first_rank() {
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    const int expected = n == this_node() ? rank : first_rank_of(n);
    CHECK_EQUAL(async(at_node(n), call<&number_there>()).get(), expected);
  }
}

int down(int more, std::uint32_t back) {
  if (more == 0) return 1;
  return 1 + async(at_node(more % 2 ? back : this_node()), call<&down>(more - 1, this_node())).get();
}

void functions_send_functions() {
  for (std::uint32_t n = 0; n < job_nodes(); ++n) CHECK_EQUAL(async(at_node(n), call<&down>(4, this_node())).get(), 5);
}

int send_number(int to) {
  int own = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Send(&own, 1, MPI_INT, to, 4, MPI_COMM_WORLD);
  return own;
}

void functions_belong_to_the_first_rank() {
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    if (n == this_node()) continue;
    const auto sent = async(at_node(n), call<&send_number>(rank));
    int received = -1;
    MPI_Recv(&received, 1, MPI_INT, first_rank_of(n), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(received, first_rank_of(n));
    CHECK_EQUAL(sent.get(), first_rank_of(n));
  }
}

int refuse(int number) { throw std::runtime_error("no " + std::to_string(number)); }

void failures_come_back() {
  std::string text;
  try {
    async(at_node(job_nodes() - 1), call<&refuse>(rank)).get();
  } catch (const std::exception& e) {
    text = e.what();
  }
  CHECK(text.starts_with("no " + std::to_string(rank)));
}

struct counter {
  std::vector<int> numbers;
  std::size_t add(int by) {
    numbers.push_back(by);
    return numbers.size();
  }
  long sum() const {
    long all = 0;
    for (const int one : numbers) all += one;
    return all;
  }
  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& c) {
    a(c.numbers);
  }
};

void mobile_objects_there() {
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    const mobile<counter> there = make_mobile<counter>(at_node(n));
    for (int i = 1; i < 10; ++i) send(there, call<&counter::add>(i));
    CHECK_EQUAL(send(there, call<&counter::sum>()).get(), 45);
    destroy(there).get();
  }
}

void mobile_objects_that_migrate() {
  const mobile<counter> mine = make_mobile<counter>();
  for (std::uint32_t n = 0; n < 2 * job_nodes(); ++n) {
    send(mine, call<&counter::add>(static_cast<int>(n)));
    migrate(mine, at_node((this_node() + n) % job_nodes()));
  }
  const int all = 2 * static_cast<int>(job_nodes());
  CHECK_EQUAL(send(mine, call<&counter::sum>()).get(), all * (all - 1) / 2);
  destroy(mine).get();
}

mobile<counter> shared;  // the first rank of each node knows it

void messages_of_all_ranks_to_one_object() {
  if (rank == 0) {
    shared = make_mobile<counter>(at_node(job_nodes() - 1));
    for (std::uint32_t n = 0; n < job_nodes(); ++n)
      async(at_node(n), call([](mobile<counter> one) { shared = one; }, shared)).get();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == first_rank_of(this_node())) send(shared, call<&counter::add>(rank)).get();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    long expected = 0;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) expected += first_rank_of(n);
    CHECK_EQUAL(send(shared, call<&counter::sum>()).get(), expected);
    destroy(shared).get();
  }
}

}  // namespace

int main() {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  number_of_rank = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  functions_run_there();
  functions_see_the_variables_of_the_first_rank();
  functions_send_functions();
  functions_belong_to_the_first_rank();
  failures_come_back();
  mobile_objects_there();
  mobile_objects_that_migrate();
  messages_of_all_ranks_to_one_object();
  return end_checks();
}
