#define FPSYNTH_SHARED_KERNEL template struct
#include "tests/support/kernels/walks.hpp"
