# Sourced by the scripts of this folder: strict mode, the repository's root, messages, timed steps.
# shellcheck shell=bash

set -euo pipefail

CQLPERF_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# The Python of the tests, with the packages of scripts/requirements.txt. For those who source this.
# shellcheck disable=SC2034
CQLPERF_PYTHON=$CQLPERF_ROOT/build/venv/bin/python

# say TEXT...: what happens now, on standard output.
say() { printf '==> %s\n' "$*"; }

# warn TEXT...: on standard error.
warn() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# die TEXT...: says what is wrong and what to do, and ends the script with 1.
die() {
  warn "$@"
  exit 1
}

# usage_error TEXT...: the same for a wrong command line, with 2.
usage_error() {
  warn "$@"
  warn "see ${0##*/} --help"
  exit 2
}

# print_help: the comment at the top of the calling script, which is its help text.
print_help() { sed -n '2,/^[^#]/{ /^#/s/^# \{0,1\}//p }' "$0"; }

# duration SECONDS: prints 75 as 1m15s.
duration() {
  if (($1 < 60)); then printf '%ds' "$1"; else printf '%dm%02ds' $(($1 / 60)) $(($1 % 60)); fi
}

# step TITLE COMMAND...: says the title, runs the command, says how long it took; its exit code.
# A function run so has no `set -e`: its commands are joined by && or end in `|| die`.
step() {
  local title=$1 start=$SECONDS status=0
  shift
  say "$title"
  "$@" || status=$?
  if ((status == 0)); then
    say "$title: done in $(duration $((SECONDS - start)))"
  else
    say "$title: FAILED after $(duration $((SECONDS - start))), exit code $status"
  fi
  return "$status"
}

# without_aslr PRESET: prints the words to put before programs of this preset's build. GCC 12's
# ThreadSanitizer refuses to start when the kernel spreads addresses wider than 28 bits.
without_aslr() {
  local bits
  bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
  if [[ $1 == tsan ]] && ((bits > 28)) && setarch -R true 2>/dev/null; then
    echo setarch -R
  fi
}

# require_tools TOOL...: ends with a hint when one is missing.
require_tools() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || die "$tool is not installed: run scripts/setup first"
  done
}
