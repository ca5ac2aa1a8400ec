#!/bin/sh
# Compares what a library exports, or (-u) what it takes from others, with a committed list: the seam
# is a promise, so a name that comes or goes is a decision.
#
#   abi_check.sh [-u] LIBRARY LIST [PATTERN]     PATTERN: grep -E over the names, '.' if left out
#   abi_check.sh -w [-u] LIBRARY LIST [PATTERN]  writes the list instead
set -eu
export LC_ALL=C
write=no undefined= which=--defined-only
while getopts uw option; do
    case $option in
    u) which=--undefined-only undefined=u ;;
    w) write=yes ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
library=$1 list=$2 pattern=${3:-.}

names=$(mktemp)
trap 'rm -f "$names"' EXIT
nm -D "$which" "$library" | awk '{ print $NF }' | sed 's/@.*//' |
    { grep -E "$pattern" || true; } | sort -u >"$names"

if [ "$write" = yes ]; then
    cp "$names" "$list"
elif ! diff -u "$list" "$names"; then
    echo "$library does not match $list: fix the library, or if the change is meant, run" >&2
    echo "  $0 -w${undefined} $library $list" >&2
    exit 1
fi
