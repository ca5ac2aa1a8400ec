/* The calling thread's error text, as AscendCL hands it out, and the program's own log. */
#include "acl/acl.h"
#include "softascend/status.h"

#include <stdio.h>
#include <stdlib.h>

const char *aclGetRecentErrMsg(void)
{
    static _Thread_local char text[SA_MESSAGE_BYTES];
    const char *last = sa_last_message();
    if (!*last)
        return NULL;
    snprintf(text, sizeof text, "%s", last);
    sa_clear_message();
    return text;
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
               const char *fmt, ...)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    const char *wanted = getenv("ASCEND_GLOBAL_LOG_LEVEL");
    char text[1024];
    if (!fmt || logLevel < ACL_DEBUG || logLevel > ACL_ERROR ||
        (int)logLevel < (wanted && *wanted ? atoi(wanted) : ACL_ERROR))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "[%s] %s:%u %s: %s\n", names[logLevel], file ? file : "?", line,
            func ? func : "?", text);
}
