// The inputs kept by the fuzzers, through the same functions: every reader ends, with a value or a FileError.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "fuzz/readers.hpp"
#include "pendec/io/file.hpp"

namespace pendec::fuzz {
namespace {

class Corpus : public ::testing::TestWithParam<Reader> {};

TEST_P(Corpus, IsReadOrRefused) {
  int inputs = 0;
  const auto folder = std::filesystem::path(PENDEC_SOURCE_DIR) / "fuzz" / "corpus" / GetParam().name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    EXPECT_NO_THROW(GetParam().feed(io::read_text(entry.path())));
    ++inputs;
  }
  EXPECT_GT(inputs, 0);
}

INSTANTIATE_TEST_SUITE_P(Reader, Corpus, ::testing::ValuesIn(readers),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Corpora, EveryFolderHasAReader) {
  for (const auto& entry : std::filesystem::directory_iterator(PENDEC_SOURCE_DIR "/fuzz/corpus"))
    EXPECT_TRUE(std::ranges::any_of(readers, [&](const Reader& r) { return r.name == entry.path().filename(); }))
        << entry.path();
}

}  // namespace
}  // namespace pendec::fuzz
