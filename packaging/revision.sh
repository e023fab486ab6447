#!/bin/sh
# Prints the commit that this checkout is at, for `meshpipe --version`: 7b579117, or 7b579117+changes where what the
# command is built from differs from it. Prints nothing where this folder is no checkout: in an unpacked archive, also
# in one that lies in a checkout of something else.
cd "$(dirname "$0")/.." && [ -e .git ] || exit 0
commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null) || exit 0
changes=$(git status --porcelain -- Package.swift Sources 2>/dev/null) || exit 0
printf '%.8s%s\n' "$commit" "${changes:++changes}"
