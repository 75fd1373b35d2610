// Dependencies point one way: the #include lines of every file against the order of the rooms.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Later rooms may use earlier ones; those of one line may not use each other.
const std::vector<std::vector<std::string>> order{
    {"core"},        {"subsolvers"},   {"maps", "objectives"}, {"sets"},   {"transform"}, {"penalty"},
    {"xupdate"},     {"methods"},      {"certificates"},       {"search"}, {"solvers"},   {"io"},
    {"experiments"}, {"cli", "python"}};

/// The room of a path from the root of the sources; empty for those that have none.
std::string room_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const auto& part : path) parts.push_back(part.string());
  const std::size_t depth = parts.at(0) == "include" ? 2 : parts.at(0) == "src" ? 1 : 0;
  return parts.size() > depth + 1 ? parts[depth] : "";
}

std::ptrdiff_t level_of(const std::string& room) {
  const auto at = std::find_if(order.begin(), order.end(), [&](const auto& level) {
    return std::find(level.begin(), level.end(), room) != level.end();
  });
  return at == order.end() ? -1 : at - order.begin();
}

bool is_allowed(const std::string& from, const std::string& to) {
  return from == to || level_of(to) < level_of(from);
}

/// Rooms that a file of the given path includes something from.
std::vector<std::string> rooms_included(const fs::path& file, const std::string& text, const fs::path& root) {
  static const std::regex line(R"rx(#include ["<]([^">]+)[">])rx");
  std::vector<std::string> rooms;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) {
    const std::string name = (*it)[1];
    for (const fs::path& candidate :
         {file.parent_path() / name, fs::path("include") / name, fs::path(name), fs::path("cli") / name})
      if (fs::is_regular_file(root / candidate)) {
        rooms.push_back(room_of(candidate.lexically_normal()));
        break;
      }
  }
  return rooms;
}

TEST(Layering, DependenciesPointOneWay) {
  const fs::path root = PENDEC_SOURCE_DIR;
  int files = 0, edges = 0;
  for (const char* top : {"include", "src", "experiments", "cli", "python"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path file = fs::relative(entry.path(), root);
      if (!entry.is_regular_file() || (file.extension() != ".hpp" && file.extension() != ".cpp")) continue;
      const std::string room = room_of(file);
      if (room.empty()) continue;  // pendec.hpp has everything
      EXPECT_GE(level_of(room), 0) << file << ": a room that is not in the order";
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      ++files;
      for (const std::string& other : rooms_included(file, text, root)) {
        if (other.empty()) continue;
        ++edges;
        EXPECT_TRUE(is_allowed(room, other)) << file << " includes something of " << other;
      }
    }
  EXPECT_GT(files, 300);
  EXPECT_GT(edges, 900);
}

TEST(Layering, SeesEdgesAgainstTheOrder) {
  const fs::path root = PENDEC_SOURCE_DIR;
  const auto rooms = rooms_included("src/core/set.cpp",
                                    "#include \"../sets/simplex.hpp\"\n#include <vector>\n"
                                    "#include \"pendec/sets/box.hpp\"\n",
                                    root);
  EXPECT_EQ(rooms.back(), "sets");
  EXPECT_FALSE(is_allowed("core", "sets"));
  EXPECT_FALSE(is_allowed("maps", "objectives"));
  EXPECT_FALSE(is_allowed("solvers", "io"));
  EXPECT_TRUE(is_allowed("io", "solvers"));
  EXPECT_TRUE(is_allowed("sets", "sets"));
}

}  // namespace
