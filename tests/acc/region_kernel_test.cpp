#include "acc/region_kernel.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "acc/data_environment.hpp"
#include "acc/gang_arguments.hpp"
#include "recording_accelerator.hpp"

using namespace stretto;

namespace {

/// The calls of a gang function.
struct gang_call {
  long gang, gangs;
  int* elements;  // a pointer of the program
  double* variable;
  int number;
};

std::vector<gang_call> gang_calls;

void note_gang(void** arguments, long gang, long gangs) {
  gang_calls.push_back({gang, gangs, *static_cast<int**>(arguments[0]), static_cast<double*>(arguments[1]),
                        *static_cast<int*>(arguments[2])});
}

constexpr stretto_acc_parameter region_parameters[] = {
    {stretto_acc_form_value, 2, sizeof(int)}, {stretto_acc_form_address, 0, 0}, {stretto_acc_form_address, 1, 0}};

stretto_acc_device_kernel kernel_with(const char* opencl, const char* cuda) {
  const bool has_any = opencl || cuda;
  return {"region",
          opencl,
          opencl ? nullptr : "it calls \"f\"",
          cuda,
          cuda ? nullptr : "it has a designated initializer",
          has_any ? region_parameters : nullptr,
          has_any ? 3 : 0};
}

kernel_argument argument_at(void* at) {
  kernel_argument one;
  one.origin = static_cast<std::byte*>(at);
  return one;
}

}  // namespace

TEST_CASE("a simulated device calls the function of the host for each gang, with addresses of the device") {
  int* elements = nullptr;
  double variable = 0;
  int number = 7;
  const stretto_acc_argument given[] = {{stretto_acc_pointer, &elements, sizeof elements, nullptr, "elements"},
                                        {stretto_acc_address, &variable, 0, nullptr, "variable"},
                                        {stretto_acc_value, &number, sizeof number, nullptr, "number"}};
  stretto_acc_launch launch{};
  launch.arguments = given;
  launch.argument_count = 3;
  acc::data_work ahead;
  test::recording_accelerator device;
  acc::data_environment data(device);
  acc::gang_arguments arguments(launch, &data, 1, ahead);
  const stretto_acc_device_kernel table = kernel_with("text", nullptr);
  const kernel_code& code = acc::region_kernel({note_gang, &table, "x.c:1", arguments, 0, 0}, "sim");
  CHECK(code.name == "region");
  CHECK_FALSE(code.in_groups);
  CHECK(code.parameters.size() == 5);  // a value, and two addresses with what is added to them

  std::byte memory[64];
  std::uint64_t eight = 8, sixteen = 16;
  const kernel_argument all[] = {argument_at(&number), argument_at(memory), argument_at(&eight), argument_at(memory),
                                 argument_at(&sixteen)};
  kernel_work work;
  work.min[0] = 2, work.max[0] = 4, work.all_min[0] = 0, work.all_max[0] = 9;
  gang_calls.clear();
  code.run(code, work, all);
  REQUIRE(gang_calls.size() == 2);
  CHECK(gang_calls[0].gang == 2);
  CHECK(gang_calls[1].gang == 3);
  CHECK(gang_calls[1].gangs == 9);
  CHECK(static_cast<void*>(gang_calls[0].elements) == memory + 8);
  CHECK(static_cast<void*>(gang_calls[0].variable) == memory + 16);
  CHECK(gang_calls[0].number == 7);
}

TEST_CASE("blocks of CUDA divide the number of gangs, and other devices have a range of single gangs") {
  kernel_code kernel;
  CHECK(acc::range_of_gangs(kernel, 1000).max[0] == 1000);
  CHECK(acc::range_of_gangs(kernel, 1000).group[0] == 1);
  kernel.in_groups = true;
  for (const long gangs : {1L, 7L, 96L, 256L, 1000L, 4096L, 132L * 256}) {
    const device::launch_range range = acc::range_of_gangs(kernel, gangs);
    CHECK(range.max[0] * range.group[0] == gangs);
    CHECK(range.group[0] <= 256);
  }
  CHECK(acc::range_of_gangs(kernel, 4096).group[0] == 256);
  CHECK(acc::range_of_gangs(kernel, 96).group[0] == 32);
}

TEST_CASE("a device without a text runs no kernel, and the reason is that of its language") {
  const stretto_acc_device_kernel opencl = kernel_with("text", nullptr), none = kernel_with(nullptr, nullptr);
  CHECK(acc::reason_against(opencl, "opencl").empty());
  CHECK(acc::reason_against(opencl, "sim").empty());
  CHECK(acc::reason_against(opencl, "cuda") == "it has a designated initializer");
  CHECK(acc::reason_against(none, "sim") == "it calls \"f\"");
  CHECK(acc::reason_against(kernel_with(nullptr, "text"), "sim").empty());
}
