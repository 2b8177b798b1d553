# Functions of `run` and `nightly`: steps with counts, and packages of Debian. Sourced by bash.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the scripts that source this file use the variables

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

deno=(npx -y deno@2.9.6)
passed=0
failed=0
failures=""
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT

# Prints the errors that a step ended with: the runner lists the failed tests at its end.
what_failed() {
  sed -E 's/\x1b\[[0-9;]*m//g' "$log" | sed -n '/^ ERRORS $/,$p' | head -200
  grep -q ' ERRORS ' "$log" || tail -20 "$log"
}

# Runs a step: step TITLE COMMAND...  Tests that the command reports count one by one, any other
# command counts as one.
step() {
  local title=$1 start=$SECONDS
  shift
  echo "==> $title"
  "$@" 2>&1 | tee "$log"
  local code=${PIPESTATUS[0]} counts
  counts=$(sed -E 's/\x1b\[[0-9;]*m//g' "$log" |
    sed -nE 's/^.*\b(ok|FAILED) \| ([0-9]+) passed.*\| ([0-9]+) failed.*$/\2 \3/p' |
    awk '{ passed += $1; failed += $2 } END { if (NR > 0) print passed + 0, failed + 0 }')
  if [ -n "$counts" ]; then
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
    if [ "$code" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then failed=$((failed + 1)); fi
  elif [ "$code" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  echo "==> $title: $((SECONDS - start)) s"
  if [ "$code" -ne 0 ]; then
    echo "==> $title: FAILED"
    failures+="==> $title"$'\n'"$(what_failed)"$'\n'
  fi
}

# Installs packages of Debian: with_packages PROGRAM PACKAGE...  Does nothing where the program is
# present, or without root and apt-get: the step then reports what it skips.
with_packages() {
  local program=$1
  shift
  if command -v "$program" >/dev/null || [ "$(id -u)" != 0 ]; then return 0; fi
  command -v apt-get >/dev/null || return 0
  # Daemons are started by the tests only.
  local policy=/usr/sbin/policy-rc.d owns_policy=no
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && owns_policy=yes
  fi
  apt-get update -qq >/dev/null 2>&1
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
    >/dev/null 2>&1 || echo "could not install $*"
  if [ "$owns_policy" = yes ]; then rm -f "$policy"; fi
}

# Sets `denort` to the option for the runtimes of executables where a package registry has them;
# else the compiler fetches them from Deno's own site. Takes x64, arm64 or all.
denort=()
with_runtimes() {
  [ -f ../shared/tools/denort.sh ] || return 0
  if bash ../shared/tools/denort.sh "$work/denort" "$1"; then denort=(--denort "$work/denort"); fi
}

# Prints the failures and the counts, which the end of a long log must show.
finish() {
  [ -z "$failures" ] || printf 'What failed:\n%s' "$failures"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
