#include "api/runtime_devices.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/node_numbers.hpp"
#include "base/test_hook.hpp"
#include "device/backend.hpp"
#include "device/device_assignment.hpp"
#include "device/device_discovery.hpp"
#include "device/kernel_cache.hpp"
#include "net/mpi/mpi_library.hpp"

namespace stretto {
namespace {

/// The processes of this host that share its devices.
class host {
 public:
  explicit host(dist::job_member* of) : of_(of) {
    if (of_) {
      is_ = of_->on_host();
    } else if (const auto launched = net::mpi::launched_on_host(); launched && device::hiding_variable().empty()) {
      is_ = *launched;  // if devices are hidden, a launcher may have assigned them
    }
  }
  bool is_of_job() const noexcept { return of_ != nullptr; }
  std::uint32_t self() const noexcept { return is_.self; }
  std::uint32_t count() const noexcept { return is_.count; }

  /// The values of all processes of this host. Empty if they cannot wait for one another.
  template <class T>
  std::vector<T> ask(const T& mine) {
    std::vector<T> all(is_.count);
    if (!of_ || !of_->gather_on_host(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))))
      all.clear();
    return all;
  }

 private:
  dist::job_member* const of_;
  net::host_nodes is_;
};

/// Why this process has the device; follows its name in the log.
std::string reason_of(const device::device_share& s, std::uint32_t on_host) {
  if (!s.processes) return {};
  const std::string those =
      s.processes == on_host ? fmt::format("the {}", on_host) : fmt::format("{} of the {}", s.processes, on_host);
  std::string text = s.processes == 1
                         ? fmt::format("; no other of the {} processes of this host sees the same devices", on_host)
                         : fmt::format(", one of {} that are assigned to {} processes of this host", s.devices, those);
  if (s.sharers > 1) text += fmt::format("; its memory is shared by {}", s.sharers);
  return text;
}

/// Restricts the requests to this process's share.
void apply_device_assignment(std::vector<device::device_request>& which, const std::vector<device::backend>& known,
                             const device::open_options& how, host& of, std::vector<std::shared_ptr<void>>& held) {
  const device::visible_devices visible = device::discover_devices(which, known, how);
  std::vector<device::device_inventory> inventories = of.ask(visible.inventory);
  const bool can_ask = !inventories.empty();
  if (!can_ask)
    inventories.assign(of.count(),
                       visible.inventory);  // one process, or the launcher has hidden no device: all see the same
  const device::device_assignment made = device::assign_devices(inventories, of.self());
  device::apply_assignment(which, visible, made);
  if (made.has_shared && can_ask)
    device::apply_least_free_memory(which, visible, of.ask(device::measure_free_memory(which, known, visible, held)));
}

std::vector<device::opened_device> open_assigned_devices(const base::settings& s, bool stepped, host& here) {
  const auto known = device::all_backends();
  const device::open_options how{.memory_bytes = s.device_memory,
                                 .host_memory_bytes = s.device_host_memory,
                                 .pool = base::test_hook("STRETTO_TEST_DEVICE_POOL", 1) != 0,
                                 .stepped = stepped,
                                 .check = s.check != base::check_mode::off,
                                 .cache = device::kernel_cache::default_folder()};
  std::vector<device::device_request> which;
  std::exception_ptr wrong;  // rethrown after the exchange, for which the other processes wait
  try {
    which = device::parse_devices(s.devices, known);
  } catch (...) {
    wrong = std::current_exception();
  }
  std::vector<std::shared_ptr<void>> held;
  if (s.deal_devices && here.count() > 1 && (here.is_of_job() || !which.empty()))
    apply_device_assignment(which, known, how, here, held);
  if (wrong) std::rethrow_exception(wrong);
  return device::open_devices(which, known, how);
}

/// Throws on all nodes if one has failed to open its devices: otherwise the others would wait for it.
void agree_on_start(dist::job_member& of, const std::exception_ptr& why) {
  const auto failed = of.first_failed(why != nullptr);
  if (why) std::rethrow_exception(why);
  if (!failed) return;
  throw error("K47", fmt::format("node {} of this job could not open its devices", *failed))
      .because("a job starts with all of its nodes or not at all")
      .remedy(fmt::format("see the error of node {}", *failed));
}

}  // namespace

std::unique_ptr<device::device_set> open_devices(const base::settings& s, bool stepped, dist::job_member* of,
                                                 std::uint16_t node) {
  host here(of);
  std::vector<device::opened_device> open;
  std::exception_ptr why;
  try {
    open = open_assigned_devices(s, stepped, here);
  } catch (...) {
    why = std::current_exception();
  }
  if (of) agree_on_start(*of, why);
  else if (why) std::rethrow_exception(why);
  if (open.empty()) return nullptr;
  std::vector<std::string> descriptions;
  for (const device::opened_device& f : open)
    descriptions.push_back(fmt::format("\"{}\"{}", f.name, reason_of(f.share, here.count())));
  auto set = std::make_unique<device::device_set>(
      std::move(open), device::stream_options{static_cast<unsigned>(s.device_streams),
                                              base::test_hook("STRETTO_TEST_DEVICE_COPY_STREAMS", 1) != 0});
  base::logger log(base::node_name(node), s.log);
  for (std::size_t n = 0; n < descriptions.size(); ++n)
    log.info("device {} is {}", set->all()[n]->name(), descriptions[n]);
  return set;
}

}  // namespace stretto
