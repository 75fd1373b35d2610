#!/usr/bin/env bash
# Times projections by numpy and by pendec on the same points, in turns, one thread each, and prints one table:
#   bench/against_numpy.sh
# Environment: PENDEC_PROJECTIONS   a program `projections` that is built already (default: built with the preset release)
# Ends with 1 if a required ratio is missed, with 0 and a line SKIPPED if numpy cannot be had.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../scripts/setup.sh"

case ${1:-} in
  -h | --help) sed -n '2,5s/^# \{0,1\}//p' bench/against_numpy.sh && exit 0 ;;
esac
(($# == 0)) || fail "usage: bench/against_numpy.sh"

skip() {
  printf 'SKIPPED: %s\n' "$*"
  exit 0
}

environment=$root/build/numpy-venv
make_environment() {
  python3 -m venv --clear "$environment" &&
    "$environment/bin/python" -m pip install --disable-pip-version-check numpy
}
python=$environment/bin/python
if ! "$python" -c 'import numpy' 2>/dev/null; then
  command -v python3 >/dev/null || skip "there is no python3"
  if ! phase "make build/numpy-venv" numpy-venv.log make_environment; then
    tail -n 5 "$logs/numpy-venv.log" >&2
    skip "numpy cannot be installed: PyPI and Python's venv are needed"
  fi
fi

case ${PENDEC_PROJECTIONS:-} in
  '') projections=$root/build/release/bin/projections ;;
  /*) projections=$PENDEC_PROJECTIONS ;;
  *) projections=$caller/$PENDEC_PROJECTIONS ;;
esac
if [[ -z ${PENDEC_PROJECTIONS:-} ]]; then
  install_packages "${program_packages[@]}"
  if configured release; then  # with or without the tests: as it is
    phase "configure release" release-configure.log cmake -B build/release -D PENDEC_BENCHMARKS=ON ||
      fail "configuring failed: preset release (build/logs/release-configure.log)"
  else
    configure release -D PENDEC_TESTS=OFF -D PENDEC_EXAMPLES=OFF
  fi
  build release projections
fi
[[ -x $projections ]] || fail "$projections is not a program"

printf 'load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
status=0
OMP_NUM_THREADS=1 "$python" bench/against_numpy.py "$projections" || status=$?
printf 'load average after: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
exit "$status"
