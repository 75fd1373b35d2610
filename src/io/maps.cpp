// The maps of problem files. A new one is one row here.
#include <cmath>

#include "factory.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/quadratic_rows.hpp"
#include "pendec/maps/quartic.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/maps/stack.hpp"

namespace pendec::io {
namespace {

template <class G, class Make, class Write>
Factory<Map> map(Entry entry, Make make, Write write) {
  return row<Map, G>(std::move(entry), std::move(make), std::move(write));
}

/// A selection that has a name of its own.
template <class Make>
Factory<Map> special_selection(Entry entry, Make make, std::function<Selection(Index)> same) {
  return {std::move(entry), std::move(make), [same](const Map& G, Json&) {
            const auto* s = G.as<Selection>();
            if (!s || (s->shift.array() != 0.0).any()) return false;
            const Selection other = same(s->n);
            return other.n == s->n && other.indices == s->indices;
          }};
}

Index root(Index n) {
  auto r = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (r * r > n) --r;
  while ((r + 1) * (r + 1) <= n) ++r;
  return r;
}

std::vector<Factory<Map>> table_of_maps() {
  return {
      special_selection(
          {"identity", "G(x) = x", {}, R"({"type": "identity"})"},
          [](const Arguments& a) { return Selection::identity(a.input_dimension()); }, Selection::identity),
      special_selection(
          {"diagonal",
           "the diagonal of an n x n matrix",
           {{"n", Kind::dimension, "rows and columns of the matrix", false}},
           R"({"type": "diagonal", "n": 2})"},
          [](const Arguments& a) { return Selection::diagonal(a.side("n")); },
          [](Index n) { return Selection::diagonal(root(n)); }),
      {{"blocks",
        "named blocks of x, one below the other",
        {{"names", Kind::names, "names of blocks of the space or of the product D"}},
        R"({"type": "blocks", "names": ["x"]})"},
       [](const Arguments& a) { return Selection(a.input_dimension(), a.coordinates("names")); },
       [](const Map&, Json&) { return false; }},
      map<Selection>(
          {"selection",
           "x[indices] + shift",
           {{"indices", Kind::indices, "distinct coordinates of x, counted from 0"},
            {"shift", Kind::vector, "zero if left out", false}},
           R"({"type": "selection", "indices": [0, 3], "shift": [0.5, 0]})"},
          [](const Arguments& a) {
            std::vector<Index> indices = a.indices("indices");
            Vector shift = a.vector_or_zero("shift", static_cast<Index>(indices.size()));
            return Selection(a.input_dimension(), std::move(indices), std::move(shift));
          },
          [](const Selection& G, Json& out) {
            out["indices"] = G.indices;
            if ((G.shift.array() != 0.0).any()) out["shift"] = array_json(G.shift);
          }),
      map<Affine>(
          {"affine",
           "A x + b",
           {{"A", Kind::matrix, "one row per component of G"}, {"b", Kind::vector, "zero if left out", false}},
           R"({"type": "affine", "A": [[1, 2, 0, 1]], "b": [1]})"},
          [](const Arguments& a) {
            const Operator A = a.matrix("A");
            return Affine(A, a.vector_or_zero("b", A.rows()));
          },
          [](const Affine& G, Json& out) {
            out["A"] = operator_json(G.A);
            if ((G.b.array() != 0.0).any()) out["b"] = array_json(G.b);
          }),
      map<Quartic>(
          {"quartic",
           "G_j(x) = sum_i c_ij (x_i - p_ij)^4 - t_j",
           {{"c", Kind::matrix, "coefficients, one column per component of G"},
            {"p", Kind::matrix, "centres, of the same shape"},
            {"t", Kind::vector, "one number per component of G"}},
           R"({"type": "quartic", "c": [[1], [2], [1], [1]], "p": [[0], [0.5], [0], [0]], "t": [0.1]})"},
          [](const Arguments& a) {
            Matrix c = a.dense_matrix("c"), p = a.dense_matrix("p");
            Vector t = a.vector("t", c.cols());
            return Quartic(std::move(c), std::move(p), std::move(t));
          },
          [](const Quartic& G, Json& out) {
            out["c"] = matrix_json(G.c);
            out["p"] = matrix_json(G.p);
            out["t"] = array_json(G.t);
          }),
      map<QuadraticRows>(
          {"quadratic",
           "G_j(x) = x'Q_j x / 2 + (A x)_j + b_j",
           {{"Q", Kind::matrix, "the symmetric matrices Q_1, Q_2, ..., one below the other"},
            {"A", Kind::matrix, "one row per component of G"},
            {"b", Kind::vector, "zero if left out", false}},
           R"({"type": "quadratic", "Q": {"diagonal": [1, 1, 0, 2]}, "A": [[0, 1, 0, 0]], "b": [-1]})"},
          [](const Arguments& a) {
            const Matrix stacked = a.dense_matrix("Q");
            Matrix A = a.dense_matrix("A");
            require_dimension("Q.rows()", stacked.rows(), A.rows() * A.cols());
            std::vector<Matrix> Q;
            for (Index j = 0; j < A.rows(); ++j) Q.push_back(stacked.middleRows(j * A.cols(), A.cols()));
            Vector b = a.vector_or_zero("b", A.rows());
            return QuadraticRows(std::move(Q), std::move(A), std::move(b));
          },
          [](const QuadraticRows& G, Json& out) {
            const Index n = G.A.cols();
            Matrix stacked(n * G.A.rows(), n);
            for (std::size_t j = 0; j < G.Q.size(); ++j) stacked.middleRows(static_cast<Index>(j) * n, n) = G.Q[j];
            out["Q"] = matrix_json(stacked);
            out["A"] = matrix_json(G.A);
            if ((G.b.array() != 0.0).any()) out["b"] = array_json(G.b);
          }),
      map<Stack>(
          {"stack",
           "several maps, one below the other; C is then often a product",
           {{"maps", Kind::maps, "the maps"}},
           R"({"type": "stack", "maps": [{"type": "identity"}, {"type": "selection", "indices": [1]}]})"},
          [](const Arguments& a) { return Stack(a.maps("maps")); },
          [](const Stack& G, Json& out) {
            for (const Map& part : G.parts) out["maps"].push_back(map_json(part));
          }),
  };
}

}  // namespace

const std::vector<Factory<Map>>& map_factories() {
  static const std::vector<Factory<Map>> table = table_of_maps();
  return table;
}

}  // namespace pendec::io
