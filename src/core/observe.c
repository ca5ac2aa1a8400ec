/* Which observer the environment asks for. */
#include "core/observe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sa_observer *active;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
    const char *check = getenv("SOFTASCEND_CHECK"), *trace = getenv("SOFTASCEND_TRACE");
    if (check && *check) {
        if (strcmp(check, "race") == 0 || strcmp(check, "race,fail") == 0)
            active = &sa_check_race;
        else
            fprintf(stderr, "softascend: SOFTASCEND_CHECK is '%s'; there are: race and race,fail\n",
                    check);
    }
    if (trace && *trace) {
        if (active)
            fprintf(stderr,
                    "softascend: SOFTASCEND_TRACE is ignored while SOFTASCEND_CHECK is set\n");
        else
            active = &sa_trace;
    }
}

const sa_observer *sa_observer_active(void)
{
    pthread_once(&once, choose);
    return active;
}
