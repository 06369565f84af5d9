/*
 * Push and drain of one ring as ring/push.h, push.c, room.c and ring.c have them, on a processor that reorders.
 *
 * WEAK (aarch64): a thread's stores become visible, and its loads are made, in any order that its own orderings allow;
 * what is visible is so for all. Else (x86): stores become visible in order, loads are made in order, and no ordering
 * of ours costs an instruction.
 *
 * POLICY is one of those below. A slot has two halves, so that a torn event shows. A pushed event is its number.
 * Under BLOCK the producer may find the consumer gone, and back, at any time at which it asks.
 *
 * Each NO_x leaves out the ordering x of ring/ring.h (D1: of ring/ownership.h): the model must fail then. There is no
 * NO_P2: no processor makes a store before the branch that it depends on is decided.
 */
#define BLOCK 0
#define SWITCH 1
#define FILL 2
#define RING 3

#ifndef GUARD
#define GUARD 1
#endif
#ifndef PUSHES
#define PUSHES 4 /* two laps */
#endif
#define SIZE 2   /* slots */
#define CHUNK 2  /* pushes between two looks at the tail */
#define BUFFER 5 /* stores on their way */
#define LOST 100 /* a LOST event */

#ifdef NO_P1
#define PUBLISHES false
#else
#define PUBLISHES true
#endif
#ifdef NO_P3
#define FENCES false
#else
#define FENCES true
#endif
#ifdef NO_P4
#define TELLS false
#else
#define TELLS true
#endif
#ifdef NO_D1
#define LEAVES false
#else
#define LEAVES true
#endif

/* What is visible to all. */
#define HEAD 0
#define OVERWRITING 1
#define DONE 2
#define LEFT(slot) (3 + (slot))
#define RIGHT(slot) (3 + SIZE + (slot))
byte memory[3 + 2 * SIZE];
byte tail;

byte wrote[PUSHES + 2]; /* by place: what the producer has put there */
byte refused, marks;
bool may_be_gone;

/* ---- the producer's stores ---- */

byte store_at[BUFFER], store_value[BUFFER], n_stores;
bool is_release[BUFFER], is_behind_fence[BUFFER];

inline store(address, value, releases, fenced) {
    atomic {
        n_stores < BUFFER;
        store_at[n_stores] = address;
        store_value[n_stores] = value;
        is_release[n_stores] = releases;
        is_behind_fence[n_stores] = fenced;
        n_stores++
    }
}

/* One of them becomes visible, if it may overtake all that are before it. */
active proctype stores() {
    byte i, j;
    bool can;
end:
    do
    :: atomic {
           n_stores > 0;
#ifdef WEAK
           do
           :: i + 1 < n_stores -> i++
           :: break
           od;
#endif
           can = !(is_release[i] && i > 0);
           j = i;
           do
           :: j > 0 ->
              can = can && !is_behind_fence[j] && store_at[j - 1] != store_at[i];
              j--
           :: else -> break
           od;
           if
           :: can ->
              memory[store_at[i]] = store_value[i];
              do
              :: i + 1 < n_stores ->
                 store_at[i] = store_at[i + 1];
                 store_value[i] = store_value[i + 1];
                 is_release[i] = is_release[i + 1];
                 is_behind_fence[i] = is_behind_fence[i + 1];
                 i++
              :: else -> break
              od;
              n_stores--;
              store_at[n_stores] = 0;
              store_value[n_stores] = 0;
              is_release[n_stores] = false;
              is_behind_fence[n_stores] = false
           :: else
           fi;
           i = 0;
           can = false
       }
    od
}

/* ---- push ---- */

inline append(value) {
    wrote[head] = value;
    store(LEFT(head % SIZE), value, false, FENCES);
    store(RIGHT(head % SIZE), value, false, false);
    head++;
    store(HEAD, head, PUBLISHES, false)
}

inline append_lost() {
    marks++;
    append(LOST);
    n_lost = 0
}

/* Is the consumer gone? Says so. */
inline look_at_consumer() {
    if
    :: may_be_gone -> is_gone = true
    :: is_gone = false
    fi;
    store(OVERWRITING, is_gone, TELLS, false)
}

inline count_free() {
    d_step {
#if POLICY == RING
        n_free = SIZE
#elif POLICY == FILL
        n_free = (head < SIZE - 1 -> SIZE - 1 - head : 0)
#elif POLICY == SWITCH
        n_free = (head - tail < SIZE -> SIZE - (head - tail) : 0)
#else
        n_free = (is_gone -> SIZE : (head - tail < SIZE -> SIZE - (head - tail) : 0))
#endif
    }
}

active proctype producer() {
    byte head, n_free, n_quick, n_lost, event = 1;
    bool is_gone, is_closed;
    if
    :: may_be_gone = true
    :: skip
    fi;
    do
    :: event > PUSHES -> break
    :: event <= PUSHES && n_quick > 0 ->
       append(event);
       n_quick--;
       event++
    :: event <= PUSHES && n_quick == 0 ->
       count_free();
#if POLICY == BLOCK
       do
       :: n_free == 0 ->
          look_at_consumer();
          count_free()
       :: else -> break
       od;
#endif
       if
       :: is_closed || n_free < (n_lost > 0 -> 2 : 1) ->
          refused++;
          n_lost++;
          if
          :: POLICY == FILL && !is_closed ->
             is_closed = true;
             append_lost()
          :: else
          fi
       :: else ->
          if
          :: n_lost > 0 -> append_lost()
          :: else
          fi;
          append(event)
       fi;
       event++;
#if POLICY == BLOCK
       if
       :: is_gone -> look_at_consumer()
       :: else
       fi;
#endif
       count_free();
       n_quick = (is_closed || n_lost > 0 -> 0 : (n_free < CHUNK -> n_free : CHUNK))
    od;
    store(DONE, true, LEAVES, false)
}

/* ---- drain ---- */

/* The loads of a pop, and its store of the tail, as bits in the program's order. */
#define W1 1 /* does the producer pass the tail? */
#define D1 2 /* is it done? */
#define H1 4 /* head */
#define C(n) (8 << (n)) /* the copy: left halves, then right ones */
#define W2 128
#define D2 256
#define H2 512
#define TAIL 1024
#define COPIES (C(0) | C(1) | C(2) | C(3))

/* What each comes after. */
#ifndef WEAK
#define AFTER(step, steps) ((step) - 1)
#else
#define AFTER(step, steps) (steps)
#endif
#ifdef NO_C1
#define BY_C1 0
#else
#define BY_C1 H1
#endif
#ifdef NO_C2
#define BY_C2 (W1 | D1 | H1)
#else
#define BY_C2 (TAIL - 1)
#endif
#ifdef NO_C4
#define BY_C4(step) 0
#else
#define BY_C4(step) step
#endif
#define BY_LOADS (D1 | BY_C4(W1) | BY_C1)
#ifdef NO_C3
#define BY_C3 BY_LOADS
#else
#define BY_C3 (W1 | D1 | H1 | COPIES)
#endif

#define MAKE(step, steps) (to_do & (step)) && !(to_do & AFTER(step, steps)) -> to_do = to_do - (step)
#define OLDEST(head, from, guard) \
    ((head) > (from) && (head) - (from) > SIZE - (guard) -> (head) - (SIZE - (guard)) : (from))

inline pop() {
    to_do = 2 * TAIL - 1;
    do
    :: d_step { MAKE(W1, 0); passed = POLICY == RING || memory[OVERWRITING] }
    :: d_step { MAKE(D1, BY_C4(W1)); is_done = memory[DONE] }
    :: d_step { MAKE(H1, D1 | BY_C4(W1)); first_head = memory[HEAD] }
    :: d_step { MAKE(C(0), BY_LOADS); copies[0] = memory[LEFT(0)] }
    :: d_step { MAKE(C(1), BY_LOADS); copies[1] = memory[LEFT(1)] }
    :: d_step { MAKE(C(2), BY_LOADS); copies[2] = memory[RIGHT(0)] }
    :: d_step { MAKE(C(3), BY_LOADS); copies[3] = memory[RIGHT(1)] }
    :: d_step { MAKE(W2, W1 | BY_C3); passes = POLICY == RING || memory[OVERWRITING] }
    :: d_step { MAKE(D2, D1 | BY_C3 | BY_C4(W2)); is_done_now = memory[DONE] }
    :: d_step { MAKE(H2, H1 | D2 | BY_C3 | BY_C4(W2)); last_head = memory[HEAD] }
    :: d_step {
           MAKE(TAIL, BY_C3 | BY_C2);
           begin = OLDEST(first_head, old_tail, (passed && !is_done -> GUARD : 0));
           tail = (first_head > begin -> first_head : begin)
       }
    :: to_do == 0 -> break
    od
}

/* What was copied and is not overwritten is what was pushed there. */
inline check() {
    n = (first_head > begin -> first_head - begin : 0);
    i = OLDEST(last_head, begin, ((passed || passes) && !is_done_now -> GUARD : 0)) - begin;
    i = (i < n -> i : n);
    overwritten = overwritten + begin + i - old_tail;
    do
    :: i < n ->
       slot = (begin + i) % SIZE;
       assert(copies[slot] == wrote[begin + i]);
       assert(copies[SIZE + slot] == wrote[begin + i]);
       delivered = delivered + (wrote[begin + i] == LOST -> 0 : 1);
       i++
    :: else -> break
    od
}

active proctype consumer() {
    byte old_tail, first_head, last_head, begin, n, i, slot, overwritten, delivered;
    byte copies[2 * SIZE];
    bool was_done, passed, passes, is_done, is_done_now;
    short to_do;
    do
    :: was_done = memory[DONE];
       old_tail = tail;
       pop();
       skip;
       d_step {
           check();
           begin = 0;
           n = 0;
           i = 0;
           slot = 0;
           first_head = 0;
           last_head = 0;
           copies[0] = 0;
           copies[1] = 0;
           copies[2] = 0;
           copies[3] = 0;
           passed = false;
           passes = false;
           is_done = false;
           is_done_now = false
       };
       if
       :: was_done && memory[HEAD] == tail -> break
       :: else
       fi
    od;
    /* rv_ring_account() */
    assert(memory[HEAD] - marks + refused == PUSHES);
    assert(delivered + overwritten + refused == PUSHES);
#if POLICY == SWITCH || POLICY == FILL
    assert(overwritten == 0);
#elif POLICY == BLOCK
    assert(refused == 0 && (may_be_gone || overwritten == 0));
#endif
}
