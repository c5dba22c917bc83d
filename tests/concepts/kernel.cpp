// Concept: Kernel

#include <string>

#include "runners/device/kernel.hpp"

struct Right {
  static constexpr std::uint32_t kLanes = 32;
  struct Args {
    std::uint32_t* out;
  };
  template <fpsynth::teams::Hardware H>
  static void run(H hardware, const Args& args) {
    if (hardware.lane() == 0) *args.out = hardware.block();
  }
};

/// Its arguments cannot be copied to a device.
struct Wrong : Right {
  struct Args : Right::Args {
    std::string name;
  };
};

template <fpsynth::device::Kernel K>
void launch(const typename K::Args& args);

void use(const TRIED::Args& args) { launch<TRIED>(args); }
