/*
 * A statically linked program that was given the dynamic loader, so that our library is preloaded into it: the loader
 * is shown program headers of ours. Two types of them are for us alone:
 *   headers  where the program's own are: p_memsz of them at p_vaddr, which is not relative
 *   frames   .eh_frame, which such a program may have without an index
 */
#ifndef RV_BASE_STATIC_PROGRAM_H
#define RV_BASE_STATIC_PROGRAM_H

#define RV_STATIC_PROGRAM_HEADERS 0x6b727673u
#define RV_STATIC_PROGRAM_FRAMES 0x6b727674u

#endif
