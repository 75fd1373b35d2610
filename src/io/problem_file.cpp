#include "pendec/io/problem_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "factory.hpp"
#include "option_settings.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/file.hpp"
#include "pendec/objectives/quadratic.hpp"

namespace pendec::io {
namespace {

constexpr Index format_version = 1;

// Keys that every kind of problem has; each kind adds its own.
const std::vector<std::string_view> common_keys{"pendec", "kind",   "name",    "description",
                                                "start",  "preset", "options", "seed"};

Space read_space(const Node& node, Index n) {
  std::vector<Block> blocks;
  std::unordered_set<std::string> names;
  const std::size_t count = node.expect_array("an array of blocks {\"name\", \"rows\", \"cols\"}");
  Index total = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Node block = node[k];
    block.expect_keys({"name", "rows", "cols"});
    const auto cols_node = block.find("cols");
    const Node rows_node = block.at("rows", "an integer");
    const Index rows = rows_node.integer(), cols = cols_node ? cols_node->integer() : 1;
    if (rows < 1 || rows > n - total) rows_node.refuse(fmt::format("1 <= rows <= {}", n - total));
    if (cols < 1 || cols > (n - total) / rows) cols_node->refuse(fmt::format("1 <= cols <= {}", (n - total) / rows));
    total += rows * cols;
    const Node name = block.at("name", "a string");
    if (!names.insert(name.text()).second) name.refuse("a name used once");
    blocks.push_back({name.text(), rows, cols});
  }
  if (total != n) throw PathError(node.path() + ".dimension()", to_text(total), to_text(n));
  return Space(std::move(blocks));
}

/// The blocks that maps may name: those of the space, else of the product D.
Space blocks_of(const Problem& p) {
  if (!p.space.blocks().empty()) return p.space;
  const auto* product = p.D ? p.D.as<Product>() : nullptr;
  if (!product) return Space::vector(p.dimension());
  std::vector<Block> blocks;
  for (const NamedSet& b : product->blocks) blocks.push_back({b.name, b.set.dimension(), 1});
  return Space(std::move(blocks));
}

/// kind "problem": objective, space, D, G and C, each in the library's own words.
void read_general(const Node& root, ProblemFile& out) {
  Problem& p = out.problem;
  p.f = read_objective(root.at("objective", "an objective"), {});
  const Index n = p.dimension();
  if (n < 1) throw PathError("objective.dimension()", to_text(n), "at least 1");
  root.raise_limit(16 * n);
  if (const auto space = root.find("space")) p.space = read_space(*space, n);
  if (const auto D = root.find("D")) p.D = read_set(*D, {.dimension = n, .limit = n});
  if (!root.has("G") && !root.has("C")) return;
  const Space blocks = blocks_of(p);
  p.G = read_map(root.at("G", "a map: there is a set C"), {.dimension = n, .limit = n, .space = &blocks});
  const Index m = p.G.output_dimension();
  if (m < 1) throw PathError("G.output_dimension()", to_text(m), "at least 1");
  p.C = read_set(root.at("C", "a set: there is a map G"), {.dimension = m, .limit = m});
  if (!p.C.convex()) throw PathError("C", p.C.name(), "a convex set (nonconvex ones belong into D)");
}

constexpr PairKind pair_kinds[] = {PairKind::complementarity, PairKind::switching, PairKind::vanishing,
                                   PairKind::either};

PairConstraint read_pair(const Node& node, Index n, const Space& blocks) {
  node.expect_keys({"kind", "F", "H"});
  const Node name = node.at("kind", "a kind of pairs");
  const auto* kind = std::find_if(std::begin(pair_kinds), std::end(pair_kinds),
                                  [&](PairKind k) { return to_string(k) == name.text(); });
  if (kind == std::end(pair_kinds)) name.refuse("complementarity, switching, vanishing or either");
  PairConstraint pair{*kind, read_map(node.at("F", "a map"), {.dimension = n, .limit = n, .space = &blocks}),
                      read_map(node.at("H", "a map"), {.dimension = n, .limit = n, .space = &blocks})};
  const Index rows = pair.F.output_dimension(), others = pair.H.output_dimension();
  if (rows < 1) throw PathError(node.path() + ".F.output_dimension()", to_text(rows), "at least 1");
  if (rows != others) throw PathError(node.path() + ".H.output_dimension()", to_text(others), to_text(rows));
  return pair;
}

/// kind "pairs": objective, pairs of maps, and G, C and a convex X if wanted; the start is one of x alone.
void read_pairs(const Node& root, ProblemFile& out) {
  PairProgram program;
  program.f = read_objective(root.at("objective", "an objective"), {});
  const Index n = program.dimension();
  if (n < 1) throw PathError("objective.dimension()", to_text(n), "at least 1");
  root.raise_limit(16 * n);
  const Space blocks = Space::vector(n);
  if (const auto X = root.find("X")) {
    program.X = read_set(*X, {.dimension = n, .limit = n});
    if (!program.X.convex()) throw PathError("X", program.X.name(), "a convex set");
  }
  if (root.has("G") || root.has("C")) {
    program.G = read_map(root.at("G", "a map: there is a set C"), {.dimension = n, .limit = n, .space = &blocks});
    const Index m = program.G.output_dimension();
    if (m < 1) throw PathError("G.output_dimension()", to_text(m), "at least 1");
    program.C = read_set(root.at("C", "a set: there is a map G"), {.dimension = m, .limit = m});
    if (!program.C.convex()) throw PathError("C", program.C.name(), "a convex set");
  }
  const Node pairs = root.at("pairs", "an array of pairs {\"kind\", \"F\", \"H\"}");
  const std::size_t count = pairs.expect_array("an array of pairs {\"kind\", \"F\", \"H\"}");
  if (count == 0) throw PathError("pairs", "an empty array", "at least one pair of maps");
  for (std::size_t k = 0; k < count; ++k) program.pairs.push_back(read_pair(pairs[k], n, blocks));
  out.problem = {.f = program.f};  // a start has its size; the slacks come afterwards
  out.pairs = std::move(program);
}

/// A kind of problem: which keys it has besides the common ones, and what reads them. Problem classes with a solver
/// of their own become further rows.
struct ProblemKind {
  std::vector<std::string_view> keys;
  void (*read)(const Node& root, ProblemFile& out);
};
const std::map<std::string, ProblemKind>& kinds() {
  static const std::map<std::string, ProblemKind> table{
      {"problem", {{"objective", "space", "G", "C", "D"}, read_general}},
      {"pairs", {{"objective", "pairs", "G", "C", "X"}, read_pairs}}};
  return table;
}

const ProblemKind& kind_of(const Node& root) {
  const auto node = root.find("kind");
  const auto found = kinds().find(node ? node->text() : "problem");
  if (found != kinds().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  node->refuse(fmt::format("one of {}", fmt::join(names, ", ")));
}

// Start -----

Vector random_start(const Node& node, Index n, std::uint64_t seed) {
  node.expect_keys({"random", "scale"});
  const Node law = node.at("random", "\"normal\" or \"uniform\"");
  const auto scale_node = node.find("scale");
  const double scale = scale_node ? scale_node->number() : 1.0;
  Random random(seed);
  if (law.text() == "normal") return scale * random.normal_vector(n);
  if (law.text() == "uniform") return scale * random.uniform_vector(n, -1.0, 1.0);
  law.refuse("\"normal\" or \"uniform\"");
}

/// Points of a matrix space may be given as matrices.
const Block* single_matrix(const Problem& p) {
  const auto& blocks = p.space.blocks();
  return blocks.size() == 1 && blocks.front().cols > 1 ? &blocks.front() : nullptr;
}

Vector read_start(const Node& node, const ProblemFile& file) {
  const Index n = file.problem.dimension();
  if (node.has("random")) return random_start(node, n, file.seed);
  const Block* block = single_matrix(file.problem);
  const Json& json = node.json();
  const bool nested = json.is_array() && !json.empty() && json.front().is_array();
  if (!block || !(nested || json.is_object())) return node.vector(n);
  const Operator X = node.dense_matrix();
  if (X.rows() != block->rows || X.cols() != block->cols)
    throw PathError(node.path(), fmt::format("a {} x {} matrix", X.rows(), X.cols()),
                    fmt::format("{} x {}", block->rows, block->cols));
  return X.view()->reshaped();
}

ProblemFile problem_of(const Node& root) {
  if (!root.json().is_object()) throw PathError("the file", "not an object", "a JSON object with the key \"pendec\"");
  const Node version = root.at("pendec", "the version of the format, 1");
  if (version.integer() != format_version)
    version.refuse(fmt::format("{}, the version of the format that this program reads", format_version));
  const ProblemKind& kind = kind_of(root);
  std::vector<std::string_view> keys = common_keys;
  keys.insert(keys.end(), kind.keys.begin(), kind.keys.end());
  root.expect_keys(keys);

  ProblemFile out;
  if (const auto name = root.find("name")) out.name = name->text();
  if (const auto description = root.find("description")) out.description = description->text();
  if (const auto seed = root.find("seed")) out.seed = seed->seed();
  if (const auto preset = root.find("preset")) {
    out.options.preset = preset->text();
    if (out.options.preset != "default" && out.options.preset != "paper") preset->refuse("\"default\" or \"paper\"");
  }
  if (const auto options = root.find("options")) out.options.settings = read_settings(*options);
  kind.read(root, out);
  if (const auto start = root.find("start"))
    out.start = read_start(*start, out);
  else
    out.start = Vector::Zero(out.problem.dimension());
  try {
    if (out.pairs) {
      out.problem = out.pairs->with_slacks();
      out.start = out.pairs->with_slacks(out.start);
    }
    out.options.options();
    out.problem.completed();
  } catch (const PathError&) {
    throw;
  } catch (const InvalidArgument& error) {
    throw PathError(error.field(), error.value(), error.expected());
  }
  return out;
}

Json space_json(const Space& space) {
  Json out = Json::array();
  for (const Block& b : space.blocks()) out.push_back({{"name", b.name}, {"rows", b.rows}, {"cols", b.cols}});
  return out;
}

void append_settings(const ProblemFile& file, Json& out) {
  if (file.options.preset != "default") out["preset"] = file.options.preset;
  if (!file.options.settings.empty()) out["options"] = settings_json(file.options.settings);
  if (file.seed != 0) out["seed"] = file.seed;
}

std::string pairs_text(const ProblemFile& file) {
  const PairProgram& p = *file.pairs;
  Json out = {{"pendec", format_version}, {"kind", "pairs"}};
  if (!file.name.empty()) out["name"] = file.name;
  if (!file.description.empty()) out["description"] = file.description;
  out["objective"] = objective_json(p.f);
  for (const PairConstraint& pair : p.pairs)
    out["pairs"].push_back({{"kind", to_string(pair.kind)}, {"F", map_json(pair.F)}, {"H", map_json(pair.H)}});
  if (p.G) {
    out["G"] = map_json(p.G);
    out["C"] = set_json(p.C);
  }
  if (p.X) out["X"] = set_json(p.X);
  if (file.start.size() > 0) out["start"] = constant_json(file.start.head(p.dimension()));
  append_settings(file, out);
  return pretty(out);
}

}  // namespace

ProblemFile parse_problem(std::string_view text, const std::filesystem::path& folder, std::string_view source_name,
                          bool confine) {
  const Json json = parse_json(text, source_name);
  Source source{.folder = folder, .confine = confine};
  ProblemFile file = problem_of(Node(json, "", source));
  file.files = std::move(source.files);
  return file;
}

ProblemFile read_problem(const std::filesystem::path& path, bool confine) {
  const std::string text = read_text(path, max_problem_bytes);
  try {
    return parse_problem(text, path.parent_path(), path.string(), confine);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", path.string(), error.field()), error.value(), error.expected());
  }
}

std::string to_json(const ProblemFile& file) {
  if (file.pairs) return pairs_text(file);
  const Problem& p = file.problem;
  const Block* matrix = single_matrix(p);
  const auto as_matrix = [&](In x) { return matrix_json(ConstMatrixView(x.data(), matrix->rows, matrix->cols)); };
  const auto* distance = p.f.as<SquaredDistance>();

  Json out = {{"pendec", format_version}};
  if (!file.name.empty()) out["name"] = file.name;
  if (!file.description.empty()) out["description"] = file.description;
  if (matrix && distance && distance->unit_weights)
    out["objective"] = {{"type", "nearest_matrix"}, {"A", as_matrix(distance->a)}};
  else
    out["objective"] = objective_json(p.f);
  if (!p.space.blocks().empty()) out["space"] = space_json(p.space);
  if (p.D) out["D"] = set_json(p.D);
  if (p.has_G()) {
    out["G"] = map_json(p.G);
    out["C"] = set_json(p.C);
  }
  if (file.start.size() > 0) out["start"] = matrix ? as_matrix(file.start) : constant_json(file.start);
  append_settings(file, out);
  return pretty(out);
}

void write_problem(const std::filesystem::path& path, const ProblemFile& file) {
  write_atomically(path, to_json(file));
}

}  // namespace pendec::io
