// Concept: Program

#include "components/teams/block.hpp"
#include "components/ze/ze.hpp"
#include "runners/codec/gpu/kernels.hpp"
#include "runners/codec/gpu/static_program.hpp"

using Pipeline =
    fpsynth::components::StaticPipeline<std::uint64_t, 1,
                                        fpsynth::components::Use<fpsynth::components::Ze>>;
using Right = fpsynth::codec::StaticProgram<Pipeline>;

/// The host's part of a program: it lacks the stages.
struct Wrong : fpsynth::codec::StaticProgramSizes {
  using Word = std::uint64_t;
};

void use(fpsynth::teams::DeclaredHardware hardware,
         const fpsynth::codec::EncodeKernel<TRIED>::Args& args) {
  fpsynth::codec::EncodeKernel<TRIED>::run(hardware, args);
}
