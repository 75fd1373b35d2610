#!/usr/bin/env bash
# Writes the pages of the set families from the definitions in the headers:
#   docs/sets/generate.sh           writes docs/sets/*.md
#   docs/sets/generate.sh --check   ends with 1 if a page is not what it would write
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."

families=(sparse discrete matrices convex constructions)
declare -A title=(
  [sparse]='Few nonzeros'
  [discrete]='Discrete variables and pairs'
  [matrices]='Matrices'
  [convex]='Convex sets'
  [constructions]='Sets made from sets')
declare -A headers=(
  [sparse]='sparse sparse_box sparse_simplex group_sparse group_counts'
  [discrete]='values box_switching pair_union'
  [matrices]='low_rank psd_low_rank stiefel singular_values'
  [convex]='free singleton box simplex slab affine_subspace box_slab l1_ball second_order_cone polyhedron intersection'
  [constructions]='product union_of indexed similarity shell')

# The whole space is what a problem has where no set is given: it lives in core/.
header_of() {
  local room=sets
  [[ $1 == free ]] && room=core
  printf 'pendec/%s/%s.hpp' "$room" "$1"
}

# One header to Markdown: the comment of each struct, its constructors, and what is said about normals, uniqueness and
# branches.
page_of() {
  awk -v header="$(header_of "$1")" '
    function text(out, line, n, i, code) {
      n = split(comment, lines, "\n"); out = ""; code = 0
      for (i = 1; i < n; ++i) {
        line = lines[i]
        if (line ~ /^  / && !code) { out = out "\n"; code = 1 }
        if (line !~ /^  / && code) { out = out "\n"; code = 0 }
        out = out (code ? "    " : "") line "\n"
      }
      return out
    }
    function one_line(out) { out = comment; gsub(/\n/, " ", out); sub(/ $/, "", out); return out }
    function inline_comment(line) { return line ~ /\/\/ / ? substr(line, index(line, "// ") + 3) : "" }
    function declaration(line) { sub(/ *\/\/ .*/, "", line); sub(/^ */, "", line); sub(/PENDEC_EXPORT /, "", line); return line }
    function about(what, line) {
      said = comment != "" ? text() : inline_comment(line) "\n"
      if (said ~ /^[a-z][a-z]+[ ,:.\n]/) said = toupper(substr(said, 1, 1)) substr(said, 2)  # words, not formulas
      if (said != "\n") printf "\n**%s.** %s", what, said
    }
    function close_code() { if (open_code) { print "```"; open_code = 0 } }
    function code(line) { if (!open_code) { print "\n```cpp"; open_code = 1 } print line }
    /^ *\/\/\/ ?/ { line = $0; sub(/^ *\/\/\/ ?/, "", line); comment = comment line "\n"; next }
    /^struct PENDEC_EXPORT [A-Z]/ {
      close_code(); name = $3; inside = 1
      printf "\n## %s\n\n`#include \"%s\"`\n\n%s", name, header, text(); comment = ""; next
    }
    /^(};| private:)/ { inside = 0; comment = ""; close_code(); next }
    inside && ($0 ~ "^  (explicit )?" name "\\(" || /^  static /) {
      said = inline_comment($0)
      if (comment != "") said = one_line()
      code(declaration($0) (said != "" ? "  // " said : "")); comment = ""; next
    }
    inside && /normal_residual\(/ { close_code(); about("Normals", $0); comment = ""; next }
    inside && /projection_is_unique\(/ { close_code(); about("Unique", $0); comment = ""; next }
    inside && /branch\(/ { close_code(); about("Branch", $0); comment = ""; next }
    !inside && /^PENDEC_EXPORT / {
      said = comment != "" ? one_line() : inline_comment($0)
      code(declaration($0) (said != "" ? "  // " said : "")); comment = ""; next
    }
    { comment = "" }
    END { close_code() }' "include/$(header_of "$1")"
}

write_family() {
  printf '# %s\n' "${title[$1]}"
  local header
  for header in ${headers[$1]}; do page_of "$header"; done
}

# A table of the sets that C++, Python and problem files have, by names that differ in their spelling only.
write_names() {
  printf '\n| C++ | Python | problem files |\n|---|---|---|\n'
  local family header files=()
  for family in "${families[@]}"; do
    for header in ${headers[$family]}; do files+=("include/$(header_of "$header")"); done
  done
  awk '
    function key_of(name) { gsub(/_|.*::/, "", name); return name == "UnionOf" ? "union" : tolower(name) }
    function declared(line) { sub(/\(.*/, "", line); sub(/.* /, "", line); return line }
    function found(name, key) {
      key = key_of(name)
      if (!(key in python)) return
      if (!(key in cpp)) order[++count] = key
      cpp[key] = cpp[key] (cpp[key] == "" ? "" : ", ") "`" name "`"
    }
    FILENAME ~ /sets\.py$/ { if (/^(class|def) [A-Z]/) { sub(/[(:].*/, "", $2); python[key_of($2)] = $2 } next }
    FILENAME ~ /\.json$/ { if (/"const": "/) { split($0, quoted, "\""); file[key_of(quoted[4])] = quoted[4] } next }
    /^struct PENDEC_EXPORT [A-Z]/ { name = $3; found(name) }
    /^  static [A-Z]/ { found(name "::" declared($0)) }
    /^PENDEC_EXPORT [A-Z][A-Za-z]* [a-z_]+\(/ { found(declared($0)) }
    END {
      for (k = 1; k <= count; ++k) {
        key = order[k]
        printf "| %s | `%s` | %s |\n", cpp[key], python[key], key in file ? "`" file[key] "`" : ""
      }
    }' python/pendec/sets.py docs/problem.schema.json "${files[@]}"
}

write_index() {
  cat <<'TEXT'
# The sets

Every set has a projection (`project`), `distance(x)` and `contains(x, tol)`, which is true where that distance is at most `tol`,
in the units of x: for points of size 10⁶ ask for 10⁻³ rather than 10⁻⁹. The nonconvex ones (but `SingularValues` of a
nonconvex set) also measure the distance of a vector to their limiting normal cone (`normal_residual`), which is what
certificates are made of, and say whether a projection is unique up to a tolerance (`projection_is_unique`). Ties are
broken in favour of the lowest index. What is not a number stays visible: a projection of a point with a NaN has one too,
unless the set is a single point. `check_set` tries this for these sets and for your own, except which way ties go, of which
it only tests that they go the same way twice; [what it tests](../stationarity.md#check-your-own-types).

TEXT
  local family header
  for family in "${families[@]}"; do
    printf -- '- [%s](%s.md):' "${title[$family]}" "$family"
    for header in ${headers[$family]}; do
      awk '/^struct PENDEC_EXPORT [A-Z]/ { print $3 }' "include/$(header_of "$header")"
    done | awk '{ printf "%s `%s`", (NR > 1 ? "," : ""), $1 } END { print "" }'
  done
  printf '\n## Their names\n'
  write_names
  printf '\nThe pages are written by `docs/sets/generate.sh` from the headers in `include/pendec/sets`.\n'
}

# emit FILE COMMAND...: writes or, with --check, compares.
stale=0
emit() {
  local file=$1
  shift
  if [[ ${check:-} ]]; then
    "$@" | cmp -s - "$file" || { printf '%s is not up to date: run docs/sets/generate.sh\n' "$file" && stale=1; }
  else
    "$@" >"$file"
  fi
}

case ${1:-} in
  --check) check=1 ;;
  '') ;;
  *) sed -n '2,4s/^# \{0,1\}//p' docs/sets/generate.sh && exit 1 ;;
esac
listed=" $(printf '%s ' "${headers[@]}")"
for file in include/pendec/sets/*.hpp; do
  [[ $listed == *" $(basename "$file" .hpp) "* ]] || { printf '%s belongs to no family in docs/sets/generate.sh\n' "$file" && stale=1; }
done
for family in "${families[@]}"; do emit "docs/sets/$family.md" write_family "$family"; done
emit docs/sets/README.md write_index
exit "$stale"
