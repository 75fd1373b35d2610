#!/usr/bin/env bash
# Writes the tables of docs/options.md from the program's own list of options:
#   docs/options.sh PROGRAM           writes docs/options.md
#   docs/options.sh PROGRAM --check   ends with 1 if a table is not what it would write
# The text between the tables stays as it is. A table belongs to the group that the heading above it names.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."

page=docs/options.md
[[ $# -ge 1 ]] || { sed -n '2,5s/^# \{0,1\}//p' docs/options.sh && exit 1; }

list=$("$1" list options && "$1" list ready)
[[ -n $list ]] || { printf '%s lists no options\n' "$1" >&2 && exit 1; }

# The first file is the list, "  name  value  text" with columns at 3, 31 and 53, or 37 and 47 for the ready solvers, which
# have one table; the second is the page.
written=$(awk '
  function trimmed(s) { gsub(/^ +| +$/, "", s); return s }
  function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/\|/, "\\|", s); return s }
  FNR == NR {
    if ($0 ~ /^options of the ready/) ready = 1
    if ($0 !~ /^  [a-z]/) next
    name = $1; group = ready ? "ready" : name ~ /\./ ? substr(name, 1, index(name, ".") - 1) : ""
    value = ready ? substr($0, 37, 10) : substr($0, 31, 22)
    rows[group] = rows[group] "| `" name "` | " trimmed(value) " | " escaped(trimmed(substr($0, ready ? 47 : 53))) " |\n"
    next
  }
  /^## / { group = $0 ~ /^## Ready/ ? "ready" : $0 ~ /^## `/ ? substr($2, 2, index(substr($2, 2), "`") - 1) : "" }
  /^\|---/ { print; printf "%s", rows[group]; delete rows[group]; table = 1; next }
  table && /^\|/ { next }
  { table = 0; print }
  END { for (group in rows) { print "no table for the options of \"" group "\"" > "/dev/stderr"; exit 1 } }' <(printf '%s\n' "$list") "$page")

if [[ ${2:-} != --check ]]; then
  printf '%s\n' "$written" >"$page"
elif ! cmp -s "$page" <(printf '%s\n' "$written"); then
  printf '%s is not up to date: run docs/options.sh with the program\n' "$page"
  exit 1
fi
