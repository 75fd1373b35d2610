#include "pendec/solvers/lowrank/multitask.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stop_token>
#include <thread>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/tasks_file.hpp"
#include "pendec/solvers/solve.hpp"
#include "tests/support/data.hpp"

namespace pendec {
namespace {

/// Tasks whose true weights lie in a plane, with noisy labels.
MultitaskProblem random_problem(Index tasks, Index features, Index kappa, double eta, std::uint64_t seed) {
  Random random(seed);
  const Matrix weights = random.normal_matrix(tasks, 2) * random.normal_matrix(2, features);
  MultitaskProblem p{{}, eta, kappa};
  for (Index t = 0; t < tasks; ++t) {
    Task task{std::to_string(t), random.normal_matrix(60, features), Vector(60)};
    for (Index i = 0; i < 60; ++i) {
      const double chance = 1.0 / (1.0 + std::exp(-task.X.row(i).dot(weights.row(t))));
      task.labels[i] = random.uniform() < chance ? 1.0 : -1.0;
    }
    p.tasks.push_back(std::move(task));
  }
  return p;
}

TEST(Multitask, LandmineReachesTheBestValuesKnown) {
  PENDEC_REQUIRE_DATA(data);
  MultitaskProblem p{io::read_tasks(data / "landmine" / "landmine.csv"), 1.0, 2};
  ASSERT_EQ(p.tasks.size(), 29U);
  double seconds = 0.0;
  for (const auto& [eta, best] :
       {std::pair{2.0, 15.8922965930}, {0.5, 15.8514723098}, {0.1, 15.6887137725}, {0.01, 15.2073695906}}) {
    p.eta = eta;
    const Result r = multitask_logistic(p);
    EXPECT_EQ(r.status, Status::converged) << r.message;
    EXPECT_NEAR(r.f, best, 1e-6) << eta;
    EXPECT_LE(r.certificate.distance_C, 1e-6);
    seconds += r.times.total;
  }
  RecordProperty("milliseconds", static_cast<int>(1e3 * seconds));
}

TEST(Multitask, ResultIsStationaryForTheProblemOfThePaper) {
  for (const Index kappa : {1, 2, 3}) {
    const MultitaskProblem p = random_problem(8, 5, kappa, 0.3, 4);
    const Result r = multitask_logistic(p);
    ASSERT_EQ(r.status, Status::converged) << r.message;
    Vector x(3 * 8 * 5);
    x << r.multitask().W.reshaped(), r.multitask().U.reshaped(), r.multitask().V.reshaped();
    EXPECT_NEAR(p.problem().f.value(x), r.f, 1e-12);
    const Certificate c = certify(p.problem(), x);
    EXPECT_TRUE(c.holds(1e-5)) << to_text(c);
  }
}

TEST(Multitask, FullRankIsEveryTaskAlone) {
  const MultitaskProblem p = random_problem(6, 3, 3, 1.0, 2);
  const Result r = multitask_logistic(p);
  EXPECT_LE((r.multitask().W - p.single_task(1e-12)).norm(), 1e-5 * r.multitask().W.norm());
  EXPECT_LE(r.multitask().U.norm(), 1e-9);
}

TEST(Multitask, FullRankIsCertified) {
  for (const auto& [tasks, features] : {std::pair{2, 5}, {5, 2}, {3, 3}}) {
    const Result r = multitask_logistic(random_problem(tasks, features, std::min(tasks, features), 1.0, 3));
    EXPECT_EQ(r.status, Status::converged) << tasks << " tasks: " << r.message;
    EXPECT_EQ(r.message.find("separa"), std::string::npos) << r.message;
  }
}

TEST(Multitask, AnyScaleOfEtaAndOfTheFeaturesIsCertified) {
  for (const double eta : {1e-300, 1e-12, 1e4, 1e6}) {
    const Result r = multitask_logistic(random_problem(8, 5, 2, eta, 4));
    EXPECT_EQ(r.status, Status::converged) << eta << ": " << r.message;
  }
  for (const double scale : {1e-9, 1e9}) {
    MultitaskProblem p = random_problem(6, 3, 2, scale * scale, 4);
    for (Task& task : p.tasks) task.X *= scale;
    const Result r = multitask_logistic(p);
    EXPECT_EQ(r.status, Status::converged) << scale << ": " << r.message;
    EXPECT_NEAR(r.f, multitask_logistic(random_problem(6, 3, 2, 1.0, 4)).f, 1e-6);
  }
}

TEST(Multitask, NumbersTooLargeEndWithoutAClaim) {
  MultitaskProblem p = random_problem(4, 3, 1, 1e306, 2);
  Result r = multitask_logistic(p);
  EXPECT_FALSE(r.success());
  EXPECT_TRUE(r.multitask().W.allFinite());
  p.eta = 1.0;
  for (Task& task : p.tasks) task.X *= 4e307;
  r = multitask_logistic(p);
  EXPECT_EQ(r.status, Status::not_finite) << r.message;
}

TEST(Multitask, OnlyVerifiedValuesAreListed) {
  const MultitaskProblem p = random_problem(8, 5, 2, 0.3, 4);
  const Result done = multitask_logistic(p);
  ASSERT_FALSE(done.multitask().stationary_values.empty());
  EXPECT_EQ(done.multitask().stationary_values.front(), done.f);
  MultitaskOptions hasty;
  hasty.seconds = 0.0;
  const Result r = multitask_logistic(p, hasty);
  EXPECT_EQ(r.status, Status::max_time);
  EXPECT_EQ(r.message, "not certified; stopped after 0 of 3 starts");
  EXPECT_TRUE(r.multitask().stationary_values.empty());
  MultitaskOptions paper;
  paper.algorithm = MultitaskAlgorithm::pd_inaccurate;
  const Result theirs = multitask_logistic(p, paper);
  EXPECT_EQ(theirs.multitask().stationary_values.empty(), !theirs.certificate.holds(1e-6));
}

TEST(Multitask, AStopBetweenStartsIsAnInterruptThatKeepsTheBestPoint) {
  const MultitaskProblem p = random_problem(8, 5, 2, 0.3, 4);
  std::stop_source source;
  MultitaskOptions o;
  o.random_starts = 1000000;  // days
  o.stop = source.get_token();
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    source.request_stop();
  });
  const Result r = multitask_logistic(p, o);
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_TRUE(r.certificate.holds(1e-6));
  EXPECT_NE(r.message.find("stopped after"), std::string::npos) << r.message;
}

TEST(Multitask, SeparableIsSaidWhereTested) {
  MultitaskProblem p = random_problem(3, 2, 2, 1.0, 2);
  p.tasks[1].labels = p.tasks[1].X.col(0).cwiseSign();
  const Result r = multitask_logistic(p);
  EXPECT_NE(r.message.find("V separates the examples of 1 of 3 tasks"), std::string::npos) << r.message;
}

TEST(Multitask, StructuredUpdateMinimisesThePenalty) {
  const MultitaskProblem p = random_problem(5, 4, 2, 0.5, 7);
  const Problem problem = p.problem().completed();
  Oracle oracle(problem);
  Penalty q(oracle, {{40, 20}}, true);
  Random random(3);
  q.tau = 0.7;
  q.use_mu = true;
  q.mu = random.normal_vector(60);
  q.lambda = random.normal_vector(20);
  const Vector v = random.normal_vector(60);
  Vector x = Vector::Zero(60), gradient(60);
  p.x_update()(q, v, x);
  Point at = q.make_point(x);
  q.evaluate(at);
  q.gradient(at, v, gradient);
  EXPECT_LE(gradient.norm(), 1e-9);
}

TEST(Multitask, SettingsOfThePaperRun) {
  const MultitaskProblem p = random_problem(6, 4, 2, 0.5, 5);
  const double best = multitask_logistic(p).f;
  using enum MultitaskAlgorithm;
  for (const auto algorithm : {pd_inaccurate, pd_mid, pd_accurate, alm_fast, alm_accurate}) {
    MultitaskOptions o;
    o.algorithm = algorithm;
    const Result r = multitask_logistic(p, o);
    EXPECT_EQ(by_name<MultitaskAlgorithm>("algorithm", to_string(algorithm)), algorithm);
    EXPECT_LE(r.certificate.distance_C, 1e-3) << to_string(algorithm);
    EXPECT_NEAR(r.f, best, 0.3 * best) << to_string(algorithm);
  }
}

TEST(Multitask, SeparableTasksEndWithoutAClaimOrWithACertificate) {
  MultitaskProblem p{{}, 1.0, 1};
  for (const double sign : {1.0, -1.0}) {
    Task t{"t", Matrix(2, 2), Vector(2)};
    t.X << 1, sign, -1, -sign;
    t.labels << 1, -1;
    p.tasks.push_back(t);
  }
  const Result r = multitask_logistic(p);
  EXPECT_TRUE(r.multitask().W.allFinite());
  EXPECT_EQ(r.success(), r.certificate.holds(1e-6));
}

TEST(Multitask, MisuseIsNamed) {
  const auto complaint = [](const MultitaskProblem& p) {
    try {
      multitask_logistic(p);
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const MultitaskProblem good = random_problem(3, 2, 1, 1.0, 1);
  MultitaskProblem p = good;
  p.kappa = 0;
  EXPECT_EQ(complaint(p), "MultitaskProblem.kappa is 0; expected 1 <= kappa <= min(tasks, features) = 2");
  p = good;
  p.eta = -1.0;
  EXPECT_EQ(complaint(p), "MultitaskProblem.eta is -1; expected a positive number");
  p = good;
  p.tasks[1].labels[3] = 0.5;
  EXPECT_EQ(complaint(p), "task 1: label is 0.5; expected -1 or 1");
  p = good;
  p.tasks.clear();
  EXPECT_EQ(complaint(p), "MultitaskProblem.tasks is 0; expected at least one task");
  EXPECT_THROW(by_name<MultitaskAlgorithm>("algorithm", "pd"), InvalidArgument);
}

TEST(TasksFile, IsReadWithAnyNamesAndBothKindsOfLabels) {
  const auto tasks = io::parse_tasks("task,label,a,b\nred,1,0.5,2\nblue,0,1,1\nred,0,-1,3\n", "t.csv");
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].name, "red");
  EXPECT_EQ(tasks[0].X(1, 1), 3.0);
  EXPECT_EQ(tasks[0].labels, (Vector(2) << 1.0, -1.0).finished());
  EXPECT_EQ(io::parse_tasks("1,-1,5\n1,1,6\n", "t.csv")[0].labels, (Vector(2) << -1.0, 1.0).finished());
}

TEST(TasksFile, ColumnsAreFoundByTheirNames) {
  std::vector<std::string> features;
  const auto tasks = io::parse_tasks("label,a,task,b\n1,5,0,7\n0,6,0,8\n", "t.csv", &features);
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].name, "0");
  EXPECT_EQ(tasks[0].labels, (Vector(2) << 1.0, -1.0).finished());
  EXPECT_EQ(tasks[0].X, (Matrix(2, 2) << 5, 7, 6, 8).finished());
  EXPECT_EQ(features, (std::vector<std::string>{"a", "b"}));
}

TEST(TasksFile, ErrorsNameTheLine) {
  const auto complaint = [](std::string_view text) {
    try {
      io::parse_tasks(text, "t.csv");
    } catch (const io::FileError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(complaint("task,label,a\n1,0,2\n1,2,3\n"), "t.csv:3:2: label \"2\"; expected 0 or 1, or -1 or 1");
  EXPECT_EQ(complaint("1,0,2\n1,-1,3\n"), "t.csv:2:2: labels 0 and -1 in one file; expected 0 or 1, or -1 or 1");
  EXPECT_NE(complaint("1,0,2\n1,1,x\n").find("t.csv:2:3"), std::string::npos);
  EXPECT_NE(complaint("1,0,2\n1,1\n").find("t.csv:2"), std::string::npos);
  EXPECT_NE(complaint("1,0\n").find("expected task,label,f1"), std::string::npos);
  EXPECT_EQ(complaint("task,label,a,b\n"), "t.csv: no examples");
}

}  // namespace
}  // namespace pendec
