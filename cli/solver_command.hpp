// The commands that solve: files in, options from the tables of the library, a solve that Ctrl-C ends, results out.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "pendec/core/fields.hpp"
#include "pendec/core/names.hpp"
#include "pendec/core/result.hpp"

namespace pendec::cli {

/// How an option is typed: "--min-weight", "-s".
std::string typed(std::string_view field);

/// A field under another name too, or left out: what the command sets by itself.
struct Spelling {
  std::string_view field;
  std::string also;  // ",--time-limit"; empty: not offered
};

/// Where results go.
struct Outputs {
  std::string output, csv;
  bool json = false, quiet = false;

  bool people() const { return !json && !quiet; }  // is there to be a table?
};

/// One solve of a command. While it lives the first Ctrl-C asks for its end, and a terminal shows its progress.
class Run {
 public:
  Run(const Outputs& outputs, ProblemRecord record) : to_(outputs), record_(std::move(record)), line_(!to_.quiet) {}

  Hooks hooks() { return {.observer = line_.observer(), .stop = interrupt_.token()}; }
  template <class O>
  O with_stop(O options) {
    options.stop = interrupt_.token();
    if constexpr (std::is_same_v<O, SparseQpOptions>) options.observer = line_.node_observer();
    return options;
  }
  const Outputs& to() const { return to_; }
  bool interrupted() const { return interrupt_.requested(); }

  using Table = std::function<std::string()>;  // of --csv; empty: there is none
  using Print = std::function<void()>;         // for people

  /// Results on their way out: files first, then standard output. What cannot be written, to a full disk, is shown
  /// nevertheless. Returns the exit code, of a path that of the chosen result, or the worst.
  int report(Result& result, const Table& table, const Print& print);
  int report(std::vector<Result>& path, std::optional<std::size_t> chosen, const Table& table, const Print& print);

 private:
  void write(const Table& json, const Table& table, const Print& print);

  const Outputs& to_;
  ProblemRecord record_;
  Interrupt interrupt_;
  TerminalLine line_;
};

/// Declares a command and what it reads, writes and is asked for.
class SolverCommand {
 public:
  SolverCommand(CLI::App& app, const std::string& name, const std::string& text)
      : command_(app.add_subcommand(name, text)), files_(std::make_shared<Files>()) {}

  CLI::App* operator->() const { return command_; }
  CLI::App& app() const { return *command_; }

  /// A file that is read.
  CLI::Option* input(const std::string& names, std::string& path, const std::string& text);

  /// -o, --csv, --json and -q; `table` says what the CSV file holds. Others follow.
  Outputs& outputs(const std::string& table);
  void output(const std::string& name, std::string& path, const std::string& text);

  /// One option for each field that can be typed, with the text of its table and its default. Lists and matrices are
  /// given by names or in files: commands have options of their own for these.
  template <class O>
  std::vector<CLI::Option*> fields(O& options, const std::vector<Spelling>& spellings = {}) const {
    std::vector<CLI::Option*> added;
    detail::for_each_option(options, "", [&](const std::string& name, auto& value, const auto& field) {
      std::string names = name == "seconds" ? typed(name) + ",--time-limit" : typed(name);
      for (const Spelling& s : spellings) {
        if (s.field != name) continue;
        if (s.also.empty()) return;
        names += s.also;
      }
      using T = std::remove_cvref_t<decltype(value)>;
      std::string text(field.text);
      text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
      if constexpr (std::is_same_v<T, bool>) {
        if (value) names += ",!--no-" + typed(name).substr(2);
        added.push_back(command_->add_flag(names, value, text));
      } else if constexpr (Named<T>) {
        added.push_back(by_its_name(names, value, text));
      } else if constexpr (std::is_convertible_v<double, T>) {
        if constexpr (std::is_arithmetic_v<T>)
          if (value < std::numeric_limits<T>::max()) text += fmt::format(" ({})", value);
        added.push_back(command_->add_option(names, value, text));
      }
    });
    return added;
  }

  /// An option whose values have names.
  template <class E>
  CLI::Option* by_its_name(const std::string& names, E& value, const std::string& text) const {
    return command_->add_option_function<std::string>(
        names,
        [&value, option = names.substr(0, names.find(','))](const std::string& given) {
          value = by_name<E>(option, given);
        },
        fmt::format("{} ({})", text, to_string(value)));
  }

  /// What it runs, and how its results are verified: both read() what the command line names first, before Ctrl-C
  /// waits for a solve. solve(data, run) returns the exit code, verify(data, result) claims.
  template <class Read, class Solve, class Verify>
  void solves(Job& job, Read read, Solve solve, Verify verify) const {
    command_->callback([&job, command = command_, files = files_, read, solve, verify] {
      job.run = [=] {
        files->require_writable();
        auto data = read();
        if constexpr (requires { data.files; }) files->require_apart_from(data.files);
        Run run(files->outputs, record_of(*command));
        return solve(data, run);
      };
      job.verify = [=](const Result& claimed) { return verify(read(), claimed); };
    });
  }

 private:
  struct Files {
    Outputs outputs;
    std::vector<const std::string*> inputs;
    std::vector<std::pair<std::string, const std::string*>> others;  // outputs by option

    void require_writable() const;  // hours of work should not end at a misspelt folder
    void require_apart_from(const std::vector<std::filesystem::path>& data) const;
  };

  /// The arguments that a command was given, without those of its outputs.
  static ProblemRecord record_of(const CLI::App& command);

  CLI::App* command_;
  std::shared_ptr<Files> files_;
};

}  // namespace pendec::cli
