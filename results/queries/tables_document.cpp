#include "results/queries/tables_document.hpp"

#include <nlohmann/json.hpp>

#include "synth/common/atomic_file.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::results {

void write_tables(const std::filesystem::path& path, const std::vector<Table>& tables,
                  const Origin& origin) {
  using Json = nlohmann::ordered_json;
  const Json json = {
      {"schema", kTablesSchema},
      {"version", kTablesVersion},
      {"kind", origin.kind},
      {"program",
       {{"version", synth::kVersion}, {"commit", synth::kCommit}, {"compiler", synth::kCompiler}}},
      {"machine", {{"cpu", origin.cpu}, {"threads", origin.threads}}},
      {"command", origin.command},
      {"tables", Json::parse(to_json(tables))}};
  write_whole(path, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace fpsynth::results
