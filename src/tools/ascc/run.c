/* Runs commands and keeps the folder of intermediate files. */
#include "tools/ascc/run.h"

#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool run_shows;

static char *folder;

static void show(const words *command)
{
    for (size_t i = 0; i < command->count; i++) {
        bool plain = command->at[i][0] &&
                     !command->at[i][strcspn(command->at[i], " \t\"'$&|;<>()*?[]#~`\\")];
        fprintf(stderr, plain ? "%s%s" : "%s'%s'", i ? " " : "", command->at[i]);
    }
    fputc('\n', stderr);
}

static int missing(const char *program, int error)
{
    if (error == ENOENT && !strchr(program, '/')) {
        fprintf(stderr,
                "ascc: error: %s is not installed; install it (Debian, Ubuntu: apt-get install g++ "
                "binutils), or name another compiler with --compiler or CXX\n",
                program);
    } else {
        fprintf(stderr, "ascc: error: %s: %s\n", program, strerror(error));
    }
    return 127;
}

/* Starts it; with `out`, what it prints can be read there. 0, or an error number. */
static int start(const words *command, pid_t *pid, int *out)
{
    int pipes[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (out && !pipe(pipes)) {
        posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, pipes[0]);
        posix_spawn_file_actions_addclose(&actions, pipes[1]);
    }
    int error = posix_spawnp(pid, command->at[0], &actions, NULL, (char **)command->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (out) {
        close(pipes[1]);
        *out = pipes[0];
    }
    return error;
}

static int finish(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run(const words *command, text *out)
{
    if (run_shows) {
        show(command);
        return 0;
    }
    pid_t pid;
    int from;
    int error = start(command, &pid, out ? &from : NULL);
    if (out) {
        char block[4096];
        ssize_t got;
        while (!error && (got = read(from, block, sizeof block)) > 0) {
            text_add(out, block, (size_t)got);
        }
        close(from);
    }
    return error ? missing(command->at[0], error) : finish(pid);
}

int run_all(const words *commands, size_t count)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors > 1 ? (size_t)processors : 1, begun = 0, ended = 0;
    pid_t *pids = grow(NULL, (count + 1) * sizeof *pids);
    int code = 0;
    while (run_shows && begun < count) {
        show(&commands[begun++]);
    }
    while (!run_shows && ended < count && (ended < begun || !code)) {
        if (begun < count && begun - ended < most && !code) {
            int error = start(&commands[begun], &pids[begun], NULL);
            code = error ? missing(commands[begun].at[0], error) : 0;
            begun += !error;
            continue;
        }
        int one = finish(pids[ended++]);
        code = code ? code : one;
    }
    free(pids);
    return code;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s, (void)type, (void)ftw;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *temporary_folder(void)
{
    if (!folder) {
        const char *parent = getenv("TMPDIR");
        folder = say("%s/ascc-XXXXXX", parent && *parent ? parent : "/tmp");
        if (!mkdtemp(folder)) {
            fprintf(stderr, "ascc: error: %s: %s\n", folder, strerror(errno));
            exit(1);
        }
        atexit(remove_folder);
    }
    return folder;
}

char *temporary(const char *name)
{
    static int number;
    char *inside = say("%s/%d", temporary_folder(), number++);
    mkdir(inside, 0700);
    return say("%s/%s", inside, name);
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *stem(const char *path)
{
    const char *name = base_name(path), *dot = strrchr(name, '.');
    return say("%.*s", (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
}
