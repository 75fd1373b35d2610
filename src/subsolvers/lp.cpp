#include "lp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pendec/subsolvers/clp.hpp"

#ifdef PENDEC_HAS_CLP
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#endif

namespace pendec {

#ifdef PENDEC_HAS_CLP
bool has_clp() { return true; }
#else
bool has_clp() { return false; }
#endif

namespace detail {

#ifdef PENDEC_HAS_CLP

namespace {

/// Ends a solve when asked to.
class Stopper final : public ClpEventHandler {
 public:
  explicit Stopper(const std::function<bool()>* stop) : stop_(stop) {}
  int event(Event) override { return stop_ && *stop_ && (*stop_)() ? 0 : -1; }
  ClpEventHandler* clone() const override { return new Stopper(stop_); }

 private:
  const std::function<bool()>* stop_;
};

}  // namespace

struct Lp::Simplex {
  ClpSimplex clp;
};

Lp::Lp(const SparseMatrix& A, In cost, In row_lower, In row_upper, In lower, In upper)
    : simplex_(std::make_unique<Simplex>()),
      A_(A),
      cost_(cost),
      row_lower_(row_lower),
      row_upper_(row_upper),
      lower_(lower),
      upper_(upper),
      x_(Vector::Zero(cost.size())) {
  A_.makeCompressed();
  ClpSimplex& clp = simplex_->clp;
  clp.setLogLevel(0);
  clp.setPrimalTolerance(1e-9);
  clp.setDualTolerance(1e-9);
  clp.loadProblem(static_cast<int>(A_.cols()), static_cast<int>(A_.rows()), A_.outerIndexPtr(), A_.innerIndexPtr(),
                  A_.valuePtr(), lower_.data(), upper_.data(), cost_.data(), row_lower_.data(), row_upper_.data());
}

Lp::~Lp() = default;

void Lp::set_bounds(Index j, double lower, double upper) {
  lower_[j] = lower;
  upper_[j] = upper;
  simplex_->clp.setColumnBounds(static_cast<int>(j), lower, upper);
}

bool Lp::solve(const std::function<bool()>& stop) {
  ClpSimplex& clp = simplex_->clp;
  const Stopper stopper(&stop);
  clp.passInEventHandler(&stopper);
  clp.dual();
  x_ = Eigen::Map<const Vector>(clp.primalColumnSolution(), x_.size());
  bound_ = bound_of(Eigen::Map<const Vector>(clp.dualRowSolution(), A_.rows()));
  return clp.status() == 0;
}

#else

struct Lp::Simplex {};

Lp::Lp(const SparseMatrix&, In, In, In, In, In) {}
Lp::~Lp() = default;
void Lp::set_bounds(Index, double, double) {}
bool Lp::solve(const std::function<bool()>&) { return false; }

#endif

/// cᵀx = yᵀ(A x) + (c − Aᵀy)ᵀx, each term at its smallest, less what rounding may have added. A multiplier of a bound
/// that is not there is left out.
double Lp::bound_of(In y) const {
  const auto smallest = [](double weight, double low, double high) { return weight * (weight > 0.0 ? low : high); };
  Vector kept = y;
  double sum = 0.0, terms = 0.0;
  const auto add = [&](double term) { sum += term, terms += std::abs(term); };
  for (Index i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i]) || !std::isfinite(y[i] > 0.0 ? row_lower_[i] : row_upper_[i])) kept[i] = 0.0;
    if (kept[i] != 0.0) add(smallest(kept[i], row_lower_[i], row_upper_[i]));
  }
  const Vector reduced = cost_ - A_.transpose() * kept;
  const Vector sizes = cost_.cwiseAbs() + A_.cwiseAbs().transpose() * kept.cwiseAbs();
  for (Index j = 0; j < reduced.size(); ++j) {
    if (reduced[j] != 0.0) add(smallest(reduced[j], lower_[j], upper_[j]));
    terms += sizes[j] * std::max(std::abs(lower_[j]), std::abs(upper_[j]));  // what was lost in the reduced cost
  }
  const double unit = std::numeric_limits<double>::epsilon() * static_cast<double>(y.size() + reduced.size() + 2);
  return sum - unit * terms;
}

}  // namespace detail

}  // namespace pendec
