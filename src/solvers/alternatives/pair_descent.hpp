// Several ways down for pairs, and one way home: the nonlinear program on the branch found, from where multipliers
// and linear programs point to better branches.
#pragma once

#include <functional>
#include <vector>

#include "pair_relaxation.hpp"
#include "pendec/subsolvers/nlp.hpp"

namespace pendec::detail {

/// A local solution of a pair program with placed sides.
struct PairDescent {
  NlpResult end;            // on the branch
  std::vector<int> choice;  // side of each pair; empty: none was solved
  bool found = false;       // feasible, and stationary on its branch
  double violation = infinity;
  std::vector<std::size_t> wrong =
      {};  // pairs on both sides at once that multipliers would have leave to the other one
};

/// Keeps the best of what the ways end at. Refers to the program and to `stop`.
class PairDescents {
 public:
  /// `seen` sees the end of every nonlinear program.
  PairDescents(const PlacedPairs& program, Nlp solver, const std::function<bool()>& stop,
               const std::function<void(const NlpResult&)>& seen);

  /// One of the relaxations from z until the pairs nearly hold, then home. True: better than what there was.
  bool by_penalty(In z);
  bool by_relaxation(In z);

  /// From a point found otherwise.
  bool home(const NlpResult& near);

  /// Many pairs of the best one to their other sides at once, those first whose multipliers promise most; then, where
  /// the ways disagree or the program is small, single ones, the nearest first: all that within half the iterations
  /// of what was done before, a quarter where the ways agree. True: better than what there was.
  bool by_other_sides();

  const PairDescent& best() const { return best_; }
  bool seems_unbounded() const { return seems_unbounded_; }  // a program on a branch fell as if for ever
  Index solves() const { return solves_; }
  Index iterations() const { return iterations_; }
  const Counts& counts() const { return counts_; }

 private:
  static constexpr Index long_enough = 500;  // iterations of one nonlinear program

  Index rows() const;
  void forget_multipliers(NlpResult& end) const;
  Nlp solver_for(const Problem& problem) const;
  NlpResult solve(const Problem& problem, const NlpResult& from, NlpOptions options);
  NlpResult counted(NlpResult r);
  double violation(const Vector& z) const;
  double violation_of_rows(const Vector& z) const;
  std::vector<int> nearest_sides(const Vector& z) const;
  PairDescent solve_on(const std::vector<int>& choice, const NlpResult& from, double barrier,
                       Index max_iterations = long_enough);
  PairDescent improved(PairDescent from);
  double force_into(const Rectangle& r, const PlacedPair& pair, const NlpResult& at) const;
  std::vector<std::size_t> wrong_sides(const PairDescent& at) const;
  bool improves(const std::vector<std::size_t>& pairs, Index budget);
  bool by_moved_starts(Index budget);
  bool by_many_sides(Index budget);
  bool by_single_sides(Index budget);
  std::vector<std::size_t> most_promising_sides(const PairDescent& at) const;
  std::vector<std::size_t> nearest_other_sides(const PairDescent& at) const;

  const PlacedPairs& program_;
  const Nlp solver_, on_branch_;  // as asked for, and who solves on sides
  const std::function<bool()>& stop_;
  const std::function<void(const NlpResult&)>& seen_;
  PairDescent best_;
  bool agree_ = false;  // two ways ended, and with the same f
  bool seems_unbounded_ = false;
  bool sqp_struggles_ = false;
  Index solves_ = 0, iterations_ = 0;
  Counts counts_ = {};
};

}  // namespace pendec::detail
