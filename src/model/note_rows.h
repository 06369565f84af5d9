/*
 * Every kind of note: NOTE_KIND(NAME, FORM, category, words) is RV_NOTE_NAME, of RV_NOTE_FORM_FORM, and is called by the words
 * in outputs, and by the category in formats that have these. No words: it has names, or states, of its own. Included where
 * NOTE_KIND is defined.
 */
/* clang-format off */

NOTE_KIND(GC, PAUSE, "gc", "GC")
NOTE_KIND(LOST, LOSS, "lost", "lost events")
NOTE_KIND(MARK, MARK, "", "")
NOTE_KIND(VALUE, VALUE, "", "")
NOTE_KIND(STATE, STATE, "state", "")
NOTE_KIND(PREEMPTED, OFF_CPU, "", "runnable") /* the thread was runnable, but on no CPU */
NOTE_KIND(BLOCKED, OFF_CPU, "", "blocked") /* the thread waited */
NOTE_KIND(AWAY, OFF_CPU, "", "suspended") /* another stack of the thread was current */
NOTE_KIND(UNKNOWN, GAP, "", "not known") /* its state is not known: changes of it were lost */
