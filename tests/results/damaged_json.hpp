#pragma once
// JSON files that are damaged in many ways, and what reading them says.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {

class DamagedJson : public ::testing::Test {
 protected:
  using Action = std::function<void(const std::filesystem::path&)>;
  DamagedJson(const char* name, const Action& write, Action read)
      : path_(directory_ / name), read_(std::move(read)) {
    write(path_);
    text_ = tests::read_bytes(path_);
  }

  /// Message of reading the file with this text.
  std::string message(const std::string& text) {
    tests::write_bytes(path_, text);
    return tests::message_of([&] { read_(path_); });
  }

  /// Message after changing the value at a JSON pointer; it must name the file.
  std::string after(const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(text_);
    json[nlohmann::json::json_pointer(pointer)] = value;
    const std::string found = message(json.dump());
    EXPECT_TRUE(tests::contains(found, path_.string()));
    return found;
  }

  tests::TemporaryFolder directory_;
  std::filesystem::path path_;
  std::string text_;

 private:
  Action read_;
};

}  // namespace fpsynth::results
