#pragma once
// FPC (Burtscher, Ratanaworabhan 2009), whose files runners/data/fpc/fpc.hpp reads and writes, and
// pFPC (pfpc_2009, section 2.2): t instances of FPC that take turns on chunks of c doubles.
//
// A file, little endian: table size exponent p (1 byte), t (1), c (4); then for each group of
// 1,048,576 values (8 MiB; the last group has the rest) the number of its values (4) and t records.
// A record: its size in bytes including these four (4), ceil(k/2) bytes of 4-bit codes (first value
// in the high half; if k is odd, the last low half is 0), the residual bytes; k is the number of
// the instance's values. Chunk i of a group belongs to instance i mod t. An instance keeps its
// tables from group to group; all its other state restarts.
//
// The format defines what an instance encodes, not which thread runs it. Here the instances are
// divided among as many threads as the machine has. A thread processes several instances in turn,
// value by value, so that the long chain of dependent steps of each (in the decoder, two table
// look-ups per value) overlaps with the others'. README.md in this directory has figures.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/baselines/baseline.hpp"
#include "runners/data/fpc/fcm_predictor.hpp"

namespace fpsynth::baselines {

inline constexpr std::size_t kPfpcHeaderBytes = 6;
inline constexpr std::size_t kPfpcGroupValues = std::size_t{1} << 20;
inline constexpr unsigned kMaxPfpcThreads = 255;

struct PfpcParameters {
  unsigned table_bits = 20;    ///< p, 1..28: two tables of 2^p entries per thread
  unsigned threads = 1;        ///< t, 1..255
  std::uint32_t chunk = 1024;  ///< c, at least 1, in values
};

/// State that one instance keeps from group to group, and the encoder's memory for its record.
struct PfpcInstance {
  data::FcmTables tables;
  std::vector<std::byte> buffer;
};

/// Decodes a file in memory, which may hold any bytes, group after group.
class PfpcDecoder {
 public:
  /// Checks that groups and records add up to the file, before anything is allocated for their
  /// contents. Throws Error with `name` and the offset if they do not. How many values decode()
  /// writes is decided here, whatever another program writes to the file later.
  PfpcDecoder(std::span<const std::byte> file, std::string_view name, int machine_threads = 0);

  const PfpcParameters& parameters() const { return parameters_; }
  std::uint64_t values() const { return values_; }
  /// Number of values of the next group; 0 after the last.
  std::size_t next_values() const;
  /// Decodes the next group to out, 8 bytes per value. Throws Error if codes and sizes disagree.
  void decode(std::byte* out);

 private:
  struct Record {
    std::size_t offset, bytes;
  };
  [[noreturn]] void fail(std::size_t offset, std::string_view what) const;
  Record record(std::size_t offset, std::size_t values) const;

  std::span<const std::byte> file_;
  std::string name_;
  PfpcParameters parameters_;
  int machine_threads_;
  std::uint64_t values_ = 0;
  std::vector<std::uint32_t> groups_;  ///< the number of values of each
  std::size_t group_ = 0;              ///< the next one
  std::size_t next_;                   ///< and its offset
  std::vector<PfpcInstance> instances_;
};

/// The whole file of `doubles`, in the memory of `buffer`, whose contents are replaced. Uses as
/// many as `machine_threads` threads (0: as many as OpenMP has). Throws UsageError for parameters
/// out of range, and Error if memory is insufficient or `doubles` ends with a part of a double,
/// which the format cannot represent.
std::vector<std::byte> encode_pfpc(std::span<const std::byte> doubles, const PfpcParameters&,
                                   int machine_threads = 0, std::vector<std::byte> buffer = {});

/// All doubles of a file. Uses at most 16 times its size, plus the parts of the tables that the
/// values reach.
std::vector<std::byte> decode_pfpc(std::span<const std::byte> file, std::string_view name,
                                   int machine_threads = 0);

/// The same, to the caller's memory. Throws Error as well if the doubles do not fill it.
void decode_pfpc_into(std::span<const std::byte> file, std::string_view name,
                      std::span<std::byte> out, int machine_threads = 0);

/// FPC with tables of 2^table_bits entries (1..28), on one thread; doubles only. Its files have the
/// format of the published data sets (*.fpc). Throws UsageError for an exponent out of range.
Compressor fpc(unsigned table_bits);

/// pFPC v1.0, doubles only, on as many threads of the machine as OpenMP has and the instances can
/// use. Named as in the MPC paper: "pFPC -1M" has tables of 2^20 entries. Throws UsageError for
/// parameters out of range.
Compressor pfpc(const PfpcParameters& parameters);

std::unique_ptr<Baseline> fpc_baseline();
std::unique_ptr<Baseline> pfpc_baseline();

/// The settings of the figures, without duplicates: Figure 2 has 1 to 16 threads with chunks of one
/// value, Figures 3 and 4 have 1 to 4 threads with chunks of 1 to 65,536 values; all with each of
/// the table sizes. The paper has 8 kB and 2 MB of tables per thread, which are 2^9 and 2^17
/// entries in each of two tables.
std::vector<PfpcParameters> pfpc_figures(std::span<const unsigned> table_bits);

/// All combinations; table size varies slowest and chunk size fastest.
std::vector<PfpcParameters> pfpc_product(std::span<const unsigned> table_bits,
                                         std::span<const unsigned> threads,
                                         std::span<const std::uint32_t> chunks);

/// The table of sweep_table() for these settings.
results::Table pfpc_sweep(std::span<const SweepInput> inputs,
                          std::span<const PfpcParameters> settings, const timing::Effort& effort,
                          const timing::Progress& progress = nullptr);

}  // namespace fpsynth::baselines
