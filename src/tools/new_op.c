/* `softascend new-op NAME`: a folder with a custom TensorFlow op that works as it is written, made
 * of the templates in share/softascend/new-op. */
#include "tools/tools.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAME 48

static const struct {
    const char *template, *before, *after; /* the file is before NAME after, or before alone */
} files[] = {
    {"CMakeLists.txt", "CMakeLists.txt", NULL},
    {"README.md", "README.md", NULL},
    {"kernel.cpp", "", "_kernel.cpp"},
    {"tiling.h", "", "_tiling.h"},
    {"op.cc", "", "_op.cc"},
    {"wrapper.py", "", ".py"},
    {"test.py", "test_", ".py"},
};

typedef struct names {
    const char *name;
    char camel[MAX_NAME + 1], upper[MAX_NAME + 1];
    char home[PATH_MAX];
} names;

/* What is no name in C++ or Python, would hide a module that its test imports, is a target of
 * CMake's own, or another thing's name in the templates. */
static bool is_taken(const char *name)
{
    static const char taken[] =
        " "
        /* C++, Python */
        "alignas and as asm assert async auto await bool break case catch char class const "
        "continue def default del delete do double elif else except explicit export extern "
        "false finally float for friend from global goto half if import in inline int is lambda "
        "long mutable namespace new nonlocal not or pass private protected public raise "
        "register return short signed sizeof static switch template throw true try typedef "
        "typename union unsigned using virtual void volatile while with xor yield "
        /* Python's modules */
        "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop "
        "base64 bdb binascii binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code "
        "codecs codeop collections colorsys compileall concurrent configparser contextlib "
        "contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal "
        "difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl "
        "filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass "
        "gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp "
        "importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging "
        "lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt "
        "multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator "
        "optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib "
        "poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc "
        "pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy "
        "sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr "
        "socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat "
        "statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog "
        "tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit "
        "tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types "
        "typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser "
        "winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo "
        /* modules that the test needs */
        "keras numpy pip pytest softascend tensorflow "
        /* CMake */
        "all clean help install package test "
        /* the templates */
        "dtype got graph n np npu numeric shape tf x y ";
    char word[MAX_NAME + 3];
    return snprintf(word, sizeof word, " %s ", name) < (int)sizeof word && strstr(taken, word);
}

/* Lower-case words that begin with letters, joined by single underscores. */
static bool is_name(const char *name)
{
    char before = '_';
    for (const char *c = name; *c; before = *c++) {
        bool letter = *c >= 'a' && *c <= 'z', digit = *c >= '0' && *c <= '9';
        if (before == '_' ? !letter : !letter && !digit && *c != '_') {
            return false;
        }
    }
    return before != '_' && strlen(name) <= MAX_NAME;
}

static void spell(names *n)
{
    char *camel = n->camel, *upper = n->upper;
    bool begins = true;
    for (const char *c = n->name; *c; c++) {
        *upper++ = (char)toupper((unsigned char)*c);
        if (*c != '_') {
            *camel++ = begins ? (char)toupper((unsigned char)*c) : *c;
        }
        begins = *c == '_';
    }
    *camel = *upper = '\0';
}

/* HOME of HOME/bin/softascend. */
static bool find_home(char home[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", home, PATH_MAX - 1);
    home[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(home, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    return true;
}

/* Copies a template with @name@ and its like replaced. */
static int fill(const names *n, FILE *from, FILE *to)
{
    const struct {
        const char *mark, *text;
    } marks[] = {
        {"@name@", n->name}, {"@Name@", n->camel}, {"@NAME@", n->upper}, {"@home@", n->home}};
    char line[1024];
    while (fgets(line, sizeof line, from)) {
        for (const char *c = line; *c;) {
            size_t m = 0;
            while (m < 4 && strncmp(c, marks[m].mark, 6)) {
                m++;
            }
            if (m < 4) {
                fputs(marks[m].text, to);
                c += 6;
            } else {
                fputc(*c++, to);
            }
        }
    }
    return ferror(from) || ferror(to) ? -1 : 0;
}

static int write_one(const names *n, const char *folder, size_t i)
{
    char from_path[PATH_MAX + 64], to_path[PATH_MAX + 128];
    snprintf(from_path, sizeof from_path, "%s/share/softascend/new-op/%s.in", n->home,
             files[i].template);
    snprintf(to_path, sizeof to_path, "%s/%s%s%s", folder, files[i].before,
             files[i].after ? n->name : "", files[i].after ? files[i].after : "");
    const char *wrong = from_path;
    FILE *from = fopen(from_path, "r"), *to = NULL;
    int error = !from;
    if (!error) {
        wrong = to_path;
        to = fopen(to_path, "wx");
        error = !to || fill(n, from, to);
    }
    if (to && fclose(to)) {
        error = 1;
    }
    if (error) {
        fprintf(stderr, "softascend new-op: %s: %s\n", wrong, strerror(errno));
    }
    if (from) {
        fclose(from);
    }
    return error;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    names *n = state->input;
    if (key == ARGP_KEY_ARG && !n->name) {
        n->name = arg;
    } else if (key == ARGP_KEY_END && !n->name) {
        argp_error(state, "which name has the op?");
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int sa_tool_new_op(int argc, char **argv)
{
    static const char doc[] =
        "Writes a custom TensorFlow op into the new folder NAME: a kernel in Ascend C, its tiling, "
        "the op in C++, a Python wrapper with the gradient, a CMake file and a test, which passes "
        "as it is written.\v"
        "NAME is of lower-case letters and digits, words joined by underscores: leaky_relu.";
    static const struct argp argp = {.parser = parse, .args_doc = "NAME", .doc = doc};
    names n = {0};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &n);
    if (!is_name(n.name) || is_taken(n.name)) {
        fprintf(stderr,
                "softascend new-op: \"%s\" cannot be an op's name: it takes lower-case letters and "
                "digits, up to %d, words joined by underscores, and no word that C++, Python, "
                "one of its modules, CMake or the templates keep for themselves\n",
                n.name, MAX_NAME);
        return 2;
    }
    spell(&n);
    if (!find_home(n.home)) {
        fprintf(stderr, "softascend new-op: cannot tell where this program is\n");
        return 1;
    }
    if (mkdir(n.name, 0777)) {
        fprintf(stderr, "softascend new-op: %s: %s\n", n.name,
                errno == EEXIST ? "exists already; choose another name, or remove it"
                                : strerror(errno));
        return 2;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (write_one(&n, n.name, i)) {
            return 1;
        }
    }
    printf("%s/ is written. Build and test it with the Python that has TensorFlow:\n\n"
           "  cmake -S %s -B %s/build -DPython3_EXECUTABLE=$(which python3)\n"
           "  cmake --build %s/build\n"
           "  ctest --test-dir %s/build --output-on-failure\n\n"
           "Then make %s/%s_kernel.cpp compute what you want; %s/README.md says what is where.\n",
           n.name, n.name, n.name, n.name, n.name, n.name, n.name, n.name);
    return 0;
}
