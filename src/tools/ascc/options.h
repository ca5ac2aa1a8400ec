/* ascc's command line: its own options, the vendor's, and everything that g++ takes. */
#ifndef ASCC_OPTIONS_H
#define ASCC_OPTIONS_H

#include "tools/ascc/text.h"

typedef enum stage { STAGE_LINK, STAGE_OBJECT, STAGE_ASSEMBLY, STAGE_PREPROCESS } stage;

typedef struct options {
    const char *compiler;
    words flags;        /* for the compiler: neither files nor what is in the fields below */
    words dependencies; /* -MD, -MF …: for the preprocessor only */
    words link;         /* what is linked, in order; a source stands as itself */
    words sources;      /* C++ to be rewritten */
    stage stage;
    const char *output;
    const char *headers;                       /* folder for aclrtlaunch_*.h, or NULL */
    bool only_headers, keep, dry_run, nothing; /* nothing to compile: the compiler answers */
    bool writes_dependencies, names_dependencies, names_target;
    bool has_std, has_level, has_debug, relocatable;
    int arch;        /* __NPU_ARCH__ */
    const char *soc; /* the chip's name, "" if only its architecture is given, NULL: neither */
    const char *op_project, *op_library; /* a folder, what the library is called */
    words op_hosts, op_kernels;
} options;

/* Ends the program for --help, --version and what is wrong. */
void options_parse(options *o, int argc, char **argv);

#endif
