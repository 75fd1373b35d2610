#!/usr/bin/env bash
# Times the accurate PD of the Python reference and the default mode of pendec on the landmine data (29 tasks, rank 2),
# one after the other, one thread each, and prints f, CPU seconds and their ratio for every eta:
#   bench/landmine.sh [REFERENCE.PY]
# Environment: PENDEC_REFERENCE   the reference program (default: ../shared/reference/reference.py beside this folder)
#              PENDEC_DATA        the folder of the data (default: ../shared/data beside this folder)
#              PENDEC_LANDMINE    a landmine_solves that is built already (default: built with the preset release)
# Ends with 1 if a requirement is missed, with 0 and a line SKIPPED if something needed is not here.
set -euo pipefail
# shellcheck source=bench/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  -h | --help) sed -n '2,8s/^# \{0,1\}//p' bench/landmine.sh && exit 0 ;;
esac
(($# <= 1)) || fail "usage: bench/landmine.sh [REFERENCE.PY]"

reference=$(given "${1:-${PENDEC_REFERENCE:-}}" "$root/../shared/reference/reference.py")
data=$(given "${PENDEC_DATA:-}" "$root/../shared/data")/landmine/landmine.csv
[[ -f $reference ]] || skip "there is no reference program $reference (first argument or PENDEC_REFERENCE)"
[[ -f $data ]] || skip "there is no file $data (PENDEC_DATA)"

reference_environment
benchmark_program landmine_solves "${PENDEC_LANDMINE:-}"

results=$root/build/landmine
mkdir -p "$results"
etas=(2 0.5 0.1 0.01)
printf 'load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
recorded "reference: accurate PD" "$results/reference.jsonl" \
  "$python" "$reference" multitask --data "$data" --rank 2 --algs pd_accurate --eta "${etas[@]}"
recorded "pendec: default" "$results/pendec.jsonl" "$program" "$data" 2 "${etas[@]}"
printf 'load average after: %s\n\n' "$(cut -d' ' -f1-3 /proc/loadavg)"

"$python" bench/landmine.py "$results/reference.jsonl" "$results/pendec.jsonl"
