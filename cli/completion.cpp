// pendec completion SHELL: a script made from the commands and options there are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.hpp"

namespace pendec::cli {
namespace {

/// One command, with nested ones as "generate correlation".
struct CommandLine {
  std::string path, text;
  std::vector<std::string> commands;                         // that may follow
  std::vector<std::pair<std::string, std::string>> options;  // name, text
};

void collect(const CLI::App& app, const std::string& path, std::vector<CommandLine>& out) {
  CommandLine line{path, app.get_description(), {}, {}};
  for (const CLI::App* sub : app.get_subcommands({})) line.commands.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames())
      line.options.emplace_back("-" + name, option->get_description());
    for (const std::string& name : option->get_lnames())
      line.options.emplace_back("--" + name, option->get_description());
  }
  out.push_back(line);
  for (const CLI::App* sub : app.get_subcommands({}))
    collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
}

std::string words(const CommandLine& line) {
  std::vector<std::string> all = line.commands;
  for (const auto& [name, text] : line.options) all.push_back(name);
  return fmt::format("{}", fmt::join(all, " "));
}

/// The commands typed so far, joined, decide which words may follow. zsh reads the same script.
void print_bash(const std::vector<CommandLine>& lines) {
  fmt::print(R"(_pendec() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path= word words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{path:+$path }}$word" in
)");
  for (const CommandLine& line : lines)
    if (!line.path.empty()) fmt::print("      \"{}\") path=\"{}\" ;;\n", line.path, line.path);
  fmt::print(R"(    esac
  done
  case $path in
)");
  for (const CommandLine& line : lines) fmt::print("    \"{}\") words=\"{}\" ;;\n", line.path, words(line));
  fmt::print(R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _pendec pendec
)");
}

void print_zsh(const std::vector<CommandLine>& lines) {
  fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
  print_bash(lines);
}

std::string fish_word(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2)) text.insert(at, "\\");
  return "'" + text + "'";
}

void print_fish(const std::vector<CommandLine>& lines) {
  for (const CommandLine& line : lines) {
    const auto space = line.path.rfind(' ');
    const std::string last = space == std::string::npos ? line.path : line.path.substr(space + 1);
    if (!line.path.empty()) {
      const std::string parent = space == std::string::npos ? "" : line.path.substr(0, space);
      const std::string where =
          parent.empty() ? "__fish_use_subcommand" : fmt::format("__fish_seen_subcommand_from {}", parent);
      fmt::print("complete -c pendec -n {} -a {} -d {}\n", fish_word(where), last, fish_word(line.text));
    }
    for (const auto& [name, text] : line.options) {
      const bool is_long = name.starts_with("--");
      fmt::print("complete -c pendec{} {} {} -d {}\n",
                 line.path.empty() ? "" : fmt::format(" -n '__fish_seen_subcommand_from {}'", last),
                 is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1), fish_word(text));
    }
  }
}

int completion(const CLI::App& app, const std::string& shell) {
  std::vector<CommandLine> lines;
  collect(app, "", lines);
  if (shell == "bash") print_bash(lines);
  if (shell == "zsh") print_zsh(lines);
  if (shell == "fish") print_fish(lines);
  return solved;
}

}  // namespace

void add_completion(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("completion", "Print the completion script of a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&job, &app, shell] { job.run = [&app, shell] { return completion(app, *shell); }; });
}

}  // namespace pendec::cli
