// The objectives of problem files. A new one is one row here.
#include "factory.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/objectives/sum.hpp"

namespace pendec::io {
namespace {

template <class F, class Make, class Write>
Factory<Objective> objective(Entry entry, Make make, Write write) {
  return row<Objective, F>(std::move(entry), std::move(make), std::move(write));
}

/// The model behind an L, or behind a LinearModel that could be one; null: f is something else.
template <class L>
const LinearModel* model_of(const Objective& f, Loss kind) {
  if (const auto* own = f.as<L>()) return own;
  const auto* model = f.as<LinearModel>();
  return model && model->loss == kind ? model : nullptr;
}

/// Losses of A x, with the name of what is observed as second parameter; all of them may have a ridge.
template <class L>
Factory<Objective> loss(Loss kind, Entry entry) {
  const std::string observed(entry.parameters[1].name);
  entry.parameters.push_back({"ridge", Kind::number, "adds ridge/2 |x|^2; 0 if left out", false});
  return {std::move(entry),
          [observed, kind](const Arguments& a) {
            const Operator A = a.matrix("A");
            LinearModelOptions options{.ridge = a.number("ridge", 0.0)};
            if (kind == Loss::huber) options.huber = a.number("huber", options.huber);
            return L(A, a.vector(observed, A.rows()), std::move(options));
          },
          [observed, kind](const Objective& f, Json& out) {
            const LinearModel* model = model_of<L>(f, kind);
            if (!model || model->options.intercept) return false;  // files have a column of ones
            out["A"] = operator_json(model->A);
            out[observed] = constant_json(model->b);
            if (model->options.ridge != 0.0) out["ridge"] = model->options.ridge;
            if (kind == Loss::huber) out["huber"] = model->options.huber;
            return true;
          }};
}

std::vector<Factory<Objective>> table_of_objectives() {
  return {
      objective<Quadratic>(
          {"quadratic",
           "1/2 x'Qx + c'x",
           {{"Q", Kind::matrix, "symmetric matrix"}, {"c", Kind::vector, "zero if left out", false}},
           R"({"type": "quadratic", "Q": [[2, 0.5], [0.5, 1]], "c": [-1, 0]})"},
          [](const Arguments& a) {
            const Operator Q = a.symmetric_matrix("Q");
            Vector c = a.vector_or_zero("c", Q.rows());
            return Quadratic(Q, std::move(c));
          },
          [](const Quadratic& f, Json& out) {
            out["Q"] = operator_json(f.Q);
            out["c"] = constant_json(f.c);
          }),
      loss<LeastSquares>(Loss::squared,
                         {"least_squares",
                          "1/2 |Ax - b|^2",
                          {{"A", Kind::matrix, "one row per observation"}, {"b", Kind::vector, "observed values"}},
                          R"({"type": "least_squares", "A": [[1, 0], [1, 1], [1, 2]], "b": [0.1, 0.9, 2.2]})"}),
      loss<Logistic>(Loss::logistic,
                     {"logistic",
                      "sum_k log(1 + exp(-label_k <a_k, x>)), a_k the rows of A",
                      {{"A", Kind::matrix, "one row per example"}, {"labels", Kind::vector, "-1 or 1 per example"}},
                      R"({"type": "logistic", "A": [[1, 0.5], [-1, 2], [0.3, 1]], "labels": [1, -1, 1]})"}),
      loss<Huber>(Loss::huber,
                  {"huber",
                   "sum_k of 1/2 r_k^2 where |r_k| is at most huber, linear beyond; r = Ax - b",
                   {{"A", Kind::matrix, "one row per observation"},
                    {"b", Kind::vector, "observed values"},
                    {"huber", Kind::number, "where the loss turns linear; 1.345 if left out", false}},
                   R"({"type": "huber", "A": [[1, 0], [1, 1], [1, 2]], "b": [0.1, 0.9, 22], "huber": 1})"}),
      loss<Poisson>(Loss::poisson,
                    {"poisson",
                     "sum_k exp(<a_k, x>) - count_k <a_k, x>, a_k the rows of A",
                     {{"A", Kind::matrix, "one row per observation"},
                      {"counts", Kind::vector, "a number >= 0 per observation"}},
                     R"({"type": "poisson", "A": [[1, 0.5], [-1, 2], [0.3, 1]], "counts": [2, 0, 1]})"}),
      objective<SquaredDistance>(
          {"squared_distance",
           "1/2 sum_i w_i (x_i - a_i)^2",
           {{"a", Kind::vector, "the point to be near to"},
            {"weights", Kind::vector, "nonnegative weights w; 1 if left out", false}},
           R"({"type": "squared_distance", "a": [1, 2, 3], "weights": [1, 1, 0.5]})"},
          [](const Arguments& a) {
            Vector point = a.vector("a");
            Vector weights = a.vector_or_empty("weights", point.size());
            return SquaredDistance(std::move(point), std::move(weights));
          },
          [](const SquaredDistance& f, Json& out) {
            out["a"] = array_json(f.a);
            if (!f.unit_weights) out["weights"] = constant_json(f.weights);
          }),
      {{"nearest_matrix",
        "1/2 |X - A|^2 in the Frobenius norm, x = the columns of X",
        {{"A", Kind::matrix, "the matrix to be near to"}},
        R"({"type": "nearest_matrix", "A": [[1, 0.9], [0.9, 1]]})"},
       [](const Arguments& a) { return SquaredDistance(a.dense_matrix("A").reshaped()); },
       [](const Objective&, Json&) { return false; }},  // written by to_json(ProblemFile), which knows the shape
      objective<Linear>(
          {"linear", "c'x", {{"c", Kind::vector, "the gradient"}}, R"({"type": "linear", "c": [1, -2]})"},
          [](const Arguments& a) { return Linear(a.vector("c")); },
          [](const Linear& f, Json& out) { out["c"] = array_json(f.c); }),
      objective<Sum>(
          {"sum",
           "a weighted sum of objectives",
           {{"terms", Kind::terms, "weights (1 if left out) and objectives"}},
           R"({"type": "sum", "terms": [{"weight": 2, "objective": {"type": "linear", "c": [1, 0]}},
                                                   {"objective": {"type": "squared_distance", "a": [0, 1]}}]})"},
          [](const Arguments& a) { return Sum(a.terms("terms")); },
          [](const Sum& f, Json& out) {
            for (const Term& t : f.terms)
              out["terms"].push_back({{"weight", t.weight}, {"objective", objective_json(t.f)}});
          }),
  };
}

}  // namespace

const std::vector<Factory<Objective>>& objective_factories() {
  static const std::vector<Factory<Objective>> table = table_of_objectives();
  return table;
}

}  // namespace pendec::io
