#include "pendec/core/result.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

TEST(ResultJson, NumbersSurviveToTheLastBit) {
  const auto p = testing_support::sparse_portfolio();
  const Result r = solve(p.problem, p.start);
  const auto json = nlohmann::json::parse(to_json(r));
  EXPECT_EQ(json.at("f").get<double>(), r.f);
  EXPECT_EQ(json.at("status"), "optimal");
  EXPECT_EQ(json.at("route"), "sparse_qp");
  const auto y = json.at("y").get<std::vector<double>>();
  ASSERT_EQ(static_cast<Index>(y.size()), r.y.size());
  for (Index i = 0; i < r.y.size(); ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], r.y[i]);
  EXPECT_EQ(json.at("certificate").at("tuple_lambda").get<std::vector<double>>().size(), r.certificate.lambda.size());
  EXPECT_EQ(json.at("certificate").at("tuple_z").get<std::vector<double>>().size(), r.certificate.z_vector.size());
  EXPECT_EQ(json.at("pair").at("normal").get<double>(), r.pair.normal);
  EXPECT_EQ(json.at("options").at("method"), "automatic");
}

TEST(ResultJson, OptionsHaveTheirOwnTypes) {
  const auto options = nlohmann::json::parse(to_json(Result{})).at("options");
  EXPECT_EQ(options.at("penalty.tau0").get<double>(), Options{}.penalty.tau0);
  EXPECT_TRUE(options.at("penalty.tau0").is_number_float());
  EXPECT_TRUE(options.at("limits.outer").is_number_integer());
  EXPECT_EQ(options.at("trace"), false);
  EXPECT_EQ(options.at("inner.test"), "gradient");
  EXPECT_EQ(options.at("limits.seconds"), "inf") << "JSON has no infinity";
}

TEST(ResultJson, TheDigestDependsOnEverything) {
  Result r;
  r.x = r.y = r.lambda = r.mu = Vector::Ones(2);
  const auto digest = [](const Result& result) {
    return nlohmann::json::parse(to_json(result)).at("digest").get<std::string>();
  };
  const std::string original = digest(r);
  for (const auto member : {&Result::x, &Result::y, &Result::lambda, &Result::mu}) {
    Result edited = r;
    (edited.*member)[1] = std::nextafter(1.0, 2.0);
    EXPECT_NE(digest(edited), original);
  }
  Result edited = r;
  edited.status = Status::converged;
  EXPECT_NE(digest(edited), original);
  edited = r;
  edited.options.driver.tolerance = 0.5;
  EXPECT_NE(digest(edited), original);
}

TEST(ResultJson, InfinitiesAndNanBecomeNull) {
  Result r;
  r.f = infinity;
  r.y = Vector::Constant(1, std::nan(""));
  const auto json = nlohmann::json::parse(to_json(r));
  EXPECT_TRUE(json.at("f").is_null());
  EXPECT_TRUE(json.at("y").at(0).is_null());
}

TEST(Summary, NamesStatusObjectiveAndCertificate) {
  const auto p = testing_support::sparse_qp();
  const std::string text = summary(solve(p.problem, p.start));
  EXPECT_NE(text.find("optimal"), std::string::npos);
  EXPECT_NE(text.find("M-stationarity"), std::string::npos);
}

}  // namespace
}  // namespace pendec
