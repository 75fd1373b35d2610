#include "pendec/io/problem_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/showcase.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/catalogue.hpp"
#include "pendec/io/npy.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/sparse.hpp"
#include "tests/support/patience.hpp"

namespace pendec::io {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

ProblemFile parse(const std::string& text) { return parse_problem(text, "."); }

/// What reading the text has to complain about.
std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

std::string linear(Index n) {
  return R"({"pendec": 1, "objective": {"type": "linear", "c": )" +
         Json(std::vector<double>(static_cast<std::size_t>(n), 1.0)).dump() + "}";
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A folder that is gone at the end of the test.
struct Folder {
  Folder() : path(fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

// Reading and writing -----

TEST(ProblemFile, WritingAndReadingChangesNothing) {
  for (const experiments::Showcase& s : experiments::showcases()) {
    const std::string text = to_json({.name = s.name, .problem = s.problem, .start = s.start, .seed = 7});
    const ProblemFile again = parse(text);
    EXPECT_EQ(again.start, s.start) << s.name;
    EXPECT_EQ(again.name, s.name);
    EXPECT_EQ(again.seed, 7U);
    EXPECT_EQ(to_json(again), text) << s.name;
    const Vector x = Random(5).normal_vector(s.start.size());
    EXPECT_EQ(again.problem.f.value(x), s.problem.f.value(x)) << s.name << ": to the last bit";
    EXPECT_EQ(again.problem.D.projection(x), s.problem.D.projection(x)) << s.name;
  }
}

TEST(ProblemFile, NumbersSurviveToTheLastBit) {
  Random random(9);
  Vector a = random.normal_vector(200);
  a[0] = 5e-324;
  a[1] = -1.7976931348623157e308;
  a[2] = -0.0;
  a[3] = 0.1 + 0.2;
  const ProblemFile again = parse(to_json({.problem = {.f = SquaredDistance(a)}, .start = a}));
  EXPECT_EQ(again.start, a);
  EXPECT_TRUE(std::signbit(again.start[2]));
}

/// Every example of a table can be read inside some small problem, and is written so that it reads the same again.
void expect_readable(const std::vector<Entry>& entries,
                     const std::function<std::string(const Entry&, Index)>& problem) {
  for (const Entry& entry : entries) {
    std::string last = "no dimension tried";
    bool read = false;
    for (Index n = 1; n <= 20 && !read; ++n) {
      try {
        const std::string text = to_json(parse(problem(entry, n)));
        EXPECT_EQ(to_json(parse(text)), text) << entry.name;
        read = true;
      } catch (const InvalidArgument& error) {
        last = error.what();
      }
    }
    EXPECT_TRUE(read) << entry.name << ": " << last;
    EXPECT_FALSE(entry.text.empty()) << entry.name;
    for (const Parameter& p : entry.parameters) EXPECT_FALSE(p.text.empty()) << entry.name << "." << p.name;
  }
}

TEST(Catalogue, EveryExampleIsReadAndWritten) {
  expect_readable(sets(),
                  [](const Entry& e, Index n) { return linear(n) + R"(, "D": )" + std::string(e.example) + "}"; });
  expect_readable(objectives(), [](const Entry& e, Index) {
    return R"({"pendec": 1, "objective": )" + std::string(e.example) + "}";
  });
  expect_readable(maps(), [](const Entry& e, Index m) {
    return linear(4) + R"(, "G": )" + std::string(e.example) + R"(, "C": {"type": "box", "upper": 0, "n": )" +
           std::to_string(m) + "}}";
  });
}

TEST(ProblemFile, LeavesOutWhatTheSurroundingsTell) {
  const ProblemFile file = parse(linear(6) + R"(, "D": {"type": "sparse", "s": 2}, "start": 0.5})");
  EXPECT_EQ(file.problem.D.as<Sparse>()->n, 6);
  EXPECT_EQ(file.start, Vector::Constant(6, 0.5));
  EXPECT_EQ(parse(linear(3) + "}").start, Vector::Zero(3)) << "the origin where nothing is said";
}

TEST(ProblemFile, ReadsInfiniteBoundsAsWordsAndAsNull) {
  const ProblemFile file =
      parse(linear(3) + R"(, "D": {"type": "box", "lower": ["-inf", null, 0], "upper": [1, null, "inf"]}})");
  const auto* box = file.problem.D.as<Box>();
  EXPECT_EQ(box->lower, (Vector{{-infinity, -infinity, 0.0}}));
  EXPECT_EQ(box->upper, (Vector{{1.0, infinity, infinity}}));
}

TEST(ProblemFile, NamesOfBlocksLeadToTheirCoordinates) {
  const ProblemFile file = parse(linear(5) + R"(,
    "D": {"type": "product", "blocks": [{"name": "x", "set": {"type": "sparse", "n": 3, "s": 1}},
                                        {"name": "slack", "set": {"type": "box", "n": 2, "lower": 0}}]},
    "G": {"type": "blocks", "names": ["slack"]}, "C": {"type": "box", "upper": 1}})");
  Vector out(2);
  file.problem.G.evaluate(Vector{{1.0, 2.0, 3.0, 4.0, 5.0}}, out);
  EXPECT_EQ(out, (Vector{{4.0, 5.0}}));
}

TEST(ProblemFile, RandomStartsComeFromTheSeed) {
  const auto start = [](const std::string& seed) {
    return parse(linear(4) + R"(, "start": {"random": "normal", "scale": 2}, "seed": )" + seed + "}").start;
  };
  EXPECT_EQ(start("3"), 2.0 * Random(3).normal_vector(4));
  EXPECT_NE(start("3"), start("4"));
}

TEST(ProblemFile, DataMayLieInFilesBesideIt) {
  const Folder folder;
  Random random(4);
  const Matrix A = random.normal_matrix(4, 4);
  const Matrix Q = A + A.transpose();
  write_npy(folder.path / "Q.npy", Q);
  std::ofstream(folder.path / "c.csv") << "1.5\n-2\n0.25\n0\n";
  std::ofstream(folder.path / "p.json")
      << R"({"pendec": 1, "objective": {"type": "quadratic", "Q": {"file": "Q.npy"}, "c": {"file": "c.csv"}}})";
  const ProblemFile file = read_problem(folder.path / "p.json");
  const auto* f = file.problem.f.as<Quadratic>();
  EXPECT_EQ(f->Q.dense(), Q);
  EXPECT_EQ(f->c, (Vector{{1.5, -2.0, 0.25, 0.0}}));
  write_npy(folder.path / "Q.npy", A);
  try {
    read_problem(folder.path / "p.json");
    ADD_FAILURE() << "Q is not symmetric";
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(error.field().ends_with("p.json: objective.Q.file")) << error.what();
    EXPECT_NE(error.expected().find("not symmetric"), std::string::npos) << error.what();
  }
}

TEST(ProblemFile, DataFilesMayBeConfinedToTheFolder) {
  const Folder folder;
  fs::create_directories(folder.path / "p" / "data");
  for (const char* name : {"outside.csv", "p/inside.csv", "p/data/below.csv"})
    std::ofstream(folder.path / name) << "1\n";
  fs::create_symlink("inside.csv", folder.path / "p" / "link.csv");
  fs::create_symlink("../outside.csv", folder.path / "p" / "escape.csv");
  fs::create_symlink("..", folder.path / "p" / "up");
  fs::create_symlink("p", folder.path / "alias");
  const auto c_of = [&](const std::string& name, const char* problem, bool confine) {
    std::ofstream(folder.path / "p" / "p.json")
        << Json{{"pendec", 1}, {"objective", {{"type", "linear"}, {"c", {{"file", name}}}}}};
    return read_problem(folder.path / problem, confine).start.size();
  };
  const std::string absolute = fs::absolute(folder.path / "p" / "inside.csv").string();
  for (const std::string& name : {std::string("inside.csv"), std::string("data/below.csv"), std::string("link.csv"),
                                  std::string("data/../inside.csv"), std::string("../p/inside.csv"), absolute})
    for (const char* problem : {"p/p.json", "alias/p.json"}) EXPECT_EQ(c_of(name, problem, true), 1) << name;
  const std::string elsewhere = fs::absolute(folder.path / "outside.csv").string();
  for (const std::string& name :
       {std::string("../outside.csv"), std::string("escape.csv"), std::string("up/outside.csv"), elsewhere}) {
    EXPECT_EQ(c_of(name, "p/p.json", false), 1) << name;
    try {
      c_of(name, "p/p.json", true);
      ADD_FAILURE() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_TRUE(error.field().ends_with("p.json: objective.c.file")) << error.what();
      EXPECT_NE(error.expected().find("in the folder of the problem"), std::string::npos) << error.what();
    }
  }
}

TEST(ProblemFile, PrefersLaterOptionsAndThePresetOfTheMethod) {
  OptionSettings o =
      parse(linear(2) +
            R"(, "preset": "paper", "options": {"method": "pd", "penalty": {"tau0": 3}, "driver.polish": true}})")
          .options;
  EXPECT_EQ(o.options().penalty.tau0, 3.0);
  EXPECT_TRUE(o.options().driver.polish);
  EXPECT_EQ(o.options().penalty.alpha_tau, paper_preset(Method::pd).penalty.alpha_tau);
  o.settings.push_back({"penalty.tau0", "5"});
  o.settings.push_back({"method", "alm"});
  o.preset = "default";
  EXPECT_EQ(o.options().penalty.tau0, 5.0);
  EXPECT_EQ(o.options().penalty.alpha_tau, default_preset(Method::alm).penalty.alpha_tau);
}

TEST(ProblemFile, SettingsAreWrittenInTheirOwnTypes) {
  ProblemFile file{.problem = {.f = SquaredDistance(Vector::Ones(2))}};
  file.options.settings = {
      {"method", "pd"}, {"penalty.tau0", "0.1"}, {"trace", "true"}, {"limits.seconds", "inf"}, {"limits.outer", "7"}};
  const Json options = Json::parse(to_json(file)).at("options");
  EXPECT_EQ(options.dump(),
            R"({"method":"pd","penalty.tau0":0.1,"trace":true,"limits.seconds":"inf","limits.outer":7})");
  EXPECT_EQ(parse(to_json(file)).options.options().penalty.tau0, 0.1);
}

TEST(ProblemFile, RefusesToWriteWhatItCannotName) {
  const Set own = make_set(2, [](In z, Out y) { y = z; });
  EXPECT_THROW(to_json({.problem = {.f = SquaredDistance(Vector::Ones(2)), .D = own}}), InvalidArgument);
}

// Refusals: path, value, expectation -----

TEST(BadProblemFile, IsRefusedWithThePathOfTheKeyAndBothValues) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"([1])", "the file is not an object; expected a JSON object with the key \"pendec\""},
      {R"({})", "pendec is missing; expected the version of the format, 1"},
      {R"({"pendec": 2})", "pendec is 2; expected 1, the version of the format that this program reads"},
      {R"({"pendec": 1, "kind": "tsp"})", "kind is \"tsp\"; expected one of pairs, problem"},
      {R"({"pendec": 1})", "objective is missing; expected an objective"},
      {R"({"pendec": 1, "objective": {"type": "cubic"}})",
       "objective.type is \"cubic\"; expected one of quadratic, least_squares, logistic, huber, poisson, "
       "squared_distance, "
       "nearest_matrix, linear, sum"},
      {R"({"pendec": 1, "objective": {"type": "linear", "c": [1, "2"]}})",
       "objective.c[1] is \"2\"; expected a number"},
      {R"({"pendec": 1, "objective": {"type": "linear", "c": [1, null]}})",
       "objective.c[1] is null; expected a number"},
      {R"({"pendec": 1, "objective": {"type": "linear"}})", "objective.c is missing; expected vector: the gradient"},
      {R"({"pendec": 1, "objective": {"type": "linear", "c": 1}})",
       "objective.c is 1; expected an array of numbers: nothing tells the size for a single number"},
      {R"({"pendec": 1, "objective": {"type": "linear", "c": []}})",
       "objective.dimension() is 0; expected at least 1"},
      {R"({"pendec": 1, "objective": {"type": "linear", "c": {"file": "nowhere.csv"}}})",
       "objective.c.file is nowhere.csv; expected a vector (./nowhere.csv: cannot be read: No such file or "
       "directory)"},
      {R"({"pendec": 1, "objective": {"type": "quadratic", "Q": [[1, 0], [0]]}})",
       "objective.Q[1] is an array of 1; expected an array of 2, as the first row"},
      {R"({"pendec": 1, "objective": {"type": "quadratic", "Q": [[1, 2], [3, 4]]}})",
       "objective.Q is asymmetric by 1; expected a symmetric matrix"},
      {R"({"pendec": 1, "objective": {"type": "quadratic", "Q": [[1, 0], [0, 1]], "c": [1, 2, 3]}})",
       "objective.c.size() is 3; expected 2"},
      {R"({"pendec": 1, "objective": {"type": "sum", "terms": [{"objective": {"type": "linear", "c": [1]}},
                                                               {"objective": {"type": "linear", "c": [1, 2]}}]}})",
       "objective.terms[1].objective.dimension() is 2; expected 1"},
      {linear(10) + R"(, "D": {"type": "sparse", "s": 12}})", "D.s is 12; expected 0 <= s <= n = 10"},
      {linear(10) + R"(, "D": {"type": "sparse", "s": 1.5}})", "D.s is 1.5; expected an integer"},
      {linear(10) + R"(, "D": {"type": "sparse", "n": 9, "s": 2}})", "D.n is 9; expected 10"},
      {linear(10) + R"(, "D": {"type": "sparse", "s": 2, "k": 1}})",
       "D.k is an unknown key; expected one of type, n, s"},
      {linear(10) + R"(, "d": 1})",
       "d is an unknown key; expected one of pendec, kind, name, description, start, preset, options, seed, "
       "objective, "
       "space, G, C, D"},
      {linear(12) + R"(, "D": {"type": "product", "blocks": [{"set": {"type": "free", "n": 2}},
                                                              {"set": {"type": "sparse", "n": 10, "s": 12}}]}})",
       "D.blocks[1].set.s is 12; expected 0 <= s <= n = 10"},
      {linear(9) + R"(, "D": {"type": "product", "blocks": [{"set": {"type": "free", "n": 4}},
                                                             {"set": {"type": "free", "n": 4}}]}})",
       "D.dimension() is 8; expected 9"},
      {linear(9) + R"(, "D": {"type": "product", "blocks": [{"set": {"type": "free"}}]}})",
       "D.blocks[0].set.n is missing; expected a dimension: nothing else tells it"},
      {linear(2) + R"(, "D": {"type": "union", "parts": [{"type": "box", "lower": 2, "upper": [3, 1]}]}})",
       "D.parts[0].lower[1] is 2; expected at most upper[1] = 1"},
      {linear(5) + R"(, "D": {"type": "complementarity"}})", "D.dimension() is 5; expected a multiple of 2"},
      {linear(5) + R"(, "D": {"type": "psd_low_rank", "kappa": 1}})",
       "D.dimension() is 5; expected the square of a whole number"},
      {linear(5) + R"(, "D": {"type": "psd_low_rank", "n": 2, "kappa": 1}})", "D.n is 2; expected n with n^2 = 5"},
      {linear(4) + R"(, "D": {"type": "capped_simplex", "sum": 5}})", "D.sum is 5; expected 0 <= sum <= n = 4"},
      {linear(2) + R"(, "D": {"type": "union", "parts": [{"type": "free"}, {"type": "capped_simplex", "sum": 5}]}})",
       "D.parts[1].sum is 5; expected 0 <= sum <= n = 2"},
      {linear(2) + R"(, "D": {"type": "max_norm_ball", "radius": 0}})", "D.radius is 0; expected a positive number"},
      {linear(4) + R"(, "D": {"type": "spectral_ball", "rows": 2, "cols": 2, "radius": 0}})",
       "D.radius is 0; expected a positive number"},
      {linear(4) + R"(, "D": {"type": "nuclear_ball", "rows": 0, "cols": 2, "radius": 1}})",
       "D.rows is 0; expected at least 1"},
      {linear(2) + R"(, "D": {"type": "box_slab", "a": [1, 1], "least": 2, "most": 1}})",
       "D.least is 2; expected least <= most = 1"},
      {linear(2) + R"(, "G": {"type": "identity"}})", "C is missing; expected a set: there is a map G"},
      {linear(2) + R"(, "C": {"type": "free"}})", "G is missing; expected a map: there is a set C"},
      {linear(2) + R"(, "G": {"type": "affine", "A": [[1, 2, 3]]}, "C": {"type": "free"}})",
       "G.input_dimension() is 3; expected 2, the dimension of x"},
      {linear(2) + R"(, "G": {"type": "selection", "indices": [0, 2]}, "C": {"type": "free"}})",
       "G.indices[1] is 2; expected 0 <= index < 2"},
      {linear(2) + R"(, "G": {"type": "blocks", "names": ["y"]}, "C": {"type": "free"}})",
       "G.names[0] is \"y\"; expected one of x"},
      {linear(2) + R"(, "G": {"type": "identity"}, "C": {"type": "sparse", "s": 1}})",
       "C is Sparse; expected a convex set (nonconvex ones belong into D)"},
      {linear(2) + R"(, "G": {"type": "identity"}, "C": {"type": "singleton", "point": [1, 2, 3]}})",
       "C.point.size() is 3; expected 2"},
      {linear(2) + R"(, "start": [1, 2, 3]})", "start.size() is 3; expected 2"},
      {linear(2) + R"(, "start": {"random": "cauchy"}})",
       "start.random is \"cauchy\"; expected \"normal\" or \"uniform\""},
      {linear(2) + R"(, "seed": -1})", "seed is -1; expected an integer from 0 to 2^64 - 1"},
      {linear(2) + R"(, "preset": "best"})", "preset is \"best\"; expected \"default\" or \"paper\""},
      {linear(2) + R"(, "options": {"penalty": {"tau": 1}}})",
       "options.penalty.tau is an unknown option; expected one of those that `pendec list options` shows"},
      {linear(2) + R"(, "options": {"penalty": {"tau0": "1"}}})", "options.penalty.tau0 is \"1\"; expected a number"},
      {linear(2) + R"(, "options": {"penalty.tau0": -1}})", "options.penalty.tau0 is -1; expected > 0"},
      {linear(2) + R"(, "options": {"method": "newton"}})",
       "options.method is newton; expected one of automatic, pd, pdlm, alm"},
      {linear(4) + R"(, "space": [{"name": "X", "rows": 2, "cols": 3}]})",
       "space[0].cols is 3; expected 1 <= cols <= 2"},
      {linear(4) + R"(, "space": [{"name": "x", "rows": 3}]})", "space.dimension() is 3; expected 4"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(complaint(text), message) << text;
}

TEST(BadProblemFile, SyntaxErrorsTellLineAndColumn) {
  EXPECT_EQ(complaint("{\n  \"pendec\": 1,\n  oops\n}").substr(0, 12), "problem:3:3:")
      << complaint("{\n  \"pendec\": 1,\n  oops\n}");
  EXPECT_NE(complaint(""), "nothing");
  EXPECT_NE(complaint(R"({"pendec": 1, "objective": {"type": "linear", "c": [1, NaN]}})"), "nothing");
  EXPECT_NE(complaint(R"({"pendec": 1, "objective": {"type": "linear", "c": [1e999]}})").find("1e999"),
            std::string::npos);
  EXPECT_EQ(complaint(R"({"pendec": 1, "pendec": 1})"), "problem: the key \"pendec\" occurs twice in one object");
}

TEST(BadProblemFile, NoPrefixOfAFileIsAFile) {
  const std::string text = linear(3) + R"(, "D": {"type": "sparse", "s": 1}})";
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(complaint(text.substr(0, length)), "nothing");
}

/// Deep nesting, huge sizes and huge objects are refused at once, without the memory they ask for.
TEST(BadProblemFile, AskingForTooMuchIsRefusedWithinASecond) {
  const std::string deep(200'000, '[');
  std::string many = "{";
  for (int k = 0; k < 100'000; ++k) many += "\"k" + std::to_string(k) + "\": 0, ";
  std::string parts = linear(1000) + R"(, "D": {"type": "union", "parts": [)";
  for (int k = 0; k < 200'000; ++k) parts += R"({"type":"box","lower":0},)";
  parts.back() = ']';
  parts += "}}";
  std::string toeplitz = R"({"pendec": 1, "objective": {"type": "nearest_matrix", "A": {"toeplitz": [0)";
  for (int k = 0; k < 100'000; ++k) toeplitz += ", 1";
  toeplitz += "]}}}";
  const std::vector<std::string> cases{
      deep,
      "{\"pendec\": " + deep,
      many,
      linear(4) + R"(, "D": {"type": "sparse", "n": 1000000000000, "s": 1}})",
      linear(4) + R"(, "D": {"type": "low_rank", "rows": 4611686018427387904, "cols": 4, "kappa": 1}})",
      linear(4) + R"(, "D": {"type": "psd_low_rank", "n": 4294967296, "kappa": 1}})",
      linear(4) + R"(, "D": {"type": "product", "blocks": [{"set": {"type": "free", "n": 9223372036854775807}}]}})",
      parts,
      toeplitz};
  for (const std::string& text : cases) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_NE(complaint(text), "nothing") << text.substr(0, 80);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(taken.count(), pendec::testing::patience * 1.0) << text.substr(0, 80);
  }
}

TEST(BadProblemFile, MissingFilesFoldersAndDevicesAreRefused) {
  const Folder folder;
  EXPECT_THROW(read_problem(folder.path / "nowhere.json"), FileError);
  EXPECT_THROW(read_problem(folder.path), FileError);
  EXPECT_THROW(read_problem("/dev/zero"), FileError);
  std::ofstream(folder.path / "bad.json") << linear(2) << R"(, "D": 3})";
  try {
    read_problem(folder.path / "bad.json");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), (folder.path / "bad.json").string() + ": D");
  }
}

// The examples and the schema -----

/// Same structure, and numbers as equal as two processors make them.
void expect_same(const Json& a, const Json& b, const std::string& path) {
  ASSERT_EQ(a.is_structured(), b.is_structured()) << path;
  if (a.is_number()) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-12 * std::max(1.0, std::abs(b.get<double>()))) << path;
  } else if (!a.is_structured()) {
    EXPECT_EQ(a, b) << path;
  } else {
    ASSERT_EQ(a.size(), b.size()) << path;
    for (const auto& [key, value] : a.items())
      expect_same(value, a.is_object() ? b.at(key) : b.at(std::stoul(key)), path + "." + key);
  }
}

TEST(Examples, AreWhatTheGeneratorsMake) {
  for (const experiments::Showcase& s : experiments::showcases()) {
    const fs::path path = fs::path(PENDEC_SOURCE_DIR) / "examples" / "problems" / (s.id + ".json");
    const Json made = Json::parse(to_json({.name = s.name, .problem = s.problem, .start = s.start}));
    expect_same(made, Json::parse(contents(path)), s.id);
  }
}

/// The part of JSON Schema that ours uses. Empty: valid; else the path of a violation.
std::string violation(const Json& schema, const Json& value, const Json& root, const std::string& path) {
  if (schema.contains("$ref"))
    return violation(root.at("$defs").at(schema["$ref"].get<std::string>().substr(8)), value, root, path);
  for (const char* choice : {"anyOf", "oneOf"}) {
    if (!schema.contains(choice)) continue;
    std::string deepest = path + ": no alternative";
    for (const Json& s : schema[choice]) {
      const std::string v = violation(s, value, root, path);
      if (v.empty()) return "";
      if (v.size() > deepest.size()) deepest = v;
    }
    return deepest;
  }
  if (schema.contains("const")) return value == schema["const"] ? "" : path + ": not the constant";
  if (schema.contains("enum"))
    return std::count(schema["enum"].begin(), schema["enum"].end(), value) ? "" : path + ": not in the enumeration";
  const std::string type = schema.value("type", "");
  const bool ok = (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
                  (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
                  (type == "number" && value.is_number()) || (type == "integer" && value.is_number_integer());
  if (!ok) return path + ": not of type " + type;
  if (value.is_array())
    for (const Json& item : value)
      if (const auto v = violation(schema.at("items"), item, root, path + "[]"); !v.empty()) return v;
  if (value.is_object()) {
    for (const Json& key : schema.at("required"))
      if (!value.contains(key.get<std::string>())) return path + ": without " + key.get<std::string>();
    for (const auto& [key, item] : value.items()) {
      if (!schema.at("properties").contains(key)) return path + ": unknown key " + key;
      if (const auto v = violation(schema["properties"][key], item, root, path + "." + key); !v.empty()) return v;
    }
  }
  return "";
}

TEST(Schema, IsPublishedAsTheTablesSay) {
  EXPECT_EQ(contents(fs::path(PENDEC_SOURCE_DIR) / "docs" / "problem.schema.json"), problem_schema())
      << "write it anew: pendec list schema > docs/problem.schema.json";
}

TEST(Schema, AcceptsEveryExampleAndRefusesUnknownKeys) {
  const Json schema = Json::parse(problem_schema());
  for (const auto& entry : fs::directory_iterator(fs::path(PENDEC_SOURCE_DIR) / "examples" / "problems")) {
    if (entry.path().extension() != ".json") continue;
    Json example = Json::parse(contents(entry.path()));
    EXPECT_EQ(violation(schema, example, schema, ""), "") << entry.path();
    example["objective"]["unknown"] = 1;
    EXPECT_NE(violation(schema, example, schema, ""), "") << entry.path();
  }
  for (const auto& [definition, entries] : {std::pair{"set", sets()}, {"objective", objectives()}, {"map", maps()}}) {
    for (const Entry& entry : entries) {
      Json example = Json::parse(entry.example);
      EXPECT_EQ(violation(schema["$defs"][definition], example, schema, ""), "") << entry.name;
      for (const Parameter& p : entry.parameters) {
        if (!p.required) continue;
        Json less = example;
        less.erase(std::string(p.name));
        EXPECT_NE(violation(schema["$defs"][definition], less, schema, ""), "") << entry.name << "." << p.name;
      }
    }
  }
}

TEST(Documentation, ShowsEveryNameAndOnlyFilesThatCanBeRead) {
  const fs::path docs = fs::path(PENDEC_SOURCE_DIR) / "docs";
  const std::string page = contents(docs / "problem-files.md");
  for (const auto* table : {&sets(), &objectives(), &maps()})
    for (const Entry& entry : *table)
      EXPECT_NE(page.find("| `" + std::string(entry.name) + "` |"), std::string::npos) << entry.name;
  int complete = 0;
  for (std::size_t at = page.find("```json\n{\n  \"pendec\""); at != std::string::npos;
       at = page.find("```json\n{\n  \"pendec\"", at + 1)) {
    const std::size_t begin = at + 8;
    EXPECT_EQ(complaint(page.substr(begin, page.find("```", begin) - begin)), "nothing");
    ++complete;
  }
  EXPECT_GE(complete, 5);
}

}  // namespace
}  // namespace pendec::io
