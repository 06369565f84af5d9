ringviz: 1 times a thread found no ring: its calls were not seen, 0 events; use --rings, or --trace-file where there is room; children of a program that became another user, or changed its root, find none
ringviz: noproc_h: functions could not be patched, and are not traced: hooks, patches of 0 of 3 functions (3 refused: 3 uses its return address)
