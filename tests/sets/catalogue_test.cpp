// Every family of sets, with random members in small dimension (degenerate ones among them), against distances
// computed in the most pedestrian way: all supports, all faces, all values, and Eigen's Jacobi SVD where the library
// uses LAPACK.
#include <rapidcheck.h>

#include <cstdlib>
#include <functional>

#include "pendec/pendec.hpp"
#include "tests/reference/linear_algebra.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

// The same cases in every run, unless the caller asks for others.
const int fixed_seed = ::setenv("RC_PARAMS", "seed=1", 0);

using Distance = std::function<double(const Vector&)>;

struct Member {
  Set set;
  Distance distance;
  double tolerance = 1e-12;  // relative to ‖z‖ and the size of the set
};

struct Family {
  std::string name;
  std::function<Member(Random&)> draw;
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

// Brute force -----

/// All vectors of `n` digits below `base`.
template <class Visit>
void for_all_digits(Index n, int base, const Visit& visit) {
  std::vector<int> digits(static_cast<std::size_t>(n), 0);
  for (;;) {
    visit(digits);
    std::size_t k = 0;
    while (k < digits.size() && ++digits[k] == base) digits[k++] = 0;
    if (k == digits.size()) return;
  }
}

double to_interval(double z, double lower, double upper) { return std::max({lower - z, z - upper, 0.0}); }

double sparse_box_distance(const Vector& z, const Vector& lower, const Vector& upper, Index s) {
  double best = infinity;
  for_all_digits(z.size(), 2, [&](const std::vector<int>& support) {
    if (std::count(support.begin(), support.end(), 1) > s) return;
    double squares = 0.0;
    for (Index i = 0; i < z.size(); ++i) {
      const double d = support[static_cast<std::size_t>(i)] ? to_interval(z[i], lower[i], upper[i]) : z[i];
      squares += d * d;
    }
    best = std::min(best, squares);
  });
  return std::sqrt(best);
}

/// Over all faces of the simplex with at most s vertices.
double sparse_simplex_distance(const Vector& z, Index s, double radius) {
  double best = infinity;
  for_all_digits(z.size(), 2, [&](const std::vector<int>& support) {
    const auto k = std::count(support.begin(), support.end(), 1);
    if (k == 0 || k > s) return;
    double sum = 0.0;
    for (Index i = 0; i < z.size(); ++i) sum += support[static_cast<std::size_t>(i)] ? z[i] : 0.0;
    const double shift = (sum - radius) / static_cast<double>(k);
    Vector x = Vector::Zero(z.size());
    for (Index i = 0; i < z.size(); ++i)
      if (support[static_cast<std::size_t>(i)]) x[i] = z[i] - shift;
    if (x.minCoeff() >= 0.0) best = std::min(best, (z - x).norm());
  });
  return best;
}

/// Over all sign patterns: the faces Σ sᵢ xᵢ = radius, xᵢ = 0 where sᵢ = 0.
double l1_ball_distance(const Vector& z, double radius) {
  if (z.lpNorm<1>() <= radius) return 0.0;
  double best = infinity;
  for_all_digits(z.size(), 3, [&](const std::vector<int>& digits) {
    Vector sign(z.size());
    for (Index i = 0; i < z.size(); ++i) sign[i] = digits[static_cast<std::size_t>(i)] - 1;
    const double k = sign.squaredNorm();
    if (k == 0.0) return;
    const Vector x = (z.cwiseProduct(sign.cwiseAbs())) - ((sign.dot(z) - radius) / k) * sign;
    if (x.cwiseProduct(sign).minCoeff() >= 0.0) best = std::min(best, (z - x).norm());
  });
  return best;
}

/// Over all faces of the box, alone and cut by each side of the slab.
double box_slab_distance(const Vector& z, const BoxSlab& set) {
  double best = infinity;
  const double slack = 1e-11 * (1.0 + z.norm());
  const auto offer = [&](const Vector& x) {
    if (!x.allFinite() || (set.lower - x).maxCoeff() > slack || (x - set.upper).maxCoeff() > slack) return;
    if (set.a.dot(x) > set.most + slack || set.a.dot(x) < set.least - slack) return;
    best = std::min(best, (z - x).norm());
  };
  for_all_digits(z.size(), 3, [&](const std::vector<int>& face) {
    Vector x = z, normal = Vector::Zero(z.size());
    for (Index i = 0; i < z.size(); ++i) {
      const int side = face[static_cast<std::size_t>(i)];
      if (side == 0) normal[i] = set.a[i];
      if (side == 1) x[i] = set.lower[i];
      if (side == 2) x[i] = set.upper[i];
    }
    offer(x);
    if (normal.norm() == 0.0 || !x.allFinite()) return;
    for (const double bound : {set.least, set.most})
      if (std::isfinite(bound)) offer(x - ((set.a.dot(x) - bound) / normal.squaredNorm()) * normal);
  });
  return best;
}

/// Distance to the points of length inner to outer on a ray, for z with the given parts along and across the ray.
double ray_distance(double along, double across, double inner, double outer) {
  return std::hypot(along - std::min(std::max(along, inner), outer), across);
}

/// Over the best rays of all supports of at most s entries, nonnegative ones if asked.
double sparse_shell_distance(const Vector& z, Index s, bool nonnegative, double inner, double outer) {
  double best = infinity;
  for_all_digits(z.size(), 2, [&](const std::vector<int>& support) {
    const auto k = std::count(support.begin(), support.end(), 1);
    if (k == 0 || k > s) return;
    Vector part = Vector::Zero(z.size());
    for (Index i = 0; i < z.size(); ++i)
      if (support[static_cast<std::size_t>(i)]) part[i] = nonnegative ? std::max(z[i], 0.0) : z[i];
    if (part.norm() > 0.0) {
      best = std::min(best, ray_distance(part.norm(), (z - part).norm(), inner, outer));
      return;
    }
    for (Index i = 0; i < z.size(); ++i)  // no entry to keep: one of the axes
      if (support[static_cast<std::size_t>(i)])
        best = std::min(best, ray_distance(z[i], (z - z[i] * Vector::Unit(z.size(), i)).norm(), inner, outer));
  });
  return best;
}

Vector jacobi_singular_values(const Vector& z, Index rows, Index cols) {
  return reference::singular_values(ConstMatrixView(z.data(), rows, cols));
}

// Random parameters -----

Index between(Random& random, Index least, Index most) { return least + random.below(most - least + 1); }

/// Ties and zeros in two cases of three.
Vector draw_point(Random& random, Index n) {
  const Vector z = 2.0 * random.normal_vector(n);
  switch (random.below(3)) {
    case 0:
      return z;
    case 1:
      return (2.0 * z).array().round() / 2.0;
    default:
      return z.array().round() * (random.below(2) == 0 ? 1.0 : 0.0);
  }
}

/// Bounds on a half-integer grid, sometimes infinite, equal or beyond zero.
std::pair<Vector, Vector> draw_bounds(Random& random, Index n, bool around_zero) {
  Vector lower(n), upper(n);
  for (Index i = 0; i < n; ++i) {
    const double a = 0.5 * static_cast<double>(between(random, -4, 4)),
                 b = 0.5 * static_cast<double>(random.below(5));
    lower[i] = around_zero ? -std::abs(a) : a;
    upper[i] = around_zero ? b : a + b;
    if (random.below(4) == 0) lower[i] = -infinity;
    if (random.below(4) == 0) upper[i] = infinity;
  }
  return {lower, upper};
}

Member sparse(Random& random) {
  const Index n = between(random, 1, 6), s = between(random, 0, n);
  const Vector inf = Vector::Constant(n, infinity);
  return {Sparse(n, s), [=](const Vector& z) { return sparse_box_distance(z, -inf, inf, s); }};
}

Member sparse_box(Random& random) {
  const Index n = between(random, 1, 6), s = between(random, 0, n);
  const auto [lower, upper] = draw_bounds(random, n, random.below(2) == 0);
  return {SparseBox(lower, upper, s),
          [=, lower = lower, upper = upper](const Vector& z) { return sparse_box_distance(z, lower, upper, s); }};
}

Member sparse_simplex(Random& random) {
  const Index n = between(random, 1, 6), s = between(random, 1, n);
  const double radius = 0.5 * static_cast<double>(between(random, 1, 6));
  return {SparseSimplex(n, s, radius), [=](const Vector& z) { return sparse_simplex_distance(z, s, radius); }};
}

Member simplex(Random& random) {
  const Index n = between(random, 1, 6);
  const double radius = 0.5 * static_cast<double>(between(random, 1, 6));
  return {Simplex(n, radius), [=](const Vector& z) { return sparse_simplex_distance(z, n, radius); }};
}

Member group_sparse(Random& random) {
  const Index n = between(random, 1, 7), count = between(random, 1, n);
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(count));
  for (Index i = 0; i < n; ++i) {  // one each first, then anywhere or nowhere
    const Index g = i < count ? i : random.below(count + 1);
    if (g < count) groups[static_cast<std::size_t>(g)].push_back(i);
  }
  const Index s = between(random, 0, count);
  const auto distance = [=](const Vector& z) {
    double best = infinity;
    for_all_digits(count, 2, [&](const std::vector<int>& kept) {
      if (std::count(kept.begin(), kept.end(), 1) > s) return;
      double squares = 0.0;
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (!kept[g]) squares += z(groups[g]).squaredNorm();
      best = std::min(best, squares);
    });
    return std::sqrt(best);
  };
  return {GroupSparse(n, groups, s), distance};
}

Member group_counts(Random& random) {
  const Index n = between(random, 1, 6), s = between(random, 0, n), count = between(random, 1, 3);
  const auto [lower, upper] = draw_bounds(random, n, random.below(2) == 0);
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(count));
  std::vector<Index> counts;
  for (Index i = 0; i < n; ++i)
    if (const Index g = random.below(count + 1); g < count) groups[static_cast<std::size_t>(g)].push_back(i);
  for (Index g = 0; g < count; ++g) counts.push_back(between(random, 0, 2));
  const auto distance = [=, lower = lower, upper = upper](const Vector& z) {
    double best = infinity;
    for_all_digits(n, 2, [&](const std::vector<int>& support) {
      if (std::count(support.begin(), support.end(), 1) > s) return;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto chosen = [&](Index i) { return support[static_cast<std::size_t>(i)] == 1; };
        if (std::count_if(groups[g].begin(), groups[g].end(), chosen) > counts[g]) return;
      }
      double squares = 0.0;
      for (Index i = 0; i < n; ++i) {
        const double d = support[static_cast<std::size_t>(i)] ? to_interval(z[i], lower[i], upper[i]) : z[i];
        squares += d * d;
      }
      best = std::min(best, squares);
    });
    return std::sqrt(best);
  };
  return {GroupCounts(lower, upper, groups, counts, s), distance};
}

Member integer(Random& random) {
  const Index n = between(random, 1, 5);
  Vector lower(n), upper(n);
  for (Index i = 0; i < n; ++i) {
    lower[i] = static_cast<double>(between(random, -3, 2)) - 0.25;
    upper[i] = lower[i] + static_cast<double>(random.below(4)) + 1.0;
    if (random.below(4) == 0) lower[i] = -infinity;
    if (random.below(4) == 0) upper[i] = infinity;
  }
  const auto distance = [=](const Vector& z) {
    double squares = 0.0;
    for (Index i = 0; i < n; ++i) {
      double best = infinity;
      for (double value = -50.0; value <= 50.0; value += 1.0)
        if (value >= lower[i] && value <= upper[i]) best = std::min(best, std::abs(z[i] - value));
      squares += best * best;
    }
    return std::sqrt(squares);
  };
  return {Integer(lower, upper), distance};
}

Member finite_values(Random& random) {
  const Index n = between(random, 1, 5);
  const Vector drawn = draw_point(random, between(random, 1, 5));
  const std::vector<double> values(drawn.begin(), drawn.end());
  const auto distance = [=](const Vector& z) {
    double squares = 0.0;
    for (const double entry : z) {
      double best = infinity;
      for (const double value : values) best = std::min(best, std::abs(entry - value));
      squares += best * best;
    }
    return std::sqrt(squares);
  };
  return {FiniteValues(n, values), distance};
}

Member box(Random& random) {
  const Index n = between(random, 1, 5);
  const auto [lower, upper] = draw_bounds(random, n, false);
  return {Box(lower, upper), [lower = lower, upper = upper](const Vector& z) {
            return std::sqrt((lower - z).cwiseMax(z - upper).cwiseMax(0.0).squaredNorm());
          }};
}

Member singleton(Random& random) {
  const Vector point = draw_point(random, between(random, 1, 4));
  return {Singleton(point), [=](const Vector& z) { return (z - point).norm(); }};
}

Member box_switching(Random& random) {
  const Index n = between(random, 1, 3);
  auto [lower, upper] = draw_bounds(random, 2 * n, true);
  if (random.below(3) == 0) {  // a pair that cannot have x = 0
    lower[0] = 1.0;
    upper[0] = 2.0;
  }
  const auto distance = [=, lower = lower, upper = upper](const Vector& z) {
    double squares = 0.0;
    for (Index i = 0; i < n; ++i) {
      const Index j = n + i;
      const double x = to_interval(z[i], lower[i], upper[i]), y = to_interval(z[j], lower[j], upper[j]);
      const bool x_may_vanish = lower[i] <= 0.0 && upper[i] >= 0.0;
      squares += std::min(x * x + z[j] * z[j], x_may_vanish ? z[i] * z[i] + y * y : infinity);
    }
    return std::sqrt(squares);
  };
  return {BoxSwitching(lower.head(n), upper.head(n), lower.tail(n), upper.tail(n)), distance};
}

Member pair_union(Random& random) {
  const Index n = between(random, 1, 3);
  std::vector<Rectangle> rectangles;
  const Index kind = random.below(3);
  if (kind == 0) rectangles = PairUnion::vanishing(n).rectangles;
  if (kind == 1) rectangles = PairUnion::either(n).rectangles;
  if (kind == 2) {
    for (Index k = 0; k <= random.below(3); ++k) {
      const auto [lower, upper] = draw_bounds(random, 2, false);
      rectangles.push_back({lower[0], upper[0], lower[1], upper[1]});
    }
  }
  const auto distance = [=](const Vector& z) {
    double squares = 0.0;
    for (Index i = 0; i < n; ++i) {
      double best = infinity;
      for (const Rectangle& r : rectangles)
        best = std::min(
            best, std::hypot(to_interval(z[i], r.lower_a, r.upper_a), to_interval(z[n + i], r.lower_b, r.upper_b)));
      squares += best * best;
    }
    return std::sqrt(squares);
  };
  return {PairUnion(n, rectangles), distance};
}

Member low_rank(Random& random) {
  const Index rows = between(random, 1, 4), cols = between(random, 1, 4), least = std::min(rows, cols);
  const Index kappa = between(random, 1, least);
  return {LowRank(rows, cols, kappa),
          [=](const Vector& z) { return jacobi_singular_values(z, rows, cols).tail(least - kappa).norm(); }};
}

Member low_rank_on_sphere(Random& random) {
  const Index rows = between(random, 1, 4), cols = between(random, 1, 4);
  const Index kappa = between(random, 1, std::min(rows, cols));
  const double radius = 0.5 * static_cast<double>(between(random, 1, 6));
  return {on_sphere(LowRank(rows, cols, kappa), radius), [=](const Vector& z) {
            const Vector sigma = jacobi_singular_values(z, rows, cols);
            return ray_distance(sigma.head(kappa).norm(), sigma.tail(sigma.size() - kappa).norm(), radius, radius);
          }};
}

/// Eigenvalues of the symmetric part, descending, by the Jacobi SVD of a shifted, hence positive definite, matrix.
Vector symmetric_eigenvalues(const Vector& z, Index n) {
  const Matrix Z = ConstMatrixView(z.data(), n, n);
  const double shift = 1.0 + Z.norm();
  const Matrix positive = 0.5 * (Z + Z.transpose()) + shift * Matrix::Identity(n, n);
  return reference::singular_values(positive).array() - shift;
}

Member psd_low_rank(Random& random) {
  const Index n = between(random, 1, 4), kappa = between(random, 1, n);
  const auto distance = [=](const Vector& z) {
    const Matrix Z = ConstMatrixView(z.data(), n, n);
    Vector dropped = symmetric_eigenvalues(z, n);
    for (Index k = 0; k < kappa; ++k) dropped[k] = std::min(dropped[k], 0.0);
    return std::hypot((0.5 * (Z - Z.transpose())).norm(), dropped.norm());
  };
  return {PsdLowRank(n, kappa), distance};
}

Member stiefel(Random& random) {
  const Index cols = between(random, 1, 3), rows = between(random, cols, 4);
  return {Stiefel(rows, cols),
          [=](const Vector& z) { return (jacobi_singular_values(z, rows, cols).array() - 1.0).matrix().norm(); }};
}

Member nuclear(Random& random) {
  const Index rows = between(random, 1, 4), cols = between(random, 1, 4);
  const double radius = 0.5 * static_cast<double>(between(random, 1, 6));
  return {nuclear_ball(rows, cols, radius),
          [=](const Vector& z) { return l1_ball_distance(jacobi_singular_values(z, rows, cols), radius); }};
}

Member spectral(Random& random) {
  const Index rows = between(random, 1, 4), cols = between(random, 1, 4);
  const double radius = 0.5 * static_cast<double>(between(random, 1, 6));
  return {spectral_ball(rows, cols, radius), [=](const Vector& z) {
            return (jacobi_singular_values(z, rows, cols).array() - radius).max(0.0).matrix().norm();
          }};
}

Member shell(Random& random) {
  const Index n = between(random, 1, 5);
  const double inner = 0.5 * static_cast<double>(random.below(4));
  const double outer = std::max(inner + 0.5 * static_cast<double>(random.below(4)), 0.5);
  return {annulus(n, inner, outer), [=](const Vector& z) { return ray_distance(z.norm(), 0.0, inner, outer); }};
}

Member sparse_shell(Random& random) {
  const Index n = between(random, 1, 5), s = between(random, 1, n);
  const bool nonnegative = random.below(2) == 0;
  const double inner = random.below(2) == 0 ? 0.0 : 1.5, outer = 1.5;
  const Set cone = nonnegative ? Set(SparseBox::nonnegative(n, s)) : Set(Sparse(n, s));
  return {Shell(cone, inner, outer),
          [=](const Vector& z) { return sparse_shell_distance(z, s, nonnegative, inner, outer); }};
}

Member l1_ball(Random& random) {
  const Index n = between(random, 1, 5);
  const double radius = 0.5 * static_cast<double>(between(random, 1, 6));
  return {L1Ball(n, radius), [=](const Vector& z) { return l1_ball_distance(z, radius); }};
}

/// A random nonempty slab, then halfspace or hyperplane.
Slab draw_slab(Random& random, Index n) {
  Vector a = draw_point(random, n);
  if (a.norm() == 0.0) a[0] = 1.0;
  const double least = 0.5 * static_cast<double>(between(random, -3, 3));
  switch (random.below(3)) {
    case 0:
      return halfspace(a, least);
    case 1:
      return hyperplane(a, least);
    default:
      return {a, least, least + 1.0};
  }
}

Member slab(Random& random) {
  const Slab drawn = draw_slab(random, between(random, 1, 5));
  const Vector inf = Vector::Constant(drawn.dimension(), infinity);
  const BoxSlab same(-inf, inf, drawn.a, drawn.lower, drawn.upper);
  return {drawn, [=](const Vector& z) { return box_slab_distance(z, same); }};
}

Member box_slab(Random& random) {
  const Index n = between(random, 1, 4);
  if (random.below(3) == 0) {
    const BoxSlab capped = BoxSlab::capped_simplex(n, 0.5 * static_cast<double>(between(random, 0, 2 * n)));
    return {capped, [=](const Vector& z) { return box_slab_distance(z, capped); }};
  }
  const auto [lower, upper] = draw_bounds(random, n, false);
  const Slab cut = draw_slab(random, n);
  // through a point of the box, so that the set is not empty
  const Vector point = Set(Box(lower, upper)).projection(draw_point(random, n));
  const double shift = cut.a.dot(point) - (std::isfinite(cut.lower) ? cut.lower : cut.upper);
  const BoxSlab set(lower, upper, cut.a, cut.lower + shift, cut.upper + shift);
  return {set, [=](const Vector& z) { return box_slab_distance(z, set); }};
}

Member affine_subspace(Random& random) {
  const Index n = between(random, 1, 4), rows = between(random, 1, n);
  Matrix E = random.normal_matrix(rows, n);
  if (rows > 1 && random.below(3) == 0) E.row(1) = 2.0 * E.row(0);
  const Vector d = E * draw_point(random, n);
  const Matrix pseudo_inverse = reference::pseudo_inverse(E);
  return {AffineSubspace(E, d), [=](const Vector& z) { return (pseudo_inverse * (E * z - d)).norm(); }};
}

Member second_order_cone(Random& random) {
  const Index n = between(random, 1, 5);
  const auto distance = [=](const Vector& z) {
    const double t = z[0], size = z.tail(n - 1).norm();
    if (size <= t) return 0.0;
    const double along = std::max(0.5 * (t + size), 0.0);  // the nearest point of the boundary ray (u, u)
    return std::hypot(t - along, size - along);
  };
  return {SecondOrderCone(n), distance};
}

Member polyhedron(Random& random) {
  const Index n = between(random, 1, 4);
  const BoxSlab same(Vector::Constant(n, -1.0), Vector::Constant(n, 2.0), Vector::Ones(n), -0.5, 0.5);
  return {Polyhedron(*same.linear_constraints()), [=](const Vector& z) { return box_slab_distance(z, same); }};
}

Member dykstra(Random& random) {
  const Index n = between(random, 1, 4);
  const BoxSlab same(Vector::Constant(n, -1.0), Vector::Constant(n, 2.0), Vector::Ones(n), -0.5, 0.5);
  return {Intersection({Box(same.lower, same.upper), Slab(same.a, same.least, same.most)}),
          [=](const Vector& z) { return box_slab_distance(z, same); }, 1e-8};
}

Member product(Random& random) {
  const Member first = sparse_box(random), second = simplex(random);
  const Index n = first.set.dimension();
  return {Product({{"x", first.set}, {"w", second.set}}), [=](const Vector& z) {
            return std::hypot(first.distance(z.head(n)), second.distance(z.tail(z.size() - n)));
          }};
}

Member union_of(Random& random) {
  const Index n = between(random, 1, 4);
  std::vector<Set> parts;
  std::vector<Distance> distances;
  for (Index k = 0; k <= random.below(3); ++k) {
    const auto [lower, upper] = draw_bounds(random, n, false);
    const Index s = between(random, 0, n);
    parts.emplace_back(SparseBox(lower, upper, s));
    distances.emplace_back(
        [=, lower = lower, upper = upper](const Vector& z) { return sparse_box_distance(z, lower, upper, s); });
  }
  return {UnionOf(parts), [=](const Vector& z) {
            double best = infinity;
            for (const Distance& distance : distances) best = std::min(best, distance(z));
            return best;
          }};
}

Member indexed(Random& random) {
  const Member inner = sparse_simplex(random);
  const Index n = inner.set.dimension() + random.below(3);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  order.resize(static_cast<std::size_t>(inner.set.dimension()));
  return {Indexed(n, order, inner.set), [=](const Vector& z) { return inner.distance(z(order)); }};
}

Member similarity(Random& random) {
  const Member inner = sparse_box(random);
  const double factor = (random.below(2) == 0 ? 1.0 : -1.0) * std::exp(random.normal());
  const Vector shift = draw_point(random, inner.set.dimension());
  return {Similarity(inner.set, factor, shift),
          [=](const Vector& z) { return std::abs(factor) * inner.distance((z - shift) / factor); }};
}

Member free(Random& random) {
  return {Free(between(random, 1, 4)), [](const Vector&) { return 0.0; }};
}

std::vector<Family> catalogue() {
  return {{"Sparse", sparse},
          {"SparseBox", sparse_box},
          {"SparseSimplex", sparse_simplex},
          {"Simplex", simplex},
          {"GroupSparse", group_sparse},
          {"GroupCounts", group_counts},
          {"Integer", integer},
          {"FiniteValues", finite_values},
          {"Box", box},
          {"Singleton", singleton},
          {"BoxSwitching", box_switching},
          {"PairUnion", pair_union},
          {"LowRank", low_rank},
          {"LowRankOnSphere", low_rank_on_sphere},
          {"PsdLowRank", psd_low_rank},
          {"Stiefel", stiefel},
          {"NuclearBall", nuclear},
          {"SpectralBall", spectral},
          {"Shell", shell},
          {"SparseShell", sparse_shell},
          {"L1Ball", l1_ball},
          {"Slab", slab},
          {"BoxSlab", box_slab},
          {"AffineSubspace", affine_subspace},
          {"SecondOrderCone", second_order_cone},
          {"Polyhedron", polyhedron},
          {"Intersection", dykstra},
          {"Product", product},
          {"UnionOf", union_of},
          {"Indexed", indexed},
          {"Similarity", similarity},
          {"Free", free}};
}

// The properties -----

void expect_projection(const Member& member, Projector& projector, const Vector& z) {
  const Set& set = member.set;
  const Vector y = set.projection(z);
  const double size = 1.0 + z.norm() + y.norm();
  const double tol = member.tolerance * size;
  RC_ASSERT(y.allFinite());
  RC_ASSERT(member.distance(y) <= tol);  // membership, by brute force
  RC_ASSERT(set.contains(y, tol));
  RC_ASSERT(std::abs((z - y).norm() - member.distance(z)) <= tol);
  RC_ASSERT(std::abs(set.distance(z) - member.distance(z)) <= tol);
  RC_ASSERT((set.projection(y) - y).norm() <= tol);
  Vector fast(z.size());
  projector.project(z, fast);
  RC_ASSERT(std::abs((z - fast).norm() - member.distance(z)) <= tol + 2.0 * projector.error());
  if (set.projection_is_unique(z, 1e-3 * size) == true) RC_ASSERT((fast - y).norm() <= 1e3 * tol);
  if (const auto residual = set.normal_residual(y, z - y)) RC_ASSERT(*residual <= 1e-6 * size);
}

bool satisfies(const Alternatives& a, const Vector& x, double tol) {
  const auto in = [&](const Atom& atom) {
    return std::any_of(atom.pieces.begin(), atom.pieces.end(),
                       [&](const Set& piece) { return piece.contains(x(atom.coordinates), tol); });
  };
  const auto vanishes = [&](const Atom& atom) { return x(atom.coordinates).isZero(0.0); };
  const auto allowed = [&](const Budget& budget) {
    return std::count_if(budget.atoms.begin(), budget.atoms.end(),
                         [&](Index k) { return !vanishes(a.atoms[static_cast<std::size_t>(k)]); }) <= budget.most;
  };
  return std::all_of(a.common.begin(), a.common.end(), in) &&
         std::all_of(a.atoms.begin(), a.atoms.end(),
                     [&](const Atom& atom) { return (atom.zero && vanishes(atom)) || in(atom); }) &&
         std::all_of(a.budgets.begin(), a.budgets.end(), allowed);
}

void expect_alternatives(const Member& member, const Vector& z) {
  const auto alternatives = member.set.alternatives();
  if (!alternatives) return;
  const Vector y = member.set.projection(z);
  const double size = 1.0 + z.norm() + y.norm();
  RC_ASSERT(alternatives->dimension == z.size());
  RC_ASSERT(satisfies(*alternatives, y, 10.0 * member.tolerance * size));
  if (member.distance(z) > 1e-6 * size) RC_ASSERT(!satisfies(*alternatives, z, 1e-9 * size));
}

void expect_nan_to_stay_visible(const Set& set, Vector z, Index where) {
  const bool one_point = set.as<Singleton>() || (set.as<Sparse>() && set.as<Sparse>()->s == 0);
  if (one_point) return;  // the projection does not depend on z
  z[where] = std::nan("");
  RC_ASSERT(!set.projection(z).allFinite());
}

class Catalogue : public ::testing::TestWithParam<Family> {};

TEST_P(Catalogue, ProjectionsAreNearestPointsByBruteForce) {
  constexpr int points = 100;  // for each of the 100 sets that rapidcheck draws: 10⁴ cases
  const Family family = GetParam();
  EXPECT_TRUE(rc::check(family.name, [&](std::uint64_t seed) {
    Random random(seed);
    const Member member = family.draw(random);
    const auto projector = member.set.projector();
    const Index n = member.set.dimension();
    for (int k = 0; k < points; ++k) expect_projection(member, *projector, draw_point(random, n));
    for (int k = 0; k < 5; ++k) expect_alternatives(member, draw_point(random, n));
    expect_nan_to_stay_visible(member.set, draw_point(random, n), random.below(n));
  }));
}

TEST_P(Catalogue, SatisfiesTheAxioms) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Member member = GetParam().draw(random);
    CheckOptions options;
    options.tolerance = std::max(options.tolerance, 100.0 * member.tolerance);
    testing::expect_axioms(member.set, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Catalogue, ::testing::ValuesIn(catalogue()),
                         [](const auto& family) { return family.param.name; });

}  // namespace
}  // namespace pendec
