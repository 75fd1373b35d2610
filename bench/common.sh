# shellcheck shell=bash
# Sourced by the comparisons with Python programs: environments of Python, the program to be timed.
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../scripts/setup.sh"

# OpenBLAS takes its oldest kernels for a processor that is newer than itself: both sides use what this one can do.
if [[ -z ${OPENBLAS_CORETYPE:-} ]]; then
  if grep -qsw avx512f /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=SKYLAKEX
  elif grep -qsw avx2 /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=HASWELL
  fi
fi

skip() {
  printf 'SKIPPED: %s\n' "$*"
  exit 0
}

# given VALUE DEFAULT: the user's path, seen from where the user stands, or the default.
given() {
  case $1 in
    '') printf '%s\n' "$2" ;;
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$caller/$1" ;;
  esac
}

# python_environment NAME MODULES WHAT REQUIREMENT...: makes build/NAME if it cannot import the modules, sets `python`.
# WHAT says what is missing where PyPI cannot be reached.
python_environment() {
  local name=$1 modules=$2 what=$3
  shift 3
  python=$root/build/$name/bin/python
  if "$python" -c "import $modules" 2>/dev/null; then return; fi
  command -v python3 >/dev/null || skip "there is no python3"
  make_environment() {
    python3 -m venv --clear "${python%/bin/python}" && "$python" -m pip install --disable-pip-version-check "$@"
  }
  if ! phase "make build/$name" "$name.log" make_environment "$@"; then
    tail -n 5 "$logs/$name.log" >&2
    skip "$what"
  fi
}

# benchmark_program TARGET VALUE: the program the user gives, or build/release/bin/TARGET, built here; sets `program`.
benchmark_program() {
  program=$(given "$2" "$root/build/release/bin/$1")
  if [[ -z $2 ]]; then
    install_packages "${program_packages[@]}"
    if configured release; then  # with or without the tests: as it is
      phase "configure release" release-configure.log cmake -B build/release -D PENDEC_BENCHMARKS=ON ||
        fail "configuring failed: preset release (build/logs/release-configure.log)"
    else
      configure release -D PENDEC_TESTS=OFF -D PENDEC_EXAMPLES=OFF
    fi
    build release "$1"
  fi
  [[ -x $program ]] || fail "$program is not a program"
}

# reference_environment: the versions the reference program was written for; sets `python`.
reference_environment() {
  python_environment reference-venv 'numpy, scipy' \
    "numpy 1.24 and scipy 1.10 cannot be installed: PyPI, a Python from 3.8 to 3.11 and its venv are needed" \
    'numpy==1.24.*' 'scipy==1.10.*'
}

# recorded NAME FILE COMMAND...: the program's lines go to FILE; a failure ends the comparison.
recorded() {
  local name=$1 file=$2 log
  log=$(basename "$(dirname "$2")")-$(basename "$2").log
  shift 2
  run_into() {
    local out=$1
    shift
    "$@" >"$out"
  }
  if ! phase "$name" "$log" run_into "$file" "$@"; then
    tail -n 10 "$logs/$log" >&2
    fail "$name failed (build/logs/$log)"
  fi
}
