// What is fed to the readers, by the fuzzers and, for the inputs kept in corpus/, by the tests.
//
// A new reader: a function here, a line in `readers`, a folder corpus/<name> with a few valid inputs.
#pragma once

#include <cstdlib>
#include <iterator>
#include <string_view>

#include "pendec/core/error.hpp"
#include "pendec/io/csv.hpp"
#include "pendec/io/graph_file.hpp"
#include "pendec/io/matrix_market.hpp"
#include "pendec/io/nl.hpp"
#include "pendec/io/npy.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/tasks_file.hpp"
#include "tests/reference/claims.hpp"

namespace pendec::fuzz {

/// What must hold for every input whatsoever; kept in optimised builds.
inline void expect(bool ok) {
  if (!ok) std::abort();
}

inline constexpr io::Allow everything{.infinite = true, .missing = true};

inline void csv(std::string_view input) {
  for (const io::Header header : {io::Header::automatic, io::Header::yes, io::Header::no}) {
    try {
      const io::CsvTable table = io::parse_csv(input, "fuzz", {.header = header});
      expect(table.columns() > 0 &&
             (header == io::Header::automatic || table.has_header() == (header == io::Header::yes)));
      for (Index i = 0; i < table.rows(); ++i)
        for (Index j = 0; j < table.columns(); ++j) expect(table.line(i, j) >= 1);
      expect(table.numbers().allFinite());
    } catch (const io::FileError&) {
    }
    try {
      const io::CsvTable table = io::parse_csv(input, "fuzz", {.header = header, .allow = everything});
      expect(table.numbers().rows() == table.rows());
    } catch (const io::FileError&) {
    }
  }
}

inline void matrix_market(std::string_view input) {
  try {
    const io::MatrixMarket matrix = io::parse_matrix_market(input, "fuzz");
    if (const auto* dense = std::get_if<Matrix>(&matrix))
      expect(dense->allFinite());
    else
      expect(std::get<io::SparseMatrix>(matrix).coeffs().allFinite());
  } catch (const io::FileError&) {
  }
  try {
    io::parse_matrix_market(input, "fuzz", everything);
  } catch (const io::FileError&) {
  }
}

inline void npy(std::string_view input) {
  try {
    const Matrix matrix = io::parse_npy(input, "fuzz").dense();
    expect(matrix.allFinite());
    const Matrix either = io::parse_npy(input, "fuzz", {.or_transpose = true}).dense();
    expect(either.size() == matrix.size());
    expect(either.rows() == matrix.rows() ? either == matrix || either == matrix.transpose()
                                          : either == matrix.transpose());
  } catch (const io::FileError&) {
  }
  try {
    io::parse_npy(input, "fuzz", {.allow = everything});
  } catch (const io::FileError&) {
  }
}

/// What was read is written so that it reads the same again.
inline void problem(std::string_view input) {
  const auto read = [](std::string_view text) { return io::parse_problem(text, "/no/such/folder"); };
  try {
    const io::ProblemFile file = read(input);
    expect(file.start.size() == file.problem.dimension());
    const std::string text = io::to_json(file);
    expect(io::to_json(read(text)) == text);
  } catch (const io::FileError&) {
  } catch (const InvalidArgument&) {
  }
}

inline void graph(std::string_view input) {
  try {
    const Graph graph = io::parse_graph(input, "fuzz");
    for (const Edge& e : graph.edges) expect(e.i >= 0 && e.i < graph.n && e.j >= 0 && e.j < graph.n && e.i != e.j);
  } catch (const io::FileError&) {
  }
}

inline void tasks(std::string_view input) {
  try {
    for (const Task& task : io::parse_tasks(input, "fuzz"))
      expect(task.X.rows() == task.labels.size() && task.X.allFinite() && (task.labels.array().abs() == 1.0).all());
  } catch (const io::FileError&) {
  }
}

inline void entries(std::string_view input) {
  try {
    const io::ObservedEntries read = io::parse_entries(input, "fuzz");
    for (const Observation& o : read.seen)
      expect(o.row < static_cast<Index>(read.rows.size()) && o.column < static_cast<Index>(read.columns.size()));
  } catch (const io::FileError&) {
  }
}

/// What was read can be evaluated, and written about.
inline void nl(std::string_view input) {
  try {
    const io::NlModel model = io::parse_nl(input, "fuzz");
    const Vector x = model.start();
    expect(x.size() == model.header.variables && model.row_values(x).size() == model.header.rows);
    if (!model.contradiction.empty()) return;
    const Problem problem = model.file.problem.completed();
    Vector gradient(problem.dimension());
    problem.f.value_and_gradient(model.file.start, gradient);
    if (problem.has_G()) problem.G.adjoint(model.file.start, Vector::Ones(problem.G.output_dimension()), gradient);
    Result r;
    r.y = model.file.start;
    expect(!io::to_sol(model, r).empty());
  } catch (const io::FileError&) {
  } catch (const InvalidArgument&) {
  }
}

/// Not a reader: numbers of every size for the solvers that prove something. What they claim must be true.
inline void claims(std::string_view input) {
  if (input.empty()) return;
  const auto kind = static_cast<unsigned char>(input.front());
  reference::BytesDraw draw(input.substr(1));
  const auto& name = reference::claim_classes[kind / 2 % std::size(reference::claim_classes)];
  expect(reference::check_claims(name, draw, kind % 2 == 0).wrong.empty());
}

struct Reader {
  std::string_view name;
  void (*feed)(std::string_view input);
};

inline constexpr Reader readers[] = {{"csv", csv},
                                     {"matrix_market", matrix_market},
                                     {"npy", npy},
                                     {"problem", problem},
                                     {"graph", graph},
                                     {"tasks", tasks},
                                     {"entries", entries},
                                     {"claims", claims},
                                     {"nl", nl}};

}  // namespace pendec::fuzz
