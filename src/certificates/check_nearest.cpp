#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <vector>

#include "set_check.hpp"

namespace pendec::detail {
namespace {

/// A point and its projection.
struct Projected {
  Vector z, y;
  double distance;
};

Projected projected(const SetCheck& check, Vector z) {
  Vector y = check.set.projection(z);
  const double distance = (z - y).norm();
  return {std::move(z), std::move(y), distance};
}

/// Points that differ from z in entry i alone, on several scales.
std::vector<Projected> with_entry_changed(SetCheck& check, In z, Index i) {
  std::vector<Projected> near;
  for (const double radius : {1.0, 0.1, 1e-7})
    for (int k = 0; k < 3; ++k) {
      Vector point = z;
      point[i] += check.options.scale * radius * check.random.normal();
      near.push_back(projected(check, std::move(point)));
    }
  return near;
}

/// Points that differ from z in two entries or in all, points between z and y, and y with entries replaced.
std::vector<Projected> between_and_around(SetCheck& check, In z, In y, Index i, Index j) {
  std::vector<Projected> near;
  const auto add = [&](const auto& point) { near.push_back(projected(check, point)); };
  for (const double radius : {1.0, 0.1}) {
    Vector point = z;
    point[i] += check.options.scale * radius * check.random.normal();
    point[j] += check.options.scale * radius * check.random.normal();
    add(point);
  }
  for (const double radius : {1.0, 0.01}) add(z + check.size * radius * check.direction());
  add(y + check.options.scale * check.direction());
  add(0.5 * (z + y));  // is projected to y
  Vector point = y;
  point[j] = z[j];
  add(point);
  point[i] = 0.0;
  add(point);
  return near;
}

/// An entry Π(z) is likely to depend on: every other time one that the projection keeps away from zero.
Index choose_entry(SetCheck& check, In y) {
  const Index n = y.size();
  Index i = check.random.below(n);
  if (check.sample % 2 == 0) return i;
  for (Index tried = 0; tried < n && y[i] == 0.0; ++tried) i = (i + 1) % n;
  return i;
}

bool shows_nan(const Set& set, Vector z, Index i) {
  z[i] = std::numeric_limits<double>::quiet_NaN();
  try {
    return !set.projection(z).allFinite();
  } catch (const std::exception&) {
    return true;
  }
}

void expect_as_near(SetCheck& check, const Projected& point, const Vector& rival) {
  check.expect("no point of the set is nearer than the projection", point.distance - (point.z - rival).norm(),
               4.0 * check.tolerance(), {{"z", point.z}, {"y", point.y}, {"nearer", rival}});
}

/// Projections that are right up to ε in the distance can be √ε apart; what is farther apart are different points.
double apart(const SetCheck& check) { return 10.0 * std::sqrt(check.options.tolerance) * check.size; }

}  // namespace

void check_nearest(SetCheck& check, In z, In y) {
  const Index i = choose_entry(check, y), j = check.random.below(z.size());
  std::vector<Projected> points = with_entry_changed(check, z, i);
  if (std::any_of(points.begin(), points.end(), [&](const Projected& near) { return near.y != y; }))
    check.expect("a NaN in z shows in the projection", shows_nan(check.set, z, i), {{"z", z}, {"y", y}});
  for (Projected& near : between_and_around(check, z, y, i, j)) points.push_back(std::move(near));
  points.push_back({z, y, (z - y).norm()});

  for (const Projected& point : points) {
    for (const Projected& other : points) expect_as_near(check, point, other.y);
    for (const Vector& rival : check.seen) expect_as_near(check, point, rival);
  }
}

void check_jump(SetCheck& check, In a, In b) {
  Projected left = projected(check, a), right = projected(check, b);
  while ((left.y - right.y).norm() > apart(check) && (left.z - right.z).norm() > 1e-13 * check.size) {
    Projected middle = projected(check, 0.5 * (left.z + right.z));
    ((middle.y - left.y).norm() > (middle.y - right.y).norm() ? right : left) = std::move(middle);
  }
  if ((left.y - right.y).norm() <= apart(check)) return;
  expect_as_near(check, left, right.y);
  expect_as_near(check, right, left.y);
  check.expect("projection_is_unique: not where two points are equally near",
               check.set.projection_is_unique(left.z, 1e-6 * check.size) != true,
               {{"z", left.z}, {"y", left.y}, {"as near", right.y}});
}

}  // namespace pendec::detail
