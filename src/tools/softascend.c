/* The program `softascend`: what one does with the device outside of a program that uses it. */
#include "tools/tools.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"time", sa_tool_time},
    {"info", sa_tool_info},
    {"new-op", sa_tool_new_op},
};

/* libc looks it up by name */
__attribute__((visibility("default"))) const char *argp_program_version = "softascend " SA_VERSION;

static const char doc[] =
    "An Ascend NPU in software.\n\n"
    "Commands:\n"
    "  time FILE   cycles of the kernels in a trace, on a chip's rates\n"
    "  info        the devices, the chip, what this CPU runs instructions with\n"
    "  new-op NAME a folder with a custom TensorFlow op in Ascend C, ready to build\v"
    "`softascend COMMAND --help` says more. A trace is recorded by running a program with "
    "SOFTASCEND_TRACE=FILE; SOFTASCEND_CHECK=race reports races while a program runs.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_NO_ARGS) {
        argp_usage(state);
    }
    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (!strcmp(arg, commands[i].name)) {
            int argc = state->argc - state->next + 1;
            char **argv = &state->argv[state->next - 1];
            static char name[64];
            strcpy(stpcpy(name, "softascend "), commands[i].name);
            argv[0] = name;
            exit(commands[i].run(argc, argv));
        }
    }
    argp_error(state, "unknown command '%s'", arg);
    return EX_USAGE;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {.parser = parse, .args_doc = "COMMAND [ARG…]", .doc = doc};
    return argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
}
