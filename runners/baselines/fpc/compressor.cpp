#include "runners/baselines/fpc/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "runners/baselines/compressor.hpp"
#include "runners/baselines/fpc/deal.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/data/fpc/fpc.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::baselines {
namespace {

constexpr std::size_t kSizeBytes = 4;

void check_table_bits(std::string_view name, unsigned bits) {
  if (bits >= data::kMinTableBits && bits <= data::kMaxTableBits) return;
  raise<UsageError>("{} with tables of 2^{} entries; the exponent is {} to {}", name, bits,
                    data::kMinTableBits, data::kMaxTableBits);
}

void check(const PfpcParameters& parameters) {
  check_table_bits("pFPC", parameters.table_bits);
  expect_allowed("pFPC with {} threads", parameters.threads, 1, kMaxPfpcThreads);
  if (parameters.chunk < 1) {
    throw UsageError("pFPC with chunks of 0 values; a chunk has at least one");
  }
}

PfpcDeal deal_of(const PfpcParameters& parameters, std::size_t group_values) {
  return {group_values, parameters.threads, parameters.chunk};
}

/// Allocates the instances that get values, if no group has more than `largest` values.
std::vector<PfpcInstance> make_instances(const PfpcParameters& parameters, std::uint64_t values,
                                         std::size_t largest) {
  std::vector<PfpcInstance> instances;
  const std::size_t count = deal_of(parameters, largest).active();
  instances.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    instances.push_back({data::FcmTables(parameters.table_bits, values / count), {}});
  }
  return instances;
}

/// Number of the machine's threads for a group: at most one per instance, and none that gets less
/// work than starting it costs.
std::size_t thread_count(int machine_threads, const PfpcDeal& deal) {
  constexpr std::size_t kWorthAThread = 1 << 15;
  const int most = codec::threads_for(machine_threads, UINT64_MAX);
  return std::clamp<std::size_t>(std::min(deal.active(), deal.values / kWorthAThread), 1,
                                 static_cast<std::size_t>(most));
}

/// Encodes an instance's values in a group: its codes, then its residuals. Returns the end of the
/// residuals.
std::byte* encode_instance(const std::byte* group, const PfpcDeal& deal, std::size_t number,
                           const data::FcmTables& tables, std::byte* codes) {
  const std::size_t values = deal.of(number);
  std::byte* residuals = codes + (values + 1) / 2;
  data::FcmPredictor predictor(tables);
  PfpcCursor cursor(deal, number);
  std::byte gathered[8 * data::kTileValues];
  for (std::size_t done = 0; done < values; done += data::kTileValues) {
    const std::size_t count = std::min(data::kTileValues, values - done);
    const std::byte* from = cursor.contiguous(group, count);
    if (from) {
      cursor.advance(count);
    } else {
      cursor.gather(group, count, gathered);
      from = gathered;
    }
    residuals = data::encode_tile(predictor, from, count, codes + done / 2, residuals);
  }
  return residuals;
}

/// Neighbouring instances that one thread decodes in turn, one tile of each at a time.
class DecodingBundle {
 public:
  void add(const PfpcDeal& deal, std::size_t number, const data::FcmTables& tables,
           const std::byte* codes, const std::byte* end) {
    predictors_.emplace_back(tables);
    streams_.push_back({PfpcCursor(deal, number), {codes, deal.of(number), end}});
  }

  /// Decodes the values of all to their places in the group. Returns which of them, in the order
  /// of add(), has codes and residuals that disagree, or how many there are if none has.
  std::size_t decode(std::byte* group) {
    const std::size_t none = streams_.size();
    const auto full = [](const Stream& stream) { return stream.block.left() >= data::kTileValues; };
    while (std::ranges::all_of(streams_, full)) {
      const std::size_t bad = decode(group, 0, streams_.size(), data::kTileValues);
      if (bad != none) return bad;
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      while (const std::size_t left = streams_[i].block.left()) {
        if (decode(group, i, 1, std::min(data::kTileValues, left)) != none) return i;
      }
      if (!streams_[i].block.at_end()) return i;
    }
    return none;
  }

 private:
  struct Stream {
    PfpcCursor cursor;
    data::FcmBlock block;
  };

  /// Decodes the next `count` values of each of `number` instances. Returns as decode(group) does.
  std::size_t decode(std::byte* group, std::size_t first, std::size_t number, std::size_t count) {
    std::byte* out[data::kTilesInTurn];
    for (std::size_t l = 0; l < number; ++l) {
      Stream& stream = streams_[first + l];
      out[l] = stream.cursor.contiguous(group, count);
      if (!out[l]) out[l] = values_[l];
      const auto read = [&](const std::byte* codes, const std::byte* residuals) {
        return number == 1 ? data::decode_tile(predictors_[first], codes, residuals, count, out[l])
                           : data::unpack_tile(codes, residuals, count, tiles_[l]);
      };
      if (!stream.block.next(count, read)) return first + l;
    }
    if (number > 1) data::decode_tiles(&predictors_[first], tiles_, number, count, out);
    for (std::size_t l = 0; l < number; ++l) {
      PfpcCursor& cursor = streams_[first + l].cursor;
      out[l] == values_[l] ? cursor.scatter(values_[l], count, group) : cursor.advance(count);
    }
    return streams_.size();
  }

  std::vector<data::FcmPredictor> predictors_;
  std::vector<Stream> streams_;
  data::FcmTile tiles_[data::kTilesInTurn];
  std::byte values_[data::kTilesInTurn][8 * data::kTileValues];
};

void decode_all(PfpcDecoder& decoder, std::span<std::byte> out) {
  std::byte* to = out.data();
  while (const std::size_t values = decoder.next_values()) {
    decoder.decode(to);
    to += 8 * values;
  }
}

}  // namespace

PfpcDecoder::PfpcDecoder(std::span<const std::byte> file, std::string_view name,
                         int machine_threads)
    : file_(file), name_(name), machine_threads_(machine_threads), next_(kPfpcHeaderBytes) {
  if (file.size() < kPfpcHeaderBytes) {
    fail(0, fmt::format("a header needs {} bytes, the file has {}", kPfpcHeaderBytes, file.size()));
  }
  parameters_ = {std::to_integer<unsigned>(file[0]), std::to_integer<unsigned>(file[1]),
                 load<std::uint32_t>(file.data() + 2)};
  try {
    check(parameters_);
  } catch (const Error& error) {
    fail(0, error.what());
  }
  std::size_t largest = 0;
  for (std::size_t offset = next_; offset < file.size();) {
    if (file.size() - offset < 4) {
      fail(offset, fmt::format("a group starts with 4 bytes, {} are left", file.size() - offset));
    }
    const std::size_t values = load<std::uint32_t>(file.data() + offset);
    if (values == 0 || values > kPfpcGroupValues) {
      fail(offset,
           fmt::format("a group of {} values; a group has 1 to {}", values, kPfpcGroupValues));
    }
    offset += 4;
    const PfpcDeal deal = deal_of(parameters_, values);
    for (std::size_t i = 0; i < deal.threads; ++i) offset += record(offset, deal.of(i)).bytes;
    groups_.push_back(static_cast<std::uint32_t>(values));
    values_ += values;
    largest = std::max(largest, values);
  }
  if (largest > 0) instances_ = make_instances(parameters_, values_, largest);
}

std::size_t PfpcDecoder::next_values() const {
  return group_ < groups_.size() ? groups_[group_] : 0;
}

/// Reads the record at an offset and checks its size against its number of values and the file.
PfpcDecoder::Record PfpcDecoder::record(std::size_t offset, std::size_t values) const {
  const std::size_t left = file_.size() - offset;
  if (left < kSizeBytes) {
    fail(offset, fmt::format("a record starts with 4 bytes, {} are left", left));
  }
  const std::size_t bytes = load<std::uint32_t>(file_.data() + offset);
  const std::size_t least = kSizeBytes + (values + 1) / 2;
  if (bytes < least || bytes > least + 8 * values) {
    fail(offset, fmt::format("a record of {} values cannot take {} bytes", values, bytes));
  }
  if (bytes > left) {
    fail(offset, fmt::format("a record of {} bytes, {} are left", bytes, left));
  }
  return {offset, bytes};
}

void PfpcDecoder::decode(std::byte* out) {
  const PfpcDeal deal = deal_of(parameters_, next_values());
  const std::size_t active = deal.active();
  std::vector<Record> records;
  std::size_t offset = next_ + 4;
  for (std::size_t i = 0; i < deal.threads; ++i) {
    records.push_back(record(offset, deal.of(i)));
    offset += records.back().bytes;
  }
  // Bundles consist of neighbours, because these share cache lines if chunks are short. Every
  // thread gets the same number of bundles.
  const std::size_t threads = thread_count(machine_threads_, deal);
  const std::size_t at_a_time = threads * data::kTilesInTurn;
  const std::size_t rounds = (active + at_a_time - 1) / at_a_time;
  const std::size_t bundles = std::min(active, threads * rounds);
  std::atomic<std::size_t> damaged = active;
  codec::in_any_order(bundles, static_cast<int>(threads), [&](std::size_t b) {
    DecodingBundle bundle;
    const std::size_t first = b * active / bundles, end = (b + 1) * active / bundles;
    for (std::size_t i = first; i < end; ++i) {
      const std::byte* const bytes = file_.data() + records[i].offset;
      bundle.add(deal, i, instances_[i].tables, bytes + kSizeBytes, bytes + records[i].bytes);
    }
    const std::size_t bad = first + bundle.decode(out);
    if (bad != end) damaged = bad;
  });
  if (damaged != active) {
    const Record& bad = records[damaged];
    fail(bad.offset,
         fmt::format("a record of {} bytes, but its codes need another number", bad.bytes));
  }
  next_ = offset;
  ++group_;
}

void PfpcDecoder::fail(std::size_t offset, std::string_view what) const {
  raise("{}: byte {}: {}; the file is damaged or not a pFPC file; create it again", name_, offset,
        what);
}

std::vector<std::byte> encode_pfpc(std::span<const std::byte> doubles,
                                   const PfpcParameters& parameters, int machine_threads,
                                   std::vector<std::byte> buffer) {
  expect_whole_doubles(doubles.size(), "pFPC");
  check(parameters);
  const std::size_t values = doubles.size() / 8, largest = std::min(values, kPfpcGroupValues);
  std::vector<PfpcInstance> instances;
  if (largest > 0) instances = make_instances(parameters, values, largest);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const std::size_t most = deal_of(parameters, largest).of(i);
    instances[i].buffer.resize(kSizeBytes + (most + 1) / 2 + 8 * most + data::kResidualSlack);
  }
  buffer.reserve(doubles.size());
  buffer.assign(kPfpcHeaderBytes, std::byte(parameters.table_bits));
  buffer[1] = std::byte(parameters.threads);
  store(buffer.data() + 2, parameters.chunk);
  const auto put = [&](std::size_t number) {
    buffer.resize(buffer.size() + kSizeBytes);
    store(buffer.data() + buffer.size() - kSizeBytes, static_cast<std::uint32_t>(number));
  };
  while (!doubles.empty()) {
    const auto group = doubles.first(std::min(8 * kPfpcGroupValues, doubles.size()));
    const PfpcDeal deal = deal_of(parameters, group.size() / 8);
    const std::size_t active = deal.active();
    std::vector<std::byte*> ends(active);
    codec::in_any_order(active, static_cast<int>(thread_count(machine_threads, deal)),
                        [&](std::size_t i) {
                          ends[i] = encode_instance(group.data(), deal, i, instances[i].tables,
                                                    instances[i].buffer.data() + kSizeBytes);
                        });
    put(deal.values);
    for (std::size_t i = 0; i < active; ++i) {
      const std::byte* const record = instances[i].buffer.data();
      put(static_cast<std::size_t>(ends[i] - record));
      buffer.insert(buffer.end(), record + kSizeBytes, static_cast<const std::byte*>(ends[i]));
    }
    for (std::size_t i = active; i < deal.threads; ++i) put(kSizeBytes);
    doubles = doubles.subspan(group.size());
  }
  return buffer;
}

std::vector<std::byte> decode_pfpc(std::span<const std::byte> file, std::string_view name,
                                   int machine_threads) {
  PfpcDecoder decoder(file, name, machine_threads);
  std::vector<std::byte> out(8 * decoder.values());
  decode_all(decoder, out);
  return out;
}

void decode_pfpc_into(std::span<const std::byte> file, std::string_view name,
                      std::span<std::byte> out, int machine_threads) {
  PfpcDecoder decoder(file, name, machine_threads);
  expect_original_bytes(name, 8 * decoder.values(), out.size());
  decode_all(decoder, out);
}

namespace {

/// Of the two tables of an instance, whose entries are words.
constexpr std::size_t table_bytes(unsigned table_bits) { return std::size_t{2 * 8} << table_bits; }

}  // namespace

Compressor fpc(unsigned table_bits) {
  check_table_bits("FPC", table_bits);
  Compressor fpc = compressor_of_doubles(
      "FPC", "FPC", 1,
      [table_bits](std::span<const std::byte> input, std::vector<std::byte> buffer) {
        return data::encode_fpc(input, table_bits, std::move(buffer));
      },
      data::decode_fpc_into);
  fpc.least_timed_bytes = table_bytes(table_bits);
  return fpc;
}

Compressor pfpc(const PfpcParameters& parameters) {
  check(parameters);
  constexpr const char* kUnits[] = {"", "K", "M"};
  const unsigned bits = parameters.table_bits;
  Compressor pfpc = compressor_of_doubles(
      fmt::format("pFPC -{}{}", 1u << bits % 10, kUnits[bits / 10]), "pFPC",
      std::min(static_cast<int>(parameters.threads), codec::default_threads()),
      [parameters](std::span<const std::byte> input, std::vector<std::byte> buffer) {
        return encode_pfpc(input, parameters, 0, std::move(buffer));
      },
      [](std::span<const std::byte> file, std::string_view name, std::span<std::byte> original) {
        decode_pfpc_into(file, name, original);
      });
  pfpc.least_timed_bytes = parameters.threads * table_bytes(bits);
  return pfpc;
}

}  // namespace fpsynth::baselines
