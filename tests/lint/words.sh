#!/bin/sh
# words.sh ROOT: phrases that a reader has to take apart, and what to write instead.
cd "$1" || exit 1

roots=$(for root in src include tests assets README.md; do [ ! -e $root ] || echo $root; done)
# shellcheck disable=SC2086
bad=$(grep -rniE --include='*.[ch]' --include='*.[ch]pp' --include='*.sh' --include='*.p[lm]' --include='*.t' --include='*.rb' \
    --include='*.md' --include='*.[17]*' --include=CMakeLists.txt --exclude=words.sh --exclude=selftest.sh \
    -e '\bin sum\b' -e '\b(told|tells?) of\b' -e '\bwish(es|ed)?\b' -e '\bpassed over\b' -e '\blets? go\b' -e '\bnobody (knows|uses)\b' \
    -e '\bwhoever\b' -e '\b(is|are|was|were) told\b' -e '\bof one mind\b' -e '\bto be had\b' -e '\bfit to be shown\b' \
    -e '\bwritten over\b' -e '\bby turns\b' -e '\bon the spot\b' -e '\b(is|are|was|were|be|been) looked at\b' -e '\bsays? of\b' -e '(^|[^$])\bsaid of\b' -e '\bscribe\b' \
    -e '\bmakes? no sense\b' -e '\b(has|have) been said\b' $roots)
[ -z "$bad" ] && exit 0
echo "$bad"
echo "write: summarized (in sum); reports, lists, covers (tells of); request (wish); skipped (passed over); discarded,"
echo "released (lets go); unknown, unused (that nobody knows); a noun (whoever); gets (is told); consistent (of one mind); available (to be had); escaped (fit to"
echo "be shown); overwritten (written over); is invalid (makes no sense); was printed (has been said); in turns (by turns);"
echo "first (on the spot); is read, selected, shown (is looked at); describes, lists (says of); writer (scribe)"
exit 1
