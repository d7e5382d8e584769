// device_region.hpp - the entry of a kernel, its parameters, its divided loops and its reductions.
//
// Threads     one at a time uses an object.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/device_parameter.hpp"
#include "cc/acc/device_printer.hpp"
#include "cc/acc/loop_shape.hpp"

namespace stretto::cc::acc {

/// All members throw inexpressible_code.
class device_region final : public device_printer {
 public:
  using device_printer::device_printer;

  std::string kernel_text(const std::string& name, const statement& region);
  /// Of the text.
  const std::vector<device_parameter>& parameters() const noexcept { return parameters_; }

 protected:
  std::optional<std::string> replacement(const statement& s, unsigned depth) const override;

 private:
  void add_argument(std::size_t index);
  void add_value(const kernel_argument& one, std::size_t index);
  void add_bytes(const kernel_argument& one, std::size_t index);
  void add_address(const kernel_argument& one, std::size_t index);
  void add_parameter(const std::string& text, device_parameter one);

  std::string copied_text(const kernel_argument& one) const;
  std::string own_text(const own_part& part, const declaration& of, unsigned depth) const;
  std::string private_text(const private_variable& one, unsigned depth) const;
  std::string reduction_start(const reduced_variable& one, unsigned depth) const;
  std::string reduction_end(const reduced_variable& one, unsigned depth) const;
  std::string divided_text(const statement& loop, const loop_plan& plan, unsigned depth) const;
  std::string undivided_text(const statement& loop, const loop_plan& plan, unsigned depth) const;
  std::string iteration_of(const std::vector<loop_shape>& shapes, const loop_plan& plan, unsigned depth) const;
  bool is_reference(const declaration* of) const;
  std::string trips_text(const loop_shape& shape) const;
  std::string step_text(const loop_shape& shape) const;
  std::string identity(const c_type& type, reduction_operator operation) const;

  std::string heads_;  // parameters of the kernel
  std::string start_;  // variables that the kernel makes of them
  std::vector<device_parameter> parameters_;
};

}  // namespace stretto::cc::acc
