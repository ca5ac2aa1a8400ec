/* What a chip is: counts, sizes and rates, read from a data file (chips/<name>.ini). */
#ifndef SA_CHIP_H
#define SA_CHIP_H

#include "softascend/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sa_chip {
    char name[32]; /* what aclrtGetSocName answers, for example "Ascend910B1" */
    int arch;      /* 2201 for 910B */
    int split;     /* 1: cube and vector cores are apart (910B); 0: one coupled core */
    uint32_t ai_cores;
    uint32_t vector_cores_per_ai_core;
    double frequency_ghz;
    /* sizes in bytes */
    uint64_t hbm_bytes, l2_bytes;
    uint32_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes, bt_bytes;
    /* bandwidth shared by all cores, bytes a second; and one core's paths, bytes a cycle */
    double hbm_bytes_per_second;
    double hbm_bytes_per_cycle, l2_read_bytes_per_cycle, l2_write_bytes_per_cycle;
    double l1_l0a_bytes_per_cycle, l1_l0b_bytes_per_cycle;
    double l0c_out_bytes_per_cycle, ub_gm_bytes_per_cycle, ub_ub_bytes_per_cycle;
    /* cube: multiply-adds a cycle of a fractal, by input type */
    double cube_f16_macs_per_cycle, cube_f32_macs_per_cycle, cube_i8_macs_per_cycle;
    /* vector: bytes of a repeat, cycles of a start and of a repeat by cost class */
    uint32_t vector_repeat_bytes;
    double vector_start_cycles, vector_simple_cycles, vector_exp_cycles, vector_div_cycles;
    double vector_reduce_cycles;
    double move_start_cycles, cube_start_cycles, flag_cycles, scalar_cycles;
} sa_chip;

/* Reads the chip file `path`. Unknown key, missing key or nonsense value: SA_ERR_INVALID_FILE and a
 * message with file, line and key. */
SA_API sa_status sa_chip_read(const char *path, sa_chip *chip);

/* The same on `length` bytes of text; `file` is the name that messages give it. */
sa_status sa_chip_parse(const char *text, size_t length, const char *file, sa_chip *chip);

/* Reads a chip by name (looked for in the chips folder beside the library) or, if `name` has a '/'
 * or ends in .ini, by path. An unknown name's message lists the names there are. */
SA_API sa_status sa_chip_find(const char *name, sa_chip *chip);

/* The chip that stands for an architecture: 2002 Ascend310P3, 1001 Ascend910A, else Ascend910B1. */
const char *sa_chip_of_arch(int arch);

/* The process's chip: $SOFTASCEND_CHIP, else the preferred one (sa_platform_prefer), else
 * Ascend910B1, read once. On failure returns NULL and sets
 * the calling thread's message; the failure is remembered, later calls answer the same. */
SA_API const sa_chip *sa_chip_default(void);

#endif
