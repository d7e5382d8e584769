// predefined_attributes.cpp - a number for each key.
#include "ranks/communicators/predefined_attributes.hpp"

namespace stretto::ranks {

int* predefined_attribute(environment_attributes& attributes, int key) {
  switch (static_cast<predefined_key>(key)) {
    case predefined_key::tag_upper_bound: return &attributes.tag_upper_bound;
    case predefined_key::io: return &attributes.io;
    case predefined_key::host: return &attributes.host;
    case predefined_key::wtime_is_global: return &attributes.wtime_is_global;
    case predefined_key::application_number: return &attributes.application_number;
    case predefined_key::last_used_code: return &attributes.last_used_code;
    case predefined_key::universe_size: return &attributes.universe_size;
    default: return nullptr;
  }
}

window_attribute predefined_attribute(window_attributes& attributes, int key) {
  switch (static_cast<predefined_key>(key)) {
    case predefined_key::window_base: return {true, attributes.base};
    case predefined_key::window_displacement_unit: return {true, &attributes.displacement_unit};
    case predefined_key::window_size: return {true, &attributes.size};
    case predefined_key::window_flavor: return {true, &attributes.flavor};
    case predefined_key::window_model: return {true, &attributes.model};
    default: return {};
  }
}

}  // namespace stretto::ranks
