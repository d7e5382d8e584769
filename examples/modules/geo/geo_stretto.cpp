// GEO with the module for MPI. The host computes the planes at the faces of a slab, and a device those between them.
// All steps are submitted at once: kernels, copies and messages are ordered by events alone.
//
//     STRETTO_JOB=alone mpirun -n 2 geo_stretto 48 20       verified: as one loop over all planes
#include <stretto_mpi/mpi.hpp>

#include <algorithm>
#include <array>
#include <chrono>

#include "geo_slab.hpp"

namespace {

using namespace stretto;

// Fields come in pairs: a step reads one and writes the other.
struct pair_of_fields {
  geo::field of[2];

  pair_of_fields(place memory, const box& elements) {
    for (auto& f : of) f = geo::field::create(at(memory), elements).made;
  }
};

// A face: the plane of the neighbour, the own plane at the face, and the one behind that, which the device computes.
struct face {
  int neighbour, ghost, own, inner;
  pair_of_fields planes;
  event computed;                        // the own plane, by the last step
  event ghost_is_there, inner_is_there;  // for the next step
  event on_device;                       // the own plane has been copied there
  event sent[2];                         // the own plane of each field

  face(const geo::slab& s, place ram, int neighbour_, int ghost_, int step_inwards)
      : neighbour(neighbour_),
        ghost(ghost_),
        own(ghost_ + step_inwards),
        inner(ghost_ + 2 * step_inwards),
        planes(ram, s.planes(std::min(ghost, inner), std::max(ghost, inner) + 1)) {}
};

class simulation {
 public:
  simulation(mpi::communicator world, const geo::slab& s, place ram, place device)
      : world_(world),
        slab_(s),
        on_device_(device, s.whole()),
        faces_{face(s, ram, s.before, s.first - 1, 1), face(s, ram, s.after, s.last, -1)},
        result_(geo::field::create(at(ram), s.whole()).made) {
    wait(result_.ready());
    geo::begin(result_);
    for (int k = 0; k < 2; ++k) {
      wait(copy(result_, on_device_.of[k]));
      for (face& f : faces_) wait(copy(result_, f.planes.of[k], f.planes.of[k].elements()));
    }
  }

  void submit(int step) {
    const int u = step % 2, v = 1 - u;
    const event before = between_;
    between_ = launch(after(before, faces_[0].on_device, faces_[1].on_device), geo::diffused,
                      slab_.computed(slab_.first + 1, slab_.last - 1), on_device_.of[u], on_device_.of[v]);
    for (face& f : faces_) submit(f, step, before);
  }

  /// The own planes after that many steps, on the host.
  const geo::field& result(int steps) {
    const int u = steps % 2;
    wait(between_);
    wait(copy(on_device_.of[u], result_));
    for (face& f : faces_) {
      wait(merge(std::array{f.on_device, f.inner_is_there, f.sent[0], f.sent[1], f.ghost_is_there}));
      wait(copy(f.planes.of[u], result_, slab_.planes(f.own, f.own + 1)));
    }
    return result_;
  }

 private:
  // `before`: the step before has read the planes that this one writes on the device.
  void submit(face& f, int step, const event& before) {
    const int u = step % 2, v = 1 - u;
    const geo::field &from = f.planes.of[u], &into = f.planes.of[v];
    const event last = f.computed;
    f.computed = launch(after(last, f.ghost_is_there, f.inner_is_there, f.sent[v]), geo::diffused,
                        slab_.computed(f.own, f.own + 1), from, into);
    f.on_device = copy(into, on_device_.of[v], slab_.planes(f.own, f.own + 1), after(f.computed, before));
    f.inner_is_there = copy(on_device_.of[v], into, slab_.planes(f.inner, f.inner + 1), after(between_, last));
    if (f.neighbour == geo::no_neighbour) return;
    f.sent[v] = world_.isend(plane(into, f.own), f.neighbour, step, after(f.computed));
    f.ghost_is_there = world_.irecv(plane(into, f.ghost), f.neighbour, step, after(last));
  }

  std::span<float> plane(const geo::field& f, int z) const { return {&f.view()(z, 0, 0), slab_.plane_elements()}; }

  const mpi::communicator world_;
  const geo::slab slab_;
  pair_of_fields on_device_;
  face faces_[2];
  geo::field result_;
  event between_;  // the planes between the faces, by the last step
};

}  // namespace

int main(int argc, char** argv) {
  const geo::arguments given = geo::arguments::parse(argc, argv);
  auto net = std::make_shared<mpi_module>();
  auto options = geo::with_device();
  options.modules = {net};
  runtime rt(options);
  return rt.run([&] {
    const auto world = net->world();
    const geo::slab s = geo::slab::of(world.rank(), world.size(), given.side);
    simulation one(world, s, rt.machine().memories().front(), rt.machine().places(place_kind::gpu_memory).front());
    world.ibarrier().get();
    const auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < given.steps; ++step) one.submit(step);
    const geo::field& result = one.result(given.steps);
    world.ibarrier().get();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const float greatest = world.allreduce(geo::difference(s, given.steps, result), MPI_MAX);
    return geo::report("Stretto and MPI", world.rank(), s, given, greatest, time.count());
  });
}
