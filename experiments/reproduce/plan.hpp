// The paper's experiments as a list of runs: what to run, in which order, and what was left out.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "experiments/reproduce/row.hpp"

namespace pendec::experiments {

/// quick: small instances, two minutes for everything. normal: the paper's sizes, without the algorithms that need
/// more than minutes. full: everything.
enum class Size { quick, normal, full };
std::string_view to_string(Size size);

struct Selection {
  std::vector<std::string> experiments = {};       // empty: all; throws InvalidArgument for one that does not exist
  std::vector<std::string> algorithms = {};        // empty: all
  std::vector<std::string> instances = {};         // empty: all
  std::optional<std::filesystem::path> data = {};  // the authors' instances; without: generated ones
  Size size = Size::normal;
};

struct Run {
  Row row;                                                  // names and printed figures; nothing measured yet
  double expected_seconds = 1.0;                            // roughly, for the time left
  std::function<void(Row&, std::stop_token)> measure = {};  // fills in the rest
};

struct Plan {
  std::vector<Run> runs;
  std::vector<Row> unnamed;           // what --algorithms and --instances do not name
  std::vector<std::string> left_out;  // what the size leaves out, a sentence each
};

/// table-6.1, table-6.2, figure-6.1, table-6.3, …, figure-6.3, in the order of the paper.
const std::vector<std::string>& experiment_names();
/// A line for people.
std::string_view experiment_title(std::string_view name);

/// The run in default mode comes first for every instance: its certified optimum is the reference of the others.
Plan plan(const Selection& selection);

/// Takes lower bounds and gaps over from the certified row of the same instance.
void relate(std::vector<Row>& rows);

/// Does the row carry a proof of its own: ours, in default mode, with a lower bound?
bool is_certified(const Row& row);

/// Within 1e-4 of the proven optimum, relative, and infeasible by at most 1e-4: what the figures count as solved.
bool reaches_optimum(const Row& row);

// The experiments; each adds its runs and says what it leaves out.
struct Setting {
  std::optional<std::filesystem::path> data;
  Size size;
  double limit() const { return size == Size::quick ? 10.0 : size == Size::normal ? 600.0 : infinity; }  // of a run
};
void table_6_1(const Setting& setting, Plan& plan);
void table_6_2(const Setting& setting, Plan& plan);
void figure_6_1(const Setting& setting, Plan& plan);
void table_6_3(const Setting& setting, Plan& plan);
void correlation_table(int which, const Setting& setting, Plan& plan);  // 1, 2, 3: Tables 6.4, 6.5, 6.6
void figure_6_2(const Setting& setting, Plan& plan);
void table_6_7(const Setting& setting, Plan& plan);
void figure_6_3(const Setting& setting, Plan& plan);

}  // namespace pendec::experiments
