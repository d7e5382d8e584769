// body_discs.hpp - two discs of bodies that pass one another: how they begin, what they keep, how they are drawn. The
// program is an example's.
//
// Threads     pure.
#pragma once

#include <string>
#include <vector>

#include "bodies.hpp"
#include "demo/wave/png_writer.hpp"

namespace on_buffers {

/// Each body of a disc goes round its centre as fast as what lies further in holds it; the discs come towards one
/// another. The mass of all is 1, and their momentum 0. The bodies with odd numbers are the second disc.
gravity::bodies two_discs(int count);

/// How much the energy of each moment differs from that of the first, as a share of it.
std::vector<double> energy_changes(const gravity::bodies& first, const std::vector<gravity::bodies>& moments);
/// How fast the centre of mass moves.
double drift_of_all(const gravity::bodies& b);

/// Each moment as a square picture with traces of those before, `pixels` wide, in the colours of the palette: one hue
/// for each disc.
std::vector<stretto::wave::byte_image> pictures_of(const std::vector<gravity::bodies>& moments, int pixels);
std::vector<stretto::wave::rgb> disc_palette();
/// The changes over time as SVG, in millionths; moments are `apart` in time.
std::string energy_chart(const std::vector<double>& changes, double apart);

}  // namespace on_buffers
