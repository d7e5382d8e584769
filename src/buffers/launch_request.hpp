// launch_request.hpp - one call of `launch` or `host_task` on buffers: its key in the launch cache, and the task that
// it becomes.
//
// Threads     the thread that holds `asking` (handing_over.hpp).
// Cost        of a repeated launch: its key, a hash and a comparison. A new launch is built and checked.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "buffers/use_checks.hpp"
#include "objects/launching.hpp"

namespace stretto::buffers {

/// Base of both. Refers to the arguments of the call, and must not outlive it.
class launch_request {
 public:
  /// Returns the launch from the cache, or builds, checks and adds it. A launch whose mappers may own objects is not
  /// cached.
  ///
  ///   throws   B31 to B33
  std::shared_ptr<known_launch> find(buffers_state& s) const;
  /// As find; null if the runtime has no pipeline. Null, too, for a new launch with mappers of the program's own: they
  /// may refer to variables of the caller, so the call itself generates it.
  std::shared_ptr<known_launch> find_for_pipeline(buffers_state& s) const;

 protected:
  launch_request(std::string_view name, const std::source_location& where) : name_(name), where_(where) {}
  ~launch_request() = default;

  virtual void write_key(const buffers_state& s, launch_words& key) const = 0;
  virtual void make(buffers_state& s, known_launch& made) const = 0;
  virtual void check(const graph::task& t) const = 0;

  std::string_view name_;
  std::source_location where_;

 private:
  std::shared_ptr<known_launch> find_by_key(buffers_state& s) const;
};

class kernel_launch_request final : public launch_request {
 public:
  kernel_launch_request(const kernel_code& code, const kernel_range& range, std::span<const detail::buffer_item> items,
                        const detail::buffer_launch& request, const objects::devices_of_launch& by)
      : launch_request(request.name.empty() ? std::string_view(code.name) : std::string_view(request.name),
                       range.where),
        code_(code),
        range_(range),
        items_(items),
        request_(request),
        by_(by) {}

 private:
  void write_key(const buffers_state& s, launch_words& key) const override;
  void make(buffers_state& s, known_launch& made) const override;
  void check(const graph::task& t) const override;

  const kernel_code& code_;
  const kernel_range& range_;
  std::span<const detail::buffer_item> items_;
  const detail::buffer_launch& request_;
  const objects::devices_of_launch& by_;
};

class host_task_launch_request final : public launch_request {
 public:
  host_task_launch_request(detail::task_nodes which, const box& range, std::span<const detail::host_use_item> items,
                           const std::vector<graph::effect_use>& effects, const detail::range_hints& hints,
                           std::string_view name, const std::source_location& where)
      : launch_request(name, where), which_(which), range_(range), items_(items), effects_(effects), hints_(hints) {}

 private:
  void write_key(const buffers_state& s, launch_words& key) const override;
  void make(buffers_state& s, known_launch& made) const override;
  void check(const graph::task& t) const override;

  const detail::task_nodes which_;
  const box& range_;
  std::span<const detail::host_use_item> items_;
  const std::vector<graph::effect_use>& effects_;
  const detail::range_hints& hints_;
};

}  // namespace stretto::buffers
