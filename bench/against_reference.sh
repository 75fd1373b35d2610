#!/usr/bin/env bash
# Runs the Python reference and pendec on the same instances, one after the other, and compares their CPU seconds:
#   bench/against_reference.sh [REFERENCE.PY]
# Environment: PENDEC_REFERENCE   the reference program (default: ../shared/reference/reference.py beside this folder)
#              PENDEC_DATA        the folder of the data (default: ../shared/data beside this folder)
#              PENDEC_SOLVES      a reference_solves that is built already (default: built with the preset release)
#              PENDEC_REPEAT      solves of each small problem, of which the mean counts (default 100)
# Ends with 1 if a required ratio is missed, with 0 and a line SKIPPED if something needed is not here.
set -euo pipefail
# shellcheck source=bench/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  -h | --help) sed -n '2,8s/^# \{0,1\}//p' bench/against_reference.sh && exit 0 ;;
esac
(($# <= 1)) || fail "usage: bench/against_reference.sh [REFERENCE.PY]"

reference=$(given "${1:-${PENDEC_REFERENCE:-}}" "$root/../shared/reference/reference.py")
data=$(given "${PENDEC_DATA:-}" "$root/../shared/data")
[[ -f $reference ]] || skip "there is no reference program $reference (first argument or PENDEC_REFERENCE)"
[[ -f $data/qp/QP_10_10_0.txt ]] || skip "there are no instances qp/QP_*.txt in $data (PENDEC_DATA)"

reference_environment
benchmark_program reference_solves "${PENDEC_SOLVES:-}"

export OPENBLAS_NUM_THREADS=1
results=$root/build/against-reference
mkdir -p "$results"

printf 'load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
recorded "reference: Table 6.1" "$results/reference-table.jsonl" \
  "$python" "$reference" table-inner --authors "$data" --algs PD_lbfgs-scipy
recorded "reference: P1(200,5)" "$results/reference-correlation.jsonl" \
  "$python" "$reference" correlation --problem P1 --n 200 --kappa 5 --algs PD-exact-lower-level
recorded "pendec: both" "$results/pendec.jsonl" "$program" "$data" --repeat "${PENDEC_REPEAT:-100}"
printf 'load average after: %s\n\n' "$(cut -d' ' -f1-3 /proc/loadavg)"

"$python" bench/join.py --reference "$results/reference-table.jsonl" "$results/reference-correlation.jsonl" \
  --pendec "$results/pendec.jsonl"
