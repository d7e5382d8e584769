/* sessions.c - a program that uses MPI by sessions alone: process sets, groups, communicators from groups. */
#include "check.h"

#include <string.h>

static int calls;

static void count_call(MPI_Session* session, int* code, ...) {
  (void)session, (void)code;
  ++calls;
}

static void check_sets(MPI_Session session) {
  int count, flag, length = 0;
  char name[MPI_MAX_PSET_NAME_LEN], text[32] = "";
  MPI_Info facts;
  CHECK_CALL(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count));
  CHECK_EQUAL(count, 2);
  CHECK_CALL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL));
  CHECK_EQUAL(length, sizeof "mpi://WORLD");
  CHECK_CALL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
  CHECK(strcmp(name, "mpi://WORLD") == 0);
  CHECK_CALL(MPI_Session_get_pset_info(session, "mpi://SELF", &facts));
  CHECK_CALL(MPI_Info_get(facts, "mpi_size", 31, text, &flag));
  CHECK(flag && strcmp(text, "1") == 0);
  MPI_Info_free(&facts);
  CHECK_EQUAL(calls, 0);
  CHECK_CLASS(MPI_Session_get_pset_info(session, "none", &facts), MPI_ERR_ARG);
  CHECK_EQUAL(calls, 1);
}

static void check_halves(MPI_Group world) {
  int size, rank, sum = 0;
  MPI_Group_size(world, &size);
  MPI_Group_rank(world, &rank);
  if (size < 2) return;
  int ranges[2][3] = {{0, size / 2 - 1, 1}, {size / 2, size - 1, 1}};
  const int own = rank >= size / 2;
  MPI_Group halves[2];
  MPI_Comm both;
  for (int i = 0; i < 2; ++i) MPI_Group_range_incl(world, 1, &ranges[i], &halves[i]);
  CHECK_CALL(MPI_Intercomm_create_from_groups(halves[own], 0, halves[!own], 0, "halves", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &both));
  CHECK_CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both));
  int expected = 0;
  for (int i = ranges[!own][0]; i <= ranges[!own][1]; ++i) expected += i;
  CHECK_EQUAL(sum, expected);
  MPI_Comm copy;
  MPI_Request request;
  CHECK_CALL(MPI_Comm_idup(both, &copy, &request));
  CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Barrier(copy));
  MPI_Comm_free(&copy);
  MPI_Comm_free(&both);
  MPI_Group_free(&halves[0]);
  MPI_Group_free(&halves[1]);
}

int main(void) {
  MPI_Errhandler counter;
  MPI_Session session;
  MPI_Group world;
  MPI_Comm comm;
  int flag, size, number = 1, sum = 0;
  CHECK_CALL(MPI_Session_create_errhandler(count_call, &counter));
  CHECK_CALL(MPI_Session_init(MPI_INFO_NULL, counter, &session));
  MPI_Initialized(&flag);
  CHECK_EQUAL(flag, 0);
  check_sets(session);
  CHECK_CALL(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
  CHECK_CALL(MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  CHECK_CALL(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm));
  MPI_Comm_size(comm, &size);
  CHECK_EQUAL(sum, size);
  check_halves(world);
  MPI_Comm_free(&comm);
  MPI_Group_free(&world);
  MPI_Errhandler_free(&counter);
  CHECK_CALL(MPI_Session_finalize(&session));
  CHECK(session == MPI_SESSION_NULL);
  return failures != 0;
}
