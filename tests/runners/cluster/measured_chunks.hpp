#pragma once
// Measured seconds of chunks, for the simulation: each of 40 chunks of num_plasma (doubles), at
// equal distances, walked alone by one Walker with the paper's space after one that warmed it up;
// one thread of an Intel Xeon with AVX-512, program built by GCC 12 (-O2).

#include <vector>

namespace fpsynth::cluster {

/// Counted (Mode::Count, equal states merged): 0.0171 s in the mean, coefficient of variation 2 %.
inline const std::vector<double> kCountedChunkSeconds = {
    0.0173, 0.0172, 0.0170, 0.0170, 0.0171, 0.0169, 0.0167, 0.0165, 0.0165, 0.0183,
    0.0183, 0.0171, 0.0170, 0.0170, 0.0170, 0.0170, 0.0169, 0.0170, 0.0170, 0.0170,
    0.0170, 0.0170, 0.0170, 0.0170, 0.0171, 0.0171, 0.0170, 0.0171, 0.0171, 0.0170,
    0.0171, 0.0170, 0.0170, 0.0171, 0.0170, 0.0171, 0.0171, 0.0171, 0.0170, 0.0170};

/// Verified (Mode::Verify): 0.1046 s in the mean, coefficient of variation 2.5 %.
inline const std::vector<double> kVerifiedChunkSeconds = {
    0.1056, 0.1058, 0.1073, 0.1060, 0.1045, 0.1069, 0.1048, 0.1047, 0.1047, 0.1036,
    0.1028, 0.1017, 0.1023, 0.1020, 0.1010, 0.1045, 0.1031, 0.1027, 0.1039, 0.1036,
    0.1055, 0.1044, 0.1050, 0.1050, 0.1023, 0.1180, 0.1047, 0.1044, 0.1051, 0.1047,
    0.1051, 0.1030, 0.1041, 0.1026, 0.1065, 0.1042, 0.1024, 0.1047, 0.1049, 0.1041};

}  // namespace fpsynth::cluster
