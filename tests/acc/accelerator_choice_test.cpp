#include "acc/accelerator_choice.hpp"

#include <doctest/doctest.h>
#include <stretto/error.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/nodes/rank_map.hpp"

using namespace stretto;

namespace {

using device::processor_kind;
using node = std::vector<acc::device_facts>;

const acc::device_facts nvidia{"cuda", processor_kind::gpu, "NVIDIA Corporation", true};
const acc::device_facts radeon{"opencl", processor_kind::gpu, "Advanced Micro Devices, Inc.", true};
const acc::device_facts phi{"opencl", processor_kind::accelerator, "Intel(R) Corporation", true};
const acc::device_facts integrated{"opencl", processor_kind::gpu, "Intel(R) Corporation", false};
const acc::device_facts pocl{"opencl", processor_kind::cpu, "GenuineIntel", false};
const acc::device_facts simulated{"sim", processor_kind::gpu, "", true};

/// Unlike nodes: three GPUs, two coprocessors and a GPU, a GPU of another vendor, cores alone.
const std::vector<node> cluster{{nvidia, nvidia, nvidia}, {phi, nvidia, phi}, {radeon}, {}};

std::string name_of(const acc::accelerator_index& one, const node& of) {
  if (!one) return "cores";
  static const std::map<std::string, std::string> names{
      {"NVIDIA Corporation", "nvidia"}, {"Advanced Micro Devices, Inc.", "radeon"}, {"Intel(R) Corporation", "phi"}};
  return names.at(of[*one].vendor) + std::to_string(*one);
}

/// The ranks of a job in their order, as "node.device".
std::string ranks_on(const std::vector<node>& nodes, std::string_view kinds) {
  const acc::accelerator_kinds asked(kinds);
  std::vector<int> counts;
  std::vector<std::vector<acc::accelerator_index>> chosen;
  for (const node& one : nodes) {
    chosen.push_back(asked.choose(one));
    counts.push_back(static_cast<int>(chosen.back().size()));
  }
  const ranks::rank_map map(counts);
  std::string text;
  for (int r = 0; r < map.ranks(); ++r) {
    const ranks::world_rank rank{r};
    const auto n = static_cast<std::size_t>(map.node_of(rank));
    const auto position = static_cast<std::size_t>(map.position_on_node(rank));
    text += (r ? " " : "") + std::to_string(n) + "." + name_of(chosen[n][position], nodes[n]);
  }
  return text;
}

std::vector<acc::accelerator_index> chosen(std::string_view kinds, const node& of) {
  return acc::accelerator_kinds(kinds).choose(of);
}

std::string fault_of(std::string_view kinds) {
  try {
    const acc::accelerator_kinds asked(kinds);
  } catch (const error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("without kinds each node has a rank for each discrete device, or one for its cores") {
  CHECK(ranks_on(cluster, "") == "0.nvidia0 0.nvidia1 0.nvidia2 1.phi0 1.nvidia1 1.phi2 2.radeon0 3.cores");
  CHECK(ranks_on(cluster, "acc_device_default") == ranks_on(cluster, ""));
}

TEST_CASE("devices of NVIDIA: a node without them has no rank") {
  CHECK(ranks_on(cluster, "acc_device_nvidia") == "0.nvidia0 0.nvidia1 0.nvidia2 1.nvidia1");
  CHECK(ranks_on(cluster, "cuda") == ranks_on(cluster, "acc_device_nvidia"));
}

TEST_CASE("coprocessors, and devices of AMD") {
  CHECK(ranks_on(cluster, "acc_device_xeonphi") == "1.phi0 1.phi2");
  CHECK(ranks_on(cluster, "acc_device_radeon") == "2.radeon0");
}

TEST_CASE("the cores of a node are one accelerator") {
  CHECK(ranks_on(cluster, "acc_device_cpu") == "0.cores 1.cores 2.cores 3.cores");
  CHECK(ranks_on(cluster, "host") == ranks_on(cluster, "cpu"));
}

TEST_CASE("kinds combine: devices in their order, then the cores") {
  CHECK(ranks_on(cluster, "acc_device_nvidia | acc_device_xeonphi") ==
        "0.nvidia0 0.nvidia1 0.nvidia2 1.phi0 1.nvidia1 1.phi2");
  CHECK(ranks_on(cluster, "CPU,Radeon") == "0.cores 1.cores 2.radeon0 2.cores 3.cores");
  CHECK(chosen("nvidia|cuda|gpu", {nvidia, nvidia}).size() == 2);
}

TEST_CASE("integrated devices and processors of OpenCL have ranks only where they are asked for") {
  CHECK(chosen("", {integrated, pocl}) == std::vector<acc::accelerator_index>{{}});
  CHECK(chosen("gpu", {integrated, pocl}) == std::vector<acc::accelerator_index>{0});
  CHECK(chosen("not_host", {integrated, pocl}) == std::vector<acc::accelerator_index>{0, 1});
  CHECK(chosen("opencl", {simulated, pocl}) == std::vector<acc::accelerator_index>{1});
  CHECK(chosen("sim,default", {simulated, pocl}) == std::vector<acc::accelerator_index>{0});
}

TEST_CASE("a job without the devices that are asked for has no rank") {
  CHECK(ranks_on({{radeon}, {}}, "nvidia") == "");
  CHECK(std::string(acc::no_accelerator("no node of the job", "nvidia").what())
            .starts_with("error O17: no node of the job has an accelerator of kind \"nvidia\""));
}

TEST_CASE("an unknown kind is an error that lists all kinds") {
  CHECK(fault_of("acc_device_nvidea|host") ==
        "error O19: \"acc_device_nvidea\" is no kind of accelerator\n"
        "  asked for   STRETTO_ACC_DEVICE_TYPE is \"acc_device_nvidea|host\"\n"
        "  allowed     default, host, cpu, not_host, gpu, cuda, opencl, sim, nvidia, radeon, xeonphi\n"
        "  several     are joined by \",\" or \"|\"\n"
        "  try         did you mean \"nvidia\"?");
  CHECK(fault_of("cuda,,host").starts_with("error O19: \"\" is no kind"));
  CHECK(fault_of(" Host ") == "none");
}

TEST_CASE("a runtime opens the devices that may be chosen, and need not have them") {
  const auto opened = [](std::string_view kinds) { return acc::accelerator_kinds(kinds).devices_option(); };
  CHECK(opened("host|cpu") == "none");
  CHECK(opened("opencl") == "opencl?");
  CHECK(opened("sim,opencl,cuda") == "cuda?,opencl?,sim");
  CHECK(opened("acc_device_nvidia") == "cuda?,opencl?");
}
