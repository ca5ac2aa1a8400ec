/* Code addresses to source lines, through the debug information of the modules in this process.
 * Without libdw: the symbol and module, from the dynamic linker. */
#define _GNU_SOURCE
#include "core/fiber.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A kernel's last call, compiled to a jump, has no line: say how to get one. */
static bool is_last_call(const void *pc, char *text, size_t bytes)
{
    if (pc != sa_fiber_called)
        return false;
    snprintf(text, bytes, "the kernel's last call (built without -fno-optimize-sibling-calls)");
    return true;
}

/* "_Z3addP7sa_corePv" -> "add": enough for a kernel's name. */
static void plain_name(const char *symbol, char *text, size_t bytes)
{
    int length = 0, used = 0;
    if (sscanf(symbol, "_Z%d%n", &length, &used) == 1 && length > 0 &&
        strlen(symbol + used) >= (size_t)length)
        snprintf(text, bytes, "%.*s", length, symbol + used);
    else
        snprintf(text, bytes, "%s", symbol);
}

static void module_offset(const void *pc, char *text, size_t bytes)
{
    Dl_info info;
    if (dladdr(pc, &info) && info.dli_fname)
        snprintf(text, bytes, "%s+0x%zx", base_name(info.dli_fname),
                 (size_t)((const char *)pc - (const char *)info.dli_fbase));
    else
        snprintf(text, bytes, "%p", pc);
}

#if SA_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

/* libdw is not thread-safe: one session under one lock, kept because opening it is what is slow. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Dwfl *session;

static Dwfl_Module *module_of(Dwarf_Addr address)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl_Module *module = session ? dwfl_addrmodule(session, address) : NULL;
    if (module)
        return module;
    /* the first time, or a library has been loaded since */
    if (!session && !(session = dwfl_begin(&callbacks)))
        return NULL;
    dwfl_report_begin_add(session);
    if (dwfl_linux_proc_report(session, getpid()) != 0 || dwfl_report_end(session, NULL, NULL) != 0)
        return NULL;
    return dwfl_addrmodule(session, address);
}

/* Not the user's: what the kernel's own line calls. */
static bool is_wrapper(const char *file)
{
    return strstr(file, "include/ascendc/") || strstr(file, "/include/c++/");
}

/* The compilation unit that holds `address`. Some compilers (clang) emit no index of addresses:
 * then every unit is asked. */
static Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

/* The innermost line outside the wrappers: the line table names the innermost inlined frame; each
 * inlined subroutine around it says where it was called from. */
static bool find_line(Dwarf_Addr address, const char **file, int *line)
{
    Dwarf_Addr bias;
    Dwfl_Module *module = module_of(address);
    Dwarf_Die *unit = module ? unit_of(module, address, &bias) : NULL, *scopes = NULL, *inlined;
    Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    if (!found || !(*file = dwarf_linesrc(found, NULL, NULL)) || dwarf_lineno(found, line))
        return false;
    Dwarf_Files *files;
    size_t count;
    if (!is_wrapper(*file) || dwarf_getsrcfiles(unit, &files, &count) ||
        dwarf_getscopes(unit, address - bias, &scopes) <= 0)
        return true;
    Dwarf_Die innermost = scopes[0];
    free(scopes);
    int depth = dwarf_getscopes_die(&innermost, &inlined);
    for (int i = 0; i < depth && is_wrapper(*file); i++) {
        Dwarf_Attribute attribute;
        Dwarf_Word call_file, call_line;
        if (dwarf_tag(&inlined[i]) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(&inlined[i], DW_AT_call_file, &attribute), &call_file) ||
            dwarf_formudata(dwarf_attr(&inlined[i], DW_AT_call_line, &attribute), &call_line))
            continue;
        const char *name = dwarf_filesrc(files, call_file, NULL, NULL);
        if (name) {
            *file = name;
            *line = (int)call_line;
        }
    }
    if (depth > 0)
        free(inlined);
    return true;
}

bool sa_source_line(const void *pc, char *text, size_t bytes)
{
    const char *file;
    int line;
    if (is_last_call(pc, text, bytes))
        return false;
    pthread_mutex_lock(&lock);
    bool found = find_line((Dwarf_Addr)(uintptr_t)pc - 1, &file, &line);
    bool users = found && !is_wrapper(file);
    if (found)
        snprintf(text, bytes, "%s:%d", base_name(file), line);
    pthread_mutex_unlock(&lock);
    if (!found)
        module_offset((const char *)pc - 1, text, bytes);
    return users;
}

void sa_source_function(const void *pc, char *text, size_t bytes)
{
    Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)pc - 1;
    pthread_mutex_lock(&lock);
    Dwfl_Module *module = module_of(address);
    const char *name = module ? dwfl_module_addrname(module, address) : NULL;
    if (name)
        plain_name(name, text, bytes);
    pthread_mutex_unlock(&lock);
    if (!name)
        module_offset((const char *)pc - 1, text, bytes);
}

#else

bool sa_source_line(const void *pc, char *text, size_t bytes)
{
    if (!is_last_call(pc, text, bytes))
        module_offset((const char *)pc - 1, text, bytes);
    return false;
}

void sa_source_function(const void *pc, char *text, size_t bytes)
{
    Dl_info info;
    if (dladdr((const char *)pc - 1, &info) && info.dli_sname)
        plain_name(info.dli_sname, text, bytes);
    else
        module_offset((const char *)pc - 1, text, bytes);
}
#endif
