# shellcheck shell=bash
# Sourced by ./run and ./test: installs what is missing, configures, builds. Needs bash, and apt for the packages.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs
mkdir -p "$logs"
# shellcheck disable=SC2034
caller=$PWD  # where the user stands: relative paths on the command line start there
cd -- "$root"

export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
export LC_ALL=C.UTF-8

# shellcheck disable=SC2034  # used by the scripts that source this one
program_packages=(g++ cmake ninja-build pkg-config libeigen3-dev libopenblas-dev libfmt-dev libcli11-dev nlohmann-json3-dev libjs-chart.js coinor-libipopt-dev coinor-libclp-dev)
# shellcheck disable=SC2034
test_packages=(libgtest-dev librapidcheck-dev libbenchmark-dev libnlopt-dev jq)
# shellcheck disable=SC2034
python_packages=(python3-venv python3-dev)

# fail MESSAGE: one clear last line.
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# phase NAME LOG COMMAND...: runs the command into build/logs/LOG and prints one line with its seconds.
phase() {
  local name=$1 log=$logs/$2 start=$SECONDS status=0
  shift 2
  printf '%-34s' "$name" >&2  # standard output belongs to the program
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    printf '%5d s\n' $((SECONDS - start)) >&2
  else
    printf '%5d s  FAILED\n' $((SECONDS - start)) >&2
  fi
  return "$status"
}

# Compiler jobs: PENDEC_JOBS, or one per processor, but no more than memory allows at about 2 GB each.
compiler_jobs() {
  if [[ -n ${PENDEC_JOBS:-} ]]; then
    echo "$PENDEC_JOBS"
    return
  fi
  local processors megabytes limit
  processors=$(nproc)
  megabytes=$(awk '/^MemAvailable:/ {print int($2 / 1024)}' /proc/meminfo)
  if limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null) && [[ $limit =~ ^[0-9]+$ ]]; then
    ((limit / 1048576 < megabytes)) && megabytes=$((limit / 1048576))
  fi
  local fitting=$((megabytes / 2048))
  ((fitting < 1)) && fitting=1
  echo $((fitting < processors ? fitting : processors))
}

apt_install() {
  local options=(-y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300) attempt
  for attempt in 1 2 3; do
    ((attempt > 1)) && sleep $((5 * attempt))
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" update &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install --no-install-recommends "$@" &&
      return 0
  done
  return 1
}

# install_packages PACKAGE...: installs those that are missing; touches neither apt nor the network if none is.
install_packages() {
  local package state missing=()
  if ! command -v dpkg-query >/dev/null; then
    printf 'Not a Debian or Ubuntu system: the equivalents of these packages must be installed:\n  %s\n' "$*"
    return 0
  fi
  for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
    [[ $state == installed ]] || missing+=("$package")
  done
  ((${#missing[@]} == 0)) && return 0

  local as_root=()
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      fail "Some packages are missing and only root can install them. Please run, as root:
  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    fi
  fi
  if ! phase "install packages (${#missing[@]})" install.log apt_install "${missing[@]}"; then
    tail -n 15 "$logs/install.log" >&2
    fail "installing packages failed: ${missing[*]} (build/logs/install.log)"
  fi
}

# configure PRESET [cmake options]: starts afresh where the folder was made for another place.
configure() {
  local preset=$1 cache=build/$1/CMakeCache.txt fresh=()
  shift
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    fresh=(--fresh)
  fi
  if ! phase "configure $preset" "$preset-configure.log" cmake --preset "$preset" "${fresh[@]}" "$@"; then
    tail -n 20 "$logs/$preset-configure.log" >&2
    fail "configuring failed: preset $preset (build/logs/$preset-configure.log)"
  fi
}

# configured PRESET: is there a build folder, made for this place?
configured() {
  [[ -f build/$1/build.ninja ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "build/$1/CMakeCache.txt"
}

# build PRESET [TARGET...]
build() {
  local preset=$1 log=$1-build.log targets=()
  shift
  (($# > 0)) && targets=(--target "$@")
  if ! phase "build $preset" "$log" cmake --build "build/$preset" -j "$(compiler_jobs)" "${targets[@]}"; then
    { grep -E -A 3 'error:|undefined reference' "$logs/$log" || tail -n 20 "$logs/$log"; } | head -n 40 >&2
    fail "compiling failed: preset $preset (build/logs/$log)"
  fi
}
