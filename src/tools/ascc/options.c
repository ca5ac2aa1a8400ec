/* ascc's command line: its own options, the vendor's, and everything that g++ takes. */
#include "tools/ascc/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static const char help[] =
    "Usage: ascc [OPTION...] FILE...\n"
    "Compiles Ascend C kernels (.cpp .cc .cxx .asc) and host files with g++, launches\n"
    "k<<<blocks, l2ctrl, stream>>>(...) included, and links them with SoftAscend.\n"
    "g++'s own options (-c -o -I -D -O -g -std -shared -fPIC -l -L ...) mean what they mean "
    "there.\n"
    "\n"
    "  --compiler=PROGRAM     the C++ compiler (default: $CXX, else g++)\n"
    "  --launch-headers=DIR   write aclrtlaunch_KERNEL.h for every kernel into DIR\n"
    "  --headers-only         write them and stop\n"
    "  --op-project=DIR       build DIR/op_host and DIR/op_kernel into aclnn operators: with -o "
    "OUT,\n"
    "                         OUT/op_api/include/aclnn_OP.h and OUT/op_api/lib/libcust_opapi.so\n"
    "  --op-host=FILE, --op-kernel=FILE   one source of such a project, instead of the folder\n"
    "  --op-library=NAME      libNAME.so instead of libcust_opapi.so\n"
    "  --keep                 keep the rewritten file beside the output (NAME.ascc.ii)\n"
    "  --dry-run, -###        show the commands, run none\n"
    "  --npu-arch=ARCH        dav-2201 (default), dav-2002, dav-1001: what __NPU_ARCH__ is\n"
    "  --soc-version=NAME     Ascend910B1 and so on: the architecture by a chip's name; it is\n"
    "                         then the chip that the program runs on, unless SOFTASCEND_CHIP says\n"
    "  --run-mode=MODE, -xasc, --cce-..., -mllvm OPTION, -dc: taken, without effect here\n"
    "  --help, --version\n"
    "\n"
    "Defaults: -std=c++17; -O2 -g1 unless -O or -g is given. The exit code is g++'s.\n";

static void wrong(const char *format, const char *word)
{
    fprintf(stderr, "ascc: error: ");
    fprintf(stderr, format, word);
    fprintf(stderr, "; see ascc --help\n");
    exit(EX_USAGE);
}

/* An option that means nothing when the chip is this machine. */
static bool ignored(const char *word)
{
    static const char *const prefixes[] = {"--run-mode", "--cce-",  "-cce-",     "--asc-",
                                           "-Xaicore-",  "-Xhost-", "--npu-soc", "--core-type"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (starts(word, prefixes[i])) {
            return true;
        }
    }
    return !strcmp(word, "-dc") || !strcmp(word, "--enable-simulator");
}

/* g++'s options whose value is the next word. */
static bool takes_value(const char *word)
{
    static const char *const names[] = {
        "-I",       "-D",           "-U",      "-L",        "-l",         "-include",
        "-imacros", "-isystem",     "-iquote", "-isysroot", "-idirafter", "-iprefix",
        "-Xlinker", "-Xassembler",  "-T",      "-u",        "-z",         "-Xpreprocessor",
        "--param",  "-B",           "-arch",   "-aux-info", "--sysroot",  "-target",
        "-Xclang",  "-iwithprefix", "-e"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(word, names[i])) {
            return true;
        }
    }
    return false;
}

static bool links(const char *word)
{
    return starts(word, "-l") || starts(word, "-L") || starts(word, "-Wl,") ||
           !strcmp(word, "-Xlinker") || !strcmp(word, "-T") || !strcmp(word, "-u") ||
           !strcmp(word, "-z");
}

static bool is_source(const char *path, const char *language)
{
    static const char *const endings[] = {".cpp", ".cc", ".cxx", ".asc", ".C", ".c++", ".cce"};
    if (language) {
        return !strcmp(language, "c++") || !strcmp(language, "asc") || !strcmp(language, "cce");
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (ends(path, endings[i])) {
            return true;
        }
    }
    return false;
}

static int arch_number(const char *text)
{
    static const struct {
        const char *name;
        int arch;
    } known[] = {{"2201", 2201},         {"c220", 2201},         {"ascend910b", 2201},
                 {"ascend910_93", 2201}, {"2002", 2002},         {"m200", 2002},
                 {"ascend310p", 2002},   {"1001", 1001},         {"ascend910a", 1001},
                 {"c100", 1001},         {"ascend910pro", 1001}, {"ascend910premium", 1001}};
    char *lower = say("%s", text);
    for (char *c = lower; *c; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strstr(lower, known[i].name)) {
            return known[i].arch;
        }
    }
    wrong("the architecture of \"%s\" is not known; supported are dav-2201 (Ascend910B), dav-2002 "
          "(Ascend310P) and dav-1001 (Ascend910A)",
          text);
    return 0;
}

/* The value of --name=value or --name value; NULL if the word is another. */
static const char *value(const char *name, int argc, char **argv, int *i)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) || (argv[*i][n] && argv[*i][n] != '=')) {
        return NULL;
    }
    if (argv[*i][n] == '=') {
        return argv[*i] + n + 1;
    }
    if (*i + 1 == argc) {
        wrong("%s needs a value", name);
    }
    return argv[++*i];
}

static bool own(options *o, int argc, char **argv, int *i)
{
    const char *v, *word = argv[*i];
    if (!strcmp(word, "--help")) {
        fputs(help, stdout);
        exit(0);
    } else if (!strcmp(word, "--version")) {
        printf("ascc %s\n", SA_VERSION);
        exit(0);
    } else if (!strcmp(word, "--keep") || starts(word, "-save-temps") ||
               !strcmp(word, "--save-temps")) {
        o->keep = true;
    } else if (!strcmp(word, "--dry-run") || !strcmp(word, "-###")) {
        o->dry_run = true;
    } else if (!strcmp(word, "--headers-only")) {
        o->only_headers = true;
    } else if ((v = value("--compiler", argc, argv, i))) {
        o->compiler = v;
    } else if ((v = value("--launch-headers", argc, argv, i))) {
        o->headers = v;
    } else if ((v = value("--npu-arch", argc, argv, i)) ||
               (v = value("--cce-aicore-arch", argc, argv, i))) {
        o->arch = arch_number(v);
        o->soc = "";
    } else if ((v = value("--soc-version", argc, argv, i))) {
        o->arch = arch_number(v);
        o->soc = v;
    } else if ((v = value("--op-project", argc, argv, i))) {
        o->op_project = v;
    } else if ((v = value("--op-library", argc, argv, i))) {
        o->op_library = v;
    } else if ((v = value("--op-host", argc, argv, i))) {
        words_add(&o->op_hosts, v);
    } else if ((v = value("--op-kernel", argc, argv, i))) {
        words_add(&o->op_kernels, v);
    } else if (ignored(word)) {
        return true;
    } else if (!strcmp(word, "-mllvm")) {
        ++*i;
    } else {
        return false;
    }
    return true;
}

/* -MD, -MF FILE and so on. */
static bool dependency(options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    bool file = starts(word, "-MF"), target = starts(word, "-MT") || starts(word, "-MQ");
    if (!strcmp(word, "-MD") || !strcmp(word, "-MMD")) {
        o->writes_dependencies = true;
    } else if (strcmp(word, "-MP") && strcmp(word, "-MG") && !file && !target) {
        return false;
    }
    o->names_dependencies |= file;
    o->names_target |= target;
    words_add(&o->dependencies, word);
    if ((file || target) && !word[3] && *i + 1 < argc) {
        words_add(&o->dependencies, argv[++*i]);
    }
    return true;
}

static void file(options *o, const char *path, const char *language)
{
    if (is_source(path, language)) {
        words_add(&o->sources, path);
        words_add(&o->link, path);
        return;
    }
    if (language) {
        words_add(&o->link, "-x");
        words_add(&o->link, language);
    }
    words_add(&o->link, path);
    if (language) {
        words_add(&o->link, "-x");
        words_add(&o->link, "none");
    }
}

static void flag(options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    words *to = links(word) ? &o->link : &o->flags;
    o->has_std |= starts(word, "-std=") || !strcmp(word, "-ansi");
    o->has_level |= starts(word, "-O");
    o->has_debug |= starts(word, "-g") && strcmp(word, "-g0") != 0;
    o->relocatable |= !strcmp(word, "-r");
    words_add(to, word);
    if (takes_value(word) && *i + 1 < argc) {
        words_add(to, argv[++*i]);
    }
}

static void must_exist(const words *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (access(files->at[i], R_OK)) {
            wrong("%s: no such file, or not readable", files->at[i]);
        }
    }
}

void options_parse(options *o, int argc, char **argv)
{
    const char *language = NULL, *environment = getenv("CXX");
    *o = (options){.compiler = environment && *environment ? environment : "g++", .arch = 2201};
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];
        if (own(o, argc, argv, &i) || dependency(o, argc, argv, &i)) {
            continue;
        }
        if (starts(word, "-x")) {
            language = word[2] ? word + 2 : i + 1 < argc ? argv[++i] : "none";
            language = strcmp(language, "none") ? language : NULL;
        } else if (!strcmp(word, "-c")) {
            o->stage = STAGE_OBJECT;
        } else if (!strcmp(word, "-S")) {
            o->stage = STAGE_ASSEMBLY;
        } else if (!strcmp(word, "-E") || !strcmp(word, "-M") || !strcmp(word, "-MM")) {
            o->stage = STAGE_PREPROCESS;
            words_add(&o->flags, word);
        } else if (starts(word, "-o")) {
            o->output = word[2] ? word + 2 : i + 1 < argc ? argv[++i] : NULL;
            if (!o->output) {
                wrong("%s needs a file", word);
            }
        } else if (word[0] == '-' && word[1]) {
            flag(o, argc, argv, &i);
        } else {
            file(o, word, language);
        }
    }
    o->nothing = true;
    for (size_t i = 0; i < o->link.count; i++) {
        o->nothing &= o->link.at[i][0] == '-';
    }
    if (o->sources.count > 1 && o->output && o->stage != STAGE_LINK) {
        wrong("-o %s is one file, for several that are compiled", o->output);
    }
    must_exist(&o->sources);
    must_exist(&o->op_hosts);
    must_exist(&o->op_kernels);
}
