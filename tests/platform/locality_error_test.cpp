// Every message of the locality graph reader, word by word.
#include <doctest/doctest.h>

#include <stretto/platform.hpp>

#include "platform/error_message.hpp"

using stretto::platform;
using stretto::test::message_of;

namespace {

std::string fault(const std::string& text) {
  return message_of([&] { platform::parse(text, "node.json"); });
}

/// A graph of two workers whose last lines a test replaces.
std::string graph_text(const std::string& tail, const std::string& declarations = R"("sysmem", "L2_0", "L2_1")",
                       const std::string& links = R"(["sysmem", "L2_0"], ["sysmem", "L2_1"])") {
  return "{\"nworkers\": 2,\n\"declarations\": [" + declarations + "],\n\"reachability\": [" + links + "],\n" + tail +
         "}";
}

}  // namespace

TEST_CASE("malformed JSON says what was expected where") {
  CHECK(fault("{\"nworkers\": 2,\n \"declarations\": [\"sysmem\" \"L2_0\"]}") ==
        "error P01: expected , or ] in a list, found '\"'\n"
        "  file        node.json:2:28");
}

TEST_CASE("ten million bytes of garbage are refused at the first fault") {
  std::string noise(10'000'000, '\0');
  std::uint32_t state = 1;
  for (auto& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  CHECK(fault(noise).starts_with("error P01: expected a value, found "));
  CHECK(fault(noise).ends_with("node.json:1:1"));
  CHECK(fault(std::string(10'000'000, ' ')) ==
        "error P01: expected a value, found the end of the text\n  file        node.json:1:10000001");
  CHECK(fault(std::string(10'000'000, '{')) ==
        "error P01: expected a key in quotes or a worker number, found '{'\n  file        node.json:1:2");
  CHECK(fault(std::string(10'000'000, '[')) ==
        "error P10: lists and objects are nested more than 32 deep\n"
        "  file        node.json:1:34\n"
        "  because     a locality graph needs four levels");
}

TEST_CASE("values of the wrong type are named with what they are") {
  CHECK(fault("[1]") == "error P02: a locality graph must be an object, but is a list\n  file        node.json:1:1");
  CHECK(fault("{\"nworkers\": \"two\", \"declarations\": []}") ==
        "error P02: \"nworkers\" must be a whole number, but is the text \"two\"\n  file        node.json:1:14");
  CHECK(fault("{\"nworkers\": 1.5, \"declarations\": []}") ==
        "error P02: \"nworkers\" must be a whole number, zero or more, but is the number 1.5\n  file        "
        "node.json:1:14");
  CHECK(fault("{\"nworkers\": -1, \"declarations\": []}") ==
        "error P02: \"nworkers\" must be a whole number, zero or more, but is the number -1\n  file        "
        "node.json:1:14");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": {}}") ==
        "error P02: \"declarations\" must be a list of places, but is an object\n  file        node.json:1:33");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": [\"sysmem\", 7]}") ==
        "error P02: a place must be a name or an object, but is the number 7\n  file        node.json:1:44");
  CHECK(fault(graph_text("", "\"sysmem\"", "[\"sysmem\"]")) ==
        "error P02: a link joins two places, but this one names 1\n  file        node.json:3:18");
  CHECK(fault(graph_text("", "\"sysmem\"", "\"sysmem\"")) ==
        "error P02: a link must be a pair of places or an object, but is the text \"sysmem\"\n  file        "
        "node.json:3:18");
  CHECK(fault(graph_text("\"pop_paths\": []")) ==
        "error P02: \"pop_paths\" must be an object with a \"default\" path, but is a list\n  file        "
        "node.json:4:14");
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": \"climbing\"}")) ==
        "error P02: a path must be a list of places, \"climb\" or \"nearest\", but is the text \"climbing\"\n  file    "
        "    node.json:4:26");
  CHECK(fault(graph_text("\"steal_paths\": {\"default\": [\"sysmem\", null]}")) ==
        "error P02: a step of a path must be the name of a place, but is null\n  file        node.json:4:39");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": [{\"name\": \"core_0\", \"cpus\": 3}]}") ==
        "error P02: the CPU list of place \"core_0\" must be a text such as \"0-3,8\", but is the number 3\n  file     "
        "   node.json:1:61");
}

TEST_CASE("an unknown place on a path is shown with the worker, the expression and the nearest name") {
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"L2_$(id)\", \"sysmen\"]}")) ==
        "error P03: place \"sysmen\" on the default pop path of worker 0 is not declared\n"
        "  file        node.json:4:39\n"
        "  because     paths may name declared places only\n"
        "  try         did you mean \"sysmem\"?");
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"L2_$(id + 1)\", \"sysmem\"]}")) ==
        "error P03: place \"L2_2\" on the default pop path of worker 1 is not declared\n"
        "  file        node.json:4:27\n"
        "  written     \"L2_$(id + 1)\"\n"
        "  because     paths may name declared places only\n"
        "  try         did you mean \"L2_0\"?");
  CHECK(fault(graph_text("\"steal_paths\": {\"default\": [\"sysmem\"],\n1: [\"accelerator\"]}")) ==
        "error P03: place \"accelerator\" on the steal path of worker 1 is not declared\n"
        "  file        node.json:5:5\n"
        "  because     paths may name declared places only\n"
        "  try         declare it, or name a declared place");
  CHECK(fault(graph_text("", "\"sysmem\"", "[\"sysmem\", \"sysmem_\"]")) ==
        "error P03: place \"sysmem_\" of a link is not declared\n"
        "  file        node.json:3:29\n"
        "  try         did you mean \"sysmem\"?");
}

TEST_CASE("a duplicate is shown at both places") {
  CHECK(fault(graph_text("", "\"sysmem\", \"L2_0\", \"L2_0\"", "")) ==
        "error P04: place \"L2_0\" is declared twice\n"
        "  file        node.json:2:36\n"
        "  first       node.json:2:28\n"
        "  try         give each place a unique name");
  CHECK(fault(graph_text("", "\"sysmem\", \"L2_0\"", "[\"sysmem\", \"L2_0\"], [\"L2_0\", \"sysmem\"]")) ==
        "error P04: the link \"L2_0\" - \"sysmem\" is given twice\n"
        "  file        node.json:3:38\n"
        "  because     links have no direction\n"
        "  try         keep one of them");
  CHECK(fault("{\"nworkers\": 2, \"nworkers\": 3}") ==
        "error P04: the key \"nworkers\" is given twice\n"
        "  file        node.json:1:17\n"
        "  first       node.json:1:2");
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"sysmem\"], 1: [\"sysmem\"], \"1\": [\"sysmem\"]}")) ==
        "error P04: \"pop_paths\" gives a path for worker 1 twice\n"
        "  file        node.json:4:53\n"
        "  first       node.json:4:38");
}

TEST_CASE("a bad expression is shown at the character where it goes wrong") {
  const std::string remedy =
      "\n  try         write numbers, id, + - * / % and parentheses, as in \"L2_$(id / 6)_$(id % 6)\"";
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"L2_$(id\"]}")) ==
        "error P05: the expression in \"L2_$(id\" expected an operator or ), found the end of the name\n"
        "  file        node.json:4:35" +
            remedy);
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"L2_$(1 / (1 - id))\"]}")) ==
        "error P05: the expression in \"L2_$(1 / (1 - id))\" divides by zero\n"
        "  file        node.json:4:35\n"
        "  worker      1" +
            remedy);
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"L2_$(id * 9223372036854775807 * 3)\"]}")) ==
        "error P05: the expression in \"L2_$(id * 9223372036854775807 * 3)\" overflows 64 bits\n"
        "  file        node.json:4:58\n"
        "  worker      1" +
            remedy);
}

TEST_CASE("zero workers and too many are refused") {
  CHECK(fault("{\"nworkers\": 0, \"declarations\": [\"sysmem\"]}") ==
        "error P06: a platform needs at least one worker\n"
        "  file        node.json:1:14\n"
        "  try         set \"nworkers\" to the number of cores");
  CHECK(fault("{\"nworkers\": 5000, \"declarations\": [\"sysmem\"]}") ==
        "error P06: 5000 workers are more than the 4096 that a platform can have\n"
        "  file        node.json:1:14\n"
        "  try         ask for about one worker per core");
  CHECK(fault("{\"nworkers\": 99999999999999999999, \"declarations\": [\"sysmem\"]}") ==
        "error P12: \"nworkers\" is larger than 18446744073709551615\n"
        "  file        node.json:1:14");
}

TEST_CASE("a place that no worker can reach is refused") {
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"L2_$(id)\", \"sysmem\"]}",
                         "\"sysmem\", \"L2_0\", \"L2_1\", \"GPU0\", \"GPU1\"",
                         "[\"sysmem\", \"L2_0\"], [\"sysmem\", \"L2_1\"], [\"GPU0\", \"GPU1\"]")) ==
        "error P07: no worker can reach place \"GPU0\"\n"
        "  file        node.json:2:44\n"
        "  because     no chain of links joins it to a place on the path of any worker\n"
        "  try         link it to a neighbour under \"reachability\", or remove it");
}

TEST_CASE("unknown keys are answered with the nearest one or all") {
  CHECK(fault("{\"nworkers\": 1, \"declaration\": []}") ==
        "error P08: a locality graph has no key \"declaration\"\n"
        "  file        node.json:1:17\n"
        "  try         did you mean \"declarations\"?");
  CHECK(fault("{\"comment\": 1}") ==
        "error P08: a locality graph has no key \"comment\"\n"
        "  file        node.json:1:2\n"
        "  try         use \"nworkers\", \"declarations\", \"reachability\", \"pop_paths\", \"steal_paths\"");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": [{\"name\": \"sysmem\", \"capacity\": 1}]}") ==
        "error P08: a place has no key \"capacity\"\n"
        "  file        node.json:1:53\n"
        "  try         use \"name\", \"kind\", \"capacity_bytes\", \"cpus\", \"device_index\", "
        "\"bandwidth_bytes_per_second\", \"latency_seconds\"");
  CHECK(fault(graph_text("\"pop_paths\": {\"first\": [\"sysmem\"]}")) ==
        "error P08: \"pop_paths\" has no key \"first\"\n"
        "  file        node.json:4:15\n"
        "  try         use \"default\" or a worker's number");
}

TEST_CASE("missing parts are named") {
  CHECK(fault("{\"declarations\": []}") ==
        "error P09: a locality graph needs the key \"nworkers\"\n  file        node.json:1:1");
  CHECK(fault("{\"nworkers\": 1}") ==
        "error P09: a locality graph needs the key \"declarations\"\n  file        node.json:1:1");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": [{\"kind\": \"core\"}]}") ==
        "error P09: this place has no \"name\"\n  file        node.json:1:34");
  CHECK(fault(graph_text("", "\"sysmem\"", "{\"latency_seconds\": 1}")) ==
        "error P09: this link has no \"between\" with its two places\n  file        node.json:3:18");
  CHECK(fault(graph_text("\"pop_paths\": {0: [\"sysmem\"]}")) ==
        "error P09: \"pop_paths\" has no path for worker 1\n"
        "  file        node.json:4:14\n"
        "  try         add a \"default\" path");
}

TEST_CASE("paths that together are too long are refused before they fill the memory") {
  std::string steps = "\"sysmem\"";
  for (int i = 0; i < 2000; ++i) steps += ",\"sysmem\"";
  CHECK(fault("{\"nworkers\": 4096, \"declarations\": [\"sysmem\"],\n\"pop_paths\": {\"default\": [" + steps + "]}}") ==
        "error P10: the paths of all workers together visit more than 4194304 places\n"
        "  file        node.json:2:26\n"
        "  try         give shorter paths, or fewer workers");
  std::string cores;
  for (int i = 0; i < 4096; ++i) cores += ", \"core_" + std::to_string(i) + '"';
  CHECK(fault("{\"nworkers\": 4096, \"declarations\": [\"sysmem\"" + cores + "]}") ==
        "error P07: no worker can reach place \"sysmem\"\n"
        "  file        node.json:1:37\n"
        "  because     no chain of links joins it to a place on the path of any worker\n"
        "  try         link it to a neighbour under \"reachability\", or remove it");
  std::string links;
  for (int i = 0; i < 4096; ++i)
    links += (i ? ", [\"sysmem\", \"core_" : "[\"sysmem\", \"core_") + std::to_string(i) + "\"]";
  CHECK(fault("{\"nworkers\": 4096, \"declarations\": [\"sysmem\"" + cores + "], \"reachability\": [" + links + "]}") ==
        "error P10: the default paths of 4096 workers visit more than 4194304 places\n"
        "  file        node.json:1:14\n"
        "  try         write paths of your own, or ask for fewer workers");
}

TEST_CASE("more places than a scheduler can number are refused, and as many are not") {
  std::string names, links;
  for (int i = 1; i < 65535; ++i) {
    names += ", \"core_" + std::to_string(i) + '"';
    links += (i > 1 ? ", [\"sysmem\", \"core_" : "[\"sysmem\", \"core_") + std::to_string(i) + "\"]";
  }
  const auto with = [&](const std::string& more) {
    return "{\"nworkers\": 1, \"pop_paths\": {\"default\": [\"sysmem\"]}, \"steal_paths\": {\"default\": "
           "[]},\n\"reachability\": [" +
           links + "],\n\"declarations\": [\"sysmem\"" + more + names + "]}";
  };
  CHECK(stretto::platform::parse(with("")).place_count() == 65535);
  CHECK(
      fault(with(", \"core_0\""))
          .starts_with(
              "error P10: 65536 places are more than the 65535 that a platform can have\n  file        node.json:3:"));
}

TEST_CASE("values that make no sense are refused") {
  const auto place = [](const std::string& members) {
    return "{\"nworkers\": 1, \"declarations\": [{\"name\": \"core_0\", " + members + "}]}";
  };
  CHECK(fault(place("\"kind\": \"cor\"")) ==
        "error P12: there is no kind of place called \"cor\"\n"
        "  file        node.json:1:61\n"
        "  try         did you mean \"core\"?");
  CHECK(fault(place("\"kind\": \"toaster\"")) ==
        "error P12: there is no kind of place called \"toaster\"\n"
        "  file        node.json:1:61\n"
        "  try         use core, l1, l2, l3, l4, l5, numa, package, system_memory, pinned_memory, gpu, gpu_memory, "
        "global_memory, interconnect, storage, other");
  CHECK(fault(place("\"cpus\": \"3-1\"")) ==
        "error P12: the CPU list of place \"core_0\" cannot be read: \"3-1\"\n"
        "  file        node.json:1:61\n"
        "  try         write numbers and ranges, such as \"0-3,8\"");
  CHECK(fault(place("\"latency_seconds\": -1")) ==
        "error P12: the latency of place \"core_0\" is not a finite number of seconds, zero or more\n"
        "  file        node.json:1:34\n"
        "  try         leave it out if it is not known");
  CHECK(fault(place("\"device_index\": 4294967296")) ==
        "error P12: the device index of place \"core_0\" is larger than 4294967295\n"
        "  file        node.json:1:69");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": [\"\"]}") ==
        "error P12: a place cannot have this name\n"
        "  file        node.json:1:34\n"
        "  because     it is empty\n"
        "  try         use letters, digits and _, such as \"L2_0\"");
  CHECK(fault("{\"nworkers\": 1, \"declarations\": [\"L2_$(id)\"]}") ==
        "error P12: a place cannot have this name\n"
        "  file        node.json:1:34\n"
        "  because     $( begins an expression, which only paths may hold\n"
        "  try         use letters, digits and _, such as \"L2_0\"");
  CHECK(fault(graph_text("", "\"sysmem\"", "[\"sysmem\", \"sysmem\"]")) ==
        "error P12: place \"sysmem\" is linked to itself\n"
        "  file        node.json:3:18\n"
        "  try         remove this link");
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"sysmem\"],\n \"1\": []}")) ==
        "error P12: the pop path of worker 1 is empty\n"
        "  file        node.json:5:7\n"
        "  because     a worker runs only what it finds at the places of its paths\n"
        "  try         name at least one place");
  CHECK(fault(graph_text("\"pop_paths\": {\"default\": [\"sysmem\"], 24: [\"sysmem\"]}")) ==
        "error P12: \"pop_paths\" gives a path for worker 24, which does not exist\n"
        "  file        node.json:4:38\n"
        "  because     \"nworkers\" is 2, so workers are 0 to 1");
}

TEST_CASE("a file that cannot be read is named") {
  CHECK(message_of([] { platform::read("/nowhere/node.json"); }) ==
        "error P11: the platform file cannot be read\n"
        "  file        /nowhere/node.json\n"
        "  because     No such file or directory");
  CHECK(message_of([] { platform::read("/"); }) ==
        "error P11: the platform file cannot be read\n"
        "  file        /\n"
        "  because     it is a folder");
  CHECK(message_of([] { platform::read("/dev/zero"); }) ==
        "error P10: the platform file is larger than 64 MiB\n"
        "  file        /dev/zero\n"
        "  because     a locality graph of the largest machines needs a few MiB");
}
