#!/usr/bin/env bash
# Times projections by numpy and by pendec, with one thread and with all, on the same points in turns:
#   bench/against_numpy.sh
# Environment: PENDEC_PROJECTIONS   a program `projections` that is built already (default: built with the preset release)
#              PENDEC_NUMPY         which numpy, as pip names it (default numpy, the newest; numpy==1.24.4 is Debian 12's,
#                                   which selects and sorts without vector instructions)
# Ends with 1 if a required ratio is missed, with 0 and a line SKIPPED if numpy cannot be had.
set -euo pipefail
# shellcheck source=bench/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' bench/against_numpy.sh && exit 0 ;;
esac
(($# == 0)) || fail "usage: bench/against_numpy.sh"

requirement=${PENDEC_NUMPY:-numpy}
python_environment "numpy-venv${requirement#numpy}" numpy "numpy cannot be installed: PyPI and Python's venv are needed" "$requirement"
benchmark_program projections "${PENDEC_PROJECTIONS:-}"

printf 'load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
status=0
"$python" bench/against_numpy.py "$program" || status=$?
printf 'load average after: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
exit "$status"
