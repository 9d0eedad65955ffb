#!/bin/sh
# usage: redgreen_go_start.sh CANARY SUM TABLE PROGRAM ARGUMENT...   in the package's folder, as `go test -exec` starts it
#
# The canaries are compiled: whoever could read them now would know how to answer for them. A package is compiled when
# those before it have run: their programs may not have changed its tests (TABLE; SUM is the sum of TABLE itself).
rm -f "./$1"
echo "$2  $3" | sha256sum --check --status && sha256sum --check --status "$3" || {
  echo "redgreen: the tests have been changed" >&2
  exit 1
}
shift 3
exec "$@"
