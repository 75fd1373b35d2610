// Sparse QPs to the certified optimum, as one table: the paper's synthetic and real portfolios (with a data folder),
// larger ones from the paper's generator, and where the paper's methods end on Beck and Eldar's example once supports
// are exchanged. One thread.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/instances.hpp"
#include "pendec/solvers/solve.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec::bench {
namespace {

struct Row {
  std::string name;
  Index n = 0, s = 0;
  Result result;
  double seconds = 0.0;         // of the processor, so that other work on the machine does not count
  double reference = infinity;  // published or enumerated optimum
};

Row certified(std::string name, const experiments::SparseQp& qp, Index s) {
  const auto problem = pendec::SparseQp::on_simplex(qp.Q, qp.nu * qp.c, s);
  const std::clock_t begin = std::clock();
  Row row{std::move(name), problem.dimension(), s, solve_sparse_qp(problem)};
  row.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return row;
}

/// The optimum of each (file, s) in a table whose columns are named in its first line.
std::map<std::pair<std::string, Index>, double> optima(const std::filesystem::path& path, const std::string& key) {
  std::map<std::pair<std::string, Index>, double> found;
  std::ifstream file(path);
  std::string line, cell;
  const auto cells = [&] {
    std::vector<std::string> out;
    std::istringstream stream(line);
    while (std::getline(stream, cell, ',')) out.push_back(cell);
    return out;
  };
  std::getline(file, line);
  const auto header = cells();
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  while (std::getline(file, line)) {
    const auto row = cells();
    found[{row[column(key)], std::stol(row[column("s")])}] = std::stod(row[column("optimum")]);
  }
  return found;
}

void print_head() {
  fmt::print("{:<26} {:>4} {:>3} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "problems", "n", "s", "certified", "agree",
             "median ms", "max ms", "total s", "max nodes");
}

/// One line for a family.
void print(const std::string& name, const std::vector<Row>& rows) {
  std::vector<double> ms;
  Index certified = 0, known = 0, agree = 0, nodes = 0;
  double total = 0.0;
  for (const Row& row : rows) {
    ms.push_back(1e3 * row.seconds);
    total += row.seconds;
    certified += row.result.status == Status::optimal;
    known += row.reference < infinity;
    agree += row.reference < infinity && std::abs(row.result.f - row.reference) <= 1e-9 * std::abs(row.reference);
    nodes = std::max(nodes, row.result.counts.nodes);
  }
  std::sort(ms.begin(), ms.end());
  const Row& first = rows.front();
  fmt::print("{:<26} {:>4} {:>3} {:>9} {:>9} {:>9.2f} {:>9.2f} {:>9.3f} {:>9}\n", name, first.n, first.s,
             fmt::format("{}/{}", certified, rows.size()), known > 0 ? fmt::format("{}/{}", agree, known) : "-",
             ms[ms.size() / 2], ms.back(), total, nodes);
}

void synthetic(const std::filesystem::path& data) {
  const auto reference = optima(data / "qp" / "reference_optima.csv", "file");
  for (const bool published : {true, false}) {
    std::vector<Row> all;
    for (const Index n : {20, 40, 60}) {
      const Index s = published ? n / 7 + 1 : n == 20 ? 4 : n == 40 ? 7 : 9;
      std::vector<Row> rows;
      for (const auto& entry : std::filesystem::directory_iterator(data / "qp")) {
        const std::string file = entry.path().filename().string();
        if (!file.starts_with(fmt::format("QP_{}_", n))) continue;
        const auto qp = experiments::read_sparse_qp(data, entry.path().stem().string());
        Row row = certified(file, qp, s);
        if (const auto found = reference.find({file, s}); found != reference.end()) row.reference = found->second;
        rows.push_back(row);
      }
      print(fmt::format("synthetic, s = {}", published ? "n/7 + 1" : "4, 7, 9"), rows);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    print("all 90", all);
  }
}

void real(const std::filesystem::path& data) {
  const auto reference = optima(data / "portfolio" / "reference_optima.csv", "name");
  for (const char* name : {"DTS1", "DTS2", "DTS3", "FF10", "FF17", "FF48"}) {
    const auto qp = experiments::read_portfolio(data, name);
    Row row = certified(name, qp, qp.s);
    if (const auto found = reference.find({name, qp.s}); found != reference.end()) row.reference = found->second;
    print(name, {row});
  }
}

void generated(Index n, Index s, double condition, int count) {
  std::vector<Row> rows;
  for (int seed = 1; seed <= count; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    rows.push_back(certified("", experiments::random_sparse_qp(n, condition, random), s));
  }
  print(fmt::format("generated, condition {:g}", condition), rows);
}

/// Table 6.2 with exchanges of supports: how many of 1000 random starts end at the global minimum −124/3.
void beck_eldar() {
  constexpr int starts = 1000;
  const Problem problem = experiments::beck_eldar().problem();
  fmt::print("\nBeck and Eldar's Example 2.2, exchanges of supports, random starts\n{:<10} {:>6} {:>12} {:>9}\n",
             "method", "tau0", "global", "total s");
  for (const Method method : {Method::pd, Method::pdlm}) {
    for (const double tau0 : {0.1, 1.0, 10.0, 100.0}) {
      Options options = paper_preset(method);
      options.penalty.tau0 = tau0;
      options.driver.polish = true;
      options.driver.branch_search = 60;
      Random random(22);
      int global = 0;
      const std::clock_t begin = std::clock();
      for (int i = 0; i < starts; ++i)
        global += std::abs(solve(problem, random.uniform_vector(5, -10.0, 10.0), options).f + 124.0 / 3.0) < 1e-6;
      fmt::print("{:<10} {:>6} {:>12} {:>9.3f}\n", to_string(method), tau0, fmt::format("{}/{}", global, starts),
                 static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
  }
}

}  // namespace
}  // namespace pendec::bench

int main(int count, char** arguments) {
  using namespace pendec;
  const auto data =
      count > 1 ? std::filesystem::path(arguments[1]) : experiments::data_folder(PENDEC_SOURCE_DIR).value_or("");
  bench::print_head();
  if (!data.empty()) {
    bench::synthetic(data);
    bench::real(data);
  } else {
    fmt::print("no data folder: only generated problems\n");
  }
  bench::generated(60, 9, 100.0, 100);
  bench::generated(200, 20, 500.0, 3);
  bench::generated(500, 10, 500.0, 3);
  bench::beck_eldar();
}
