/* Status codes of SoftAscend and the text that goes with the last one.
 *
 * The values are AscendCL's public ones, so that a status passes through aclrt* and aclnn* calls
 * unchanged (names: public AscendCL documentation). A function that fails makes its message where
 * the cause is known, once, with the values. */
#ifndef SOFTASCEND_STATUS_H
#define SOFTASCEND_STATUS_H

#include <stdarg.h>

#if defined(__GNUC__)
#define SA_API __attribute__((visibility("default")))
#define SA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SA_API
#define SA_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int sa_status;

enum {
    SA_OK = 0,
    SA_ERR_INVALID_PARAM = 100000,
    SA_ERR_UNINITIALIZED = 100001,
    SA_ERR_INVALID_FILE = 100003,
    SA_ERR_UNSUPPORTED_DTYPE = 100026,
    SA_ERR_OUT_OF_MEMORY = 207001,
    SA_ERR_INTERNAL = 500000,
    SA_ERR_AICORE_TIMEOUT = 507014,
    SA_ERR_AICORE_EXCEPTION = 507015,
    SA_ERR_VECTOR_EXCEPTION = 507035,
    SA_ERR_STREAM_TIMEOUT = 507046,
};

#define SA_MESSAGE_BYTES 1024

/* An error that travels from a worker to the thread that synchronises. */
typedef struct sa_error {
    sa_status code;
    char message[SA_MESSAGE_BYTES];
} sa_error;

/* Sets the calling thread's last error text and returns `code`. */
SA_API sa_status sa_fail(sa_status code, const char *format, ...) SA_PRINTF(2, 3);

/* The calling thread's last error text, "" if there is none. Valid until the thread's next call. */
SA_API const char *sa_last_message(void);

/* Forgets the calling thread's last error text. */
SA_API void sa_clear_message(void);

/* Fills `error` (for a worker that reports to another thread) and returns `code`. */
SA_API sa_status sa_error_set(sa_error *error, sa_status code, const char *format, ...)
    SA_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif

#endif
