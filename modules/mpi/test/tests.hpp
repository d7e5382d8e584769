// tests.hpp - the parts of the test program, each made on every process in a task of its runtime.
#pragma once

#include <stretto/mpi_mutex.hpp>
#include <stretto_mpi/mpi.hpp>

#include <memory>

/// Of the runtime that runs now.
inline std::shared_ptr<stretto::mpi_module> net;

void test_point_to_point(const stretto::mpi::communicator& c);
void test_collectives(const stretto::mpi::communicator& c);
void test_windows(const stretto::mpi::communicator& c);
void test_host_tasks(const stretto::mpi::communicator& c);
void test_faults(const stretto::mpi::communicator& c);
