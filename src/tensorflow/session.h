/* A thread's way to a device: which devices there are, and one stream a thread and device. */
#ifndef SA_TF_SESSION_H
#define SA_TF_SESSION_H

#include "acl/acl.h"

/* Number of NPUs; 0, after one line on stderr that says why, when there is no usable device. */
int tf_device_count(void);

/* Between tf_session_enter and tf_session_leave the thread's current context is the device's, and
 * `stream` is the thread's own on it. What the thread's context was before is restored, so that
 * programs which use AscendCL beside TensorFlow are not disturbed. */
typedef struct tf_session {
    int device;
    aclrtContext context, before;
    aclrtStream stream;
} tf_session;

aclError tf_session_enter(tf_session *session, int device);

/* Waits for the stream. */
aclError tf_session_wait(tf_session *session);
/* A stream keeps its error for ever: after a failure the thread's next session gets a new one. */
void tf_session_renew(tf_session *session);
void tf_session_leave(tf_session *session);

/* The text that goes with `code`: the runtime's own, or one made of the code. */
const char *tf_acl_text(aclError code);

#endif
