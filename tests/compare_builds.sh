#!/usr/bin/env bash
# compare_builds.sh OUT OUT: hold the documents of two builds against each other, byte by byte.
# Left out: wall-clock sidecars, logs, what agents' commands printed (tests print times), mirrors, caches, installed folders, and what only names the build's own place.
set -euo pipefail
list() { (cd "$1" && find . -type f \( -name '*.json' -o -name '*.jsonl' -o -name '*.diff' -o -name '*.md' -o -name 'lock.txt' \) \
  ! -name '*times.json' ! -path '*/boxes/*' ! -path './cache/*' ! -path './mirrors/*' ! -path './demo-repos/*' ! -path '*/runs/gate/*' ! -name trajectory.jsonl \
  | sort | xargs sha256sum); }
if ! difference=$(diff <(list "$1") <(list "$2")); then
  printf '%s\n' "$difference"
  echo "FAIL: the builds differ"
  exit 1
fi
printf '%d documents are the same in both builds\n' "$(list "$1" | wc -l)"
