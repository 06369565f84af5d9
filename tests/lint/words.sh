#!/bin/sh
# words.sh ROOT: phrases that a reader has to take apart, and what to write instead.
cd "$1" || exit 1

bad=$(grep -rniE --include='*.[ch]' --include='*.cpp' \
    -e '\bin sum\b' -e '\b(told|tells?) of\b' -e '\bwish(es|ed)?\b' src include)
[ -z "$bad" ] && exit 0
echo "$bad"
echo "write: summarized (in sum); reports, lists, covers (tells of); request (wish)"
exit 1
