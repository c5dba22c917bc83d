#include "runners/baselines/external.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <set>

#include "runners/baselines/compressor.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::baselines {
namespace {

using Command = ExternalPeer::Command;

constexpr const char* kSeconds = "{seconds}";

Command replaced(Command command, std::string_view mark, const std::string& by) {
  for (std::string& argument : command) {
    for (std::size_t at = 0; (at = argument.find(mark, at)) != argument.npos; at += by.size()) {
      argument.replace(at, mark.size(), by);
    }
  }
  return command;
}

bool mentions(const Command& command, std::string_view mark) {
  return std::ranges::any_of(
      command, [&](const std::string& argument) { return argument.find(mark) != argument.npos; });
}

/// A text of at most so many bytes, for messages and tables.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;  // UTF-8
  return text.substr(0, most) + "...";
}

/// The last line of a text that is not empty.
std::string last_line(std::string text) {
  text.resize(text.find_last_not_of(" \n\r") + 1);
  return cut(text.substr(text.rfind('\n') + 1), 400);
}

/// Runs a command with its output in `log`.
void must_succeed(const std::string& name, const Command& command, double limit,
                  const std::filesystem::path& log) {
  const auto start = Clock::now();
  const int status =
      exit_status_of(command, {.output = log, .errors_to_output = true, .seconds = limit});
  if (status == 0) return;
  if (seconds_since(start) >= limit) {
    raise("{}: {} took more than {} s; give it more with \"limit\", or less data", name,
          cut(fmt::format("{}", fmt::join(command, " ")), 400), limit);
  }
  raise("{}: {} ended with status {}: {}", name, fmt::join(command, " "), status,
        last_line(content_of(log)));
}

class ExternalCodec : public timing::TimedCodec {
 public:
  ExternalCodec(const ExternalPeer& peer, synth::ValueType type) : peer_(peer) {
    const std::string code(synth::named(type).code);
    for (Command* command : {&peer_.compress, &peer_.decompress}) {
      *command = replaced(replaced(*command, kSeconds, folder_ / "seconds"), "{type}", code);
    }
    timed_ = peer.times_itself();
  }

  timing::Lap compress(std::span<const std::byte> input) override {
    bytes_ = input.size();
    std::ofstream out(folder_ / "original", std::ios::binary);
    out.write(reinterpret_cast<const char*>(input.data()),
              static_cast<std::streamsize>(input.size()));
    out.close();
    if (!out) raise("{}: cannot write; set TMPDIR", folder_.path().string());
    return run(peer_.compress, "original", "compressed", compressed_);
  }

  timing::Lap decompress(std::span<std::byte> output) override {
    std::string restored;
    const timing::Lap lap = run(peer_.decompress, "compressed", "restored", restored);
    timing::expect_original_bytes(peer_.name, restored.size(), output.size());
    std::ranges::copy(std::as_bytes(std::span(restored)), output.begin());
    return lap;
  }

  std::span<const std::byte> compressed() override { return std::as_bytes(std::span(compressed_)); }

 private:
  timing::Lap run(const Command& command, const char* in, const char* out, std::string& content) {
    for (const char* old : {out, "seconds"}) std::filesystem::remove(folder_ / old);
    const Command its = replaced(replaced(command, "{in}", folder_ / in), "{out}", folder_ / out);
    const double whole =
        timing::wall_seconds([&] { must_succeed(peer_.name, its, peer_.limit, folder_ / "log"); });
    if (!std::filesystem::is_regular_file(folder_ / out)) {
      raise("{}: {} wrote no {{out}}", peer_.name, fmt::join(its, " "));
    }
    content = content_of(folder_ / out);
    return {timed_ ? reported_seconds(its, whole) : whole};
  }

  /// Those that the command says it took, of which the `whole` command took about as many or more.
  double reported_seconds(const Command& command, double whole) const {
    constexpr double kTick = 1e-9, kMostPerSecond = 1e13, kSlack = 1;
    const double least = std::max(kTick, double(bytes_) / kMostPerSecond);
    const std::string text = content_of(folder_ / "seconds");
    double seconds = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, seconds);
    const bool all = std::all_of(read.ptr, end, [](unsigned char c) { return std::isspace(c); });
    if (all && seconds >= least && seconds <= whole + kSlack) return seconds;
    raise(
        "{}: {} wrote '{}' to {{seconds}}, and all of it took {:.6f} s; write the seconds that it "
        "took",
        peer_.name, fmt::join(command, " "), last_line(text), whole);
  }

  ExternalPeer peer_;
  TemporaryFolder folder_{"original", "compressed", "restored", "seconds", "log"};
  std::string compressed_;
  std::size_t bytes_ = 0;  ///< of the original
  bool timed_;
};

Command read_command(const JsonValue& value, const std::filesystem::path& here,
                     std::initializer_list<const char*> needed) {
  Command command;
  for (const JsonValue& argument : value.some_items()) command.push_back(argument.text());
  for (const char* mark : needed) {
    if (!mentions(command, mark)) value.refuse(fmt::format("has no {}", mark));
  }
  return replaced(std::move(command), "{here}", here.empty() ? "." : here.string());
}

ExternalPeer read_peer(const JsonValue& value, const std::filesystem::path& here) {
  value.only(
      {"name", "version", "compress", "decompress", "precisions", "integers", "threads", "limit"});
  ExternalPeer peer;
  peer.name = value["name"].some_text();
  if (value.has("threads")) peer.threads = static_cast<int>(value["threads"].whole(1, 65536));
  if (value.has("limit")) peer.limit = double(value["limit"].whole(1, 1'000'000));
  if (value.has("precisions")) {
    for (const JsonValue& one : value["precisions"].some_items()) {
      peer.precisions.push_back(one.precision());
    }
  } else {
    peer.precisions.assign(std::begin(synth::kPrecisions), std::end(synth::kPrecisions));
  }
  if (value.has("integers")) peer.integers = value["integers"].flag();
  peer.compress = read_command(value["compress"], here, {"{in}", "{out}"});
  peer.decompress = read_command(value["decompress"], here, {"{in}", "{out}"});
  if (mentions(peer.compress, kSeconds) != mentions(peer.decompress, kSeconds)) {
    value.refuse("has {seconds} in one command; give it to both or to none");
  }
  const TemporaryFolder folder{"version"};
  try {
    constexpr double kPatience = 60;
    must_succeed(peer.name, read_command(value["version"], here, {}), kPatience,
                 folder / "version");
    const std::string text = content_of(folder / "version");
    peer.version = cut(text.substr(0, text.find('\n')), 100);
  } catch (const Error& error) {
    peer.missing = error.what();
  }
  return peer;
}

}  // namespace

bool ExternalPeer::times_itself() const { return mentions(compress, kSeconds); }

std::vector<ExternalPeer> read_external_peers(const std::filesystem::path& path) {
  const JsonFile file =
      JsonFile::read(path, JsonAuthor::Person, "name a description of external peers");
  file.root().only({"peers"});
  std::vector<ExternalPeer> peers;
  std::set<std::string> names;
  for (const JsonValue& value : file.root()["peers"].some_items()) {
    peers.push_back(read_peer(value, path.parent_path()));
    if (!names.insert(peers.back().name).second) value["name"].refuse("is there twice");
  }
  return peers;
}

std::unique_ptr<timing::TimedCodec> timed_external(const ExternalPeer& peer,
                                                   synth::ValueType type) {
  return std::make_unique<ExternalCodec>(peer, type);
}

}  // namespace fpsynth::baselines
