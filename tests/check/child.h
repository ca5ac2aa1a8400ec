/* Runs a case in a child process and lets it look at its own stderr: for what is chosen once a
 * process or said once a process. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *child_output; /* what stderr is while captured */

#define CHILD_ASSERT(condition, text)                                                              \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s; stderr was:\n%s\n", __FILE__, __LINE__, #condition, text);          \
            fflush(stdout);                                                                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static int saved_stderr;

static inline void capture_begin(void)
{
    fflush(stderr);
    saved_stderr = dup(2);
    child_output = tmpfile();
    dup2(fileno(child_output), 2);
}

static inline void capture_end(char *text, size_t bytes)
{
    fflush(stderr);
    dup2(saved_stderr, 2);
    close(saved_stderr);
    rewind(child_output);
    text[fread(text, 1, bytes - 1, child_output)] = 0;
    fclose(child_output);
}

static inline void run_child(int (*run)(const void *arg), const void *arg)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        _exit(run(arg));
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

#endif
