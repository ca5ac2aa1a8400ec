/* The calling thread's last error text, and errors that travel between threads. */
#include "softascend/status.h"

#include <stdio.h>

static __thread char last[SA_MESSAGE_BYTES];

sa_status sa_fail(sa_status code, const char *format, ...)
{
    /* through a copy: an argument may be the last text itself */
    char text[SA_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(last, sizeof last, "%s", text);
    return code;
}

const char *sa_last_message(void)
{
    return last;
}

void sa_clear_message(void)
{
    last[0] = '\0';
}

sa_status sa_error_set(sa_error *error, sa_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return code;
}
