#!/usr/bin/env bash
# The code of the pages, to be tested:
#   docs/blocks.sh cpp           prints the blocks of C++ as one test per page
#   docs/blocks.sh run PROGRAM   runs the blocks of shell, each page in a folder of its own, and lists those that are not run
#
# ```sh       is run as it stands.
# ```console  has commands after "$ " and their output, which must be the same up to rounding; "..." stands for any lines.
# ```cpp      is a scope of its own, or, where it ends with "};" or has main() or TEST(), declarations for the blocks below.
#
# Comments of a page, each on lines of its own, add what the reader need not see:
#   <!-- given: … -->     code before the next block: the data that it and those below it take for granted
#   <!-- then: … -->      code after the block above: the checks of what the text promises; `output` is that of main()
#   <!-- not run: … -->   why the next block is not run
# The signatures of docs/sets come from the headers themselves and are no programs.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
pages=(README.md CONTRIBUTING.md docs/*.md docs/results/*.md)

# Calls block(language), given(), then(), skipped() with `text`, `where` (page:line) and `page` set.
# shellcheck disable=SC2016
reader='
  function begin(what, line) {
    kind = what; where = FILENAME ":" FNR; sub(/^<!-- [a-z ]*: ?/, "", line); text = ""; continue_(line)
  }
  function continue_(line) {
    ended = line ~ /-->$/; sub(/ *-->$/, "", line); text = text line "\n"
    if (ended) { if (kind == "given") given(); else if (kind == "then") then_(); else skipped(); kind = "" }
  }
  FNR == 1 { page = FILENAME; first_of_page() }
  kind == "code" && /^```/ { block(language); kind = ""; next }
  kind == "code" { text = text $0 "\n"; next }
  kind != "" { continue_($0); next }
  /^```/ { kind = "code"; language = substr($0, 4); text = ""; where = FILENAME ":" FNR; next }
  /^<!-- (given|then|not run):/ { begin($2 == "not" ? "skip" : substr($2, 1, length($2) - 1), $0) }
'

print_cpp() {
  cat <<'TEXT'
// Made by docs/blocks.sh from the pages of the documentation.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <stop_token>
#include <string>

#include <pendec/pendec.hpp>

#pragma GCC diagnostic ignored "-Wshadow"  // blocks use the same names again
#pragma GCC diagnostic ignored "-Wunused-variable"

namespace {

/// Pages name files as seen from the top of the repository.
struct AtTheTop {
  AtTheTop() { std::filesystem::current_path(PENDEC_SOURCE_DIR); }
  ~AtTheTop() { std::filesystem::current_path(before); }
  std::filesystem::path before = std::filesystem::current_path();
};

std::string output_of(void (*program)()) {
  testing::internal::CaptureStdout();
  program();
  return testing::internal::GetCapturedStdout();
}

}  // namespace
TEXT
  awk '
    function identifier(s) { sub(/^docs\//, "", s); sub(/\.md$/, "", s); gsub(/[^A-Za-z0-9]/, "_", s); return s }
    function close_page(name) {
      close_scope()
      while (depth-- > 0) body = body "}\n"
      depth = 0
      if (declarations != "" || body != "") printf "%s\nnamespace pendec::page_%s {\n%s", includes, identifier(name), declarations
      if (body != "") printf "\nTEST(Documentation, %s) {\n  const AtTheTop here;\n%s}\n", identifier(name), body
      if (declarations != "" || body != "") print "}"
      includes = declarations = body = ""
    }
    function close_scope() { if (scope != "") body = body "{\n" scope "}\n"; scope = "" }
    function first_of_page() { close_page(open_page); open_page = page; why = data = "" }
    function line_number() { return "#line " substr(where, index(where, ":") + 1) " \"" page "\"\n" }
    function given() { data = data line_number() text }
    function then_() { if (cpp) scope = scope line_number() text }
    function skipped() { why = text }
    function block(language,   code, lines, n, i) {
      cpp = language == "cpp" && why == ""
      if (cpp) {
        close_scope()
        if (data != "") { body = body "{\n" data; ++depth }
        code = line_number() "\n"
        n = split(text, lines, "\n")
        for (i = 1; i < n; ++i) {
          if (lines[i] ~ /^#include/) { includes = includes lines[i] "\n"; lines[i] = "" }
          if (sub(/^int main\(\) [{]/, "void program() {", lines[i])) scope = "const std::string output = output_of(program);\n"
          code = code lines[i] "\n"
        }
        if (lines[n - 1] == "};" || text ~ /(^|\n)(int main|TEST)\(/) declarations = declarations code
        else scope = code
      }
      why = data = ""
    }'"$reader"'
    END { close_page(open_page) }' "${pages[@]}"
}

# The output of a page against that of the program: line by line, word by word, numbers up to rounding.
# shellcheck disable=SC2016,SC2089
compare='
  function number(s) { return s ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?[,;:]?$/ }
  function same_word(a, b) { return a == b || number(a) && number(b) && (a - b) ^ 2 <= (1e-4 * (a + b)) ^ 2 + 1e-12 }
  function same_line(a, b,   i, n, wanted, found) {
    n = split(a, wanted)
    if (n != split(b, found)) return 0
    for (i = 1; i <= n; ++i) if (!same_word(wanted[i], found[i])) return 0
    return 1
  }
  FNR == NR { page[++lines] = $0; next }
  { program[++count] = $0 }
  END {
    for (i = j = 1; i <= lines; ++i) {
      if (page[i] == "...") {
        if (i == lines) exit 0
        while (j <= count && !same_line(page[i + 1], program[j])) ++j
      } else if (j > count || !same_line(page[i], program[j])) {
        printf "the page has   %s\nthe program    %s\n", page[i], (j > count ? "nothing more like it" : program[j])
        exit 1
      } else {
        ++j
      }
    }
    if (j <= count) { print "the page has no", program[j]; exit 1 }
  }'

print_shell() {
  awk '
    function first_of_page() { why = data = "" }
    function given() { data = data text }
    function then_() { if (shell) printf "%s", text }
    function skipped() { why = text }
    function console(   lines, n, i, command) {
      n = split(text, lines, "\n")
      for (i = 1; i < n; ++i) {
        if (lines[i] !~ /^\$ /) { print lines[i]; continue }
        if (command) print "PAGE"
        printf "same_output %c%s%c <<\"PAGE\"\n", 39, substr(lines[i], 3), 39; command = 1
      }
      print "PAGE"
    }
    function block(language) {
      if (language !~ /^(sh|console|cpp|python|json|cmake)?$/ || language == "" && text ~ /^\$ /)
        printf "echo \"%s: a block in [%s], which nobody runs\"; exit 1\n", where, language
      shell = (language == "sh" || language == "console") && why == ""
      if (why != "") printf "echo \"not run: %s: %s\"\n", where, substr(why, 1, length(why) - 1)
      if (shell) printf "where=%s\n%s", where, data
      if (shell && language == "sh") printf "%s", text
      if (shell && language == "console") console()
      why = data = ""
    }'"$reader" "$1"
}

# same_output COMMAND <PAGE: in the script of a page, which sets `where`.
# shellcheck disable=SC2154
same_output() {
  local page output
  page=$(cat)
  output=$(eval "$1")
  awk "$compare" <(printf '%s\n' "$page") <(printf '%s\n' "$output") || { printf '%s: %s\n' "$where" "$1" && false; }
}

run_shell() {
  local program page
  program=$(realpath -- "$1")
  scratch=$(mktemp -d)  # seen by the trap
  trap 'rm -rf "$scratch"' EXIT
  # shellcheck disable=SC2090
  export compare
  export -f same_output
  for page in "${pages[@]}"; do
    print_shell "$page" >"$scratch/blocks"
    [[ -s $scratch/blocks ]] || continue
    mkdir -p "$scratch/page/build/release/bin"
    ln -s "$PWD/examples" "$scratch/page/examples"
    ln -s "$program" "$scratch/page/build/release/bin/pendec"
    if ! (cd "$scratch/page" && HOME=$PWD PATH=$PWD/build/release/bin:$PATH bash -euo pipefail -c '
        trap "printf \"failed: %s\n\" \"\$where\"" ERR
        source ../blocks') >"$scratch/output" 2>&1; then
      cat "$scratch/output"
      exit 1
    fi
    grep '^not run: ' "$scratch/output" || true
    rm -rf "$scratch/page"
  done
}

case ${1:-} in
  cpp) print_cpp ;;
  run) run_shell "${2:?the program is missing}" ;;
  *) sed -n '2,4s/^# \{0,1\}//p' docs/blocks.sh && exit 1 ;;
esac
