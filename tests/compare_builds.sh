#!/usr/bin/env bash
# compare_builds.sh OUT OUT: hold the documents of two builds against each other, byte by byte.
# Left out: wall-clock sidecars, logs, mirrors, caches, installed folders, and what only names the build's own place. Of a
# trajectory the commands and how they ended are compared, not what they printed: tests print how long they took.
set -euo pipefail
turns='import json, sys
for line in open(sys.argv[1]):
    turn = json.loads(line)
    print(json.dumps([turn["command"], turn["exit_status"]]))'
list() {
  (
    cd "$1"
    find . -type f \( -name '*.json' -o -name '*.jsonl' -o -name '*.diff' -o -name '*.md' -o -name 'lock.txt' \) \
      ! -name '*times.json' ! -name trajectory.jsonl ! -path '*/boxes/*' ! -path './cache/*' ! -path './mirrors/*' \
      ! -path './demo-repos/*' ! -path '*/runs/gate/*' | sort | xargs sha256sum
    find . -name trajectory.jsonl ! -path '*/runs/gate/*' | sort | while read -r path; do
      printf '%s  %s\n' "$(python3 -c "$turns" "$path" | sha256sum | cut -d' ' -f1)" "$path"
    done
  )
}
if ! difference=$(diff <(list "$1") <(list "$2")); then
  printf '%s\n' "$difference"
  echo "FAIL: the builds differ"
  exit 1
fi
printf '%d documents are the same in both builds\n' "$(list "$1" | wc -l)"
