/* Work must be finished when a kernel's Compute returns: TensorFlow's default kernels read device
 * memory from host threads without asking for our streams. So every thread has its own stream on
 * each device and waits for it, which on this runtime means that it does the work itself. */
#include "tensorflow/session.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl_rt.h"

#define MAX_DEVICES 64

typedef struct thread_streams {
    aclrtContext context[MAX_DEVICES];
    aclrtStream stream[MAX_DEVICES];
} thread_streams;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int device_count;
static _Thread_local thread_streams *streams;

static void thread_ends(void *p)
{
    thread_streams *s = p;
    aclrtContext before = NULL;
    aclrtGetCurrentContext(&before);
    for (int d = 0; d < device_count; d++) {
        if (s->stream[d] && aclrtSetCurrentContext(s->context[d]) == ACL_SUCCESS)
            aclrtDestroyStream(s->stream[d]);
    }
    if (before)
        aclrtSetCurrentContext(before);
    free(s);
    streams = NULL;
}

const char *tf_acl_text(aclError code)
{
    static _Thread_local char text[64];
    const char *message = aclGetRecentErrMsg();
    if (message && *message)
        return message;
    snprintf(text, sizeof text, "the runtime answered %d", code);
    return text;
}

/* aclInit and aclFinalize belong to the program: its aclFinalize must not take the device from
 * under TensorFlow. Our own runtime can be held beside them; another one is initialised. */
static aclError hold_runtime(void)
{
    aclError (*retain)(void);
    *(void **)&retain = dlsym(RTLD_DEFAULT, "sa_runtime_retain");
    if (retain)
        return retain();
    aclError e = aclInit(NULL);
    return e == ACL_ERROR_REPEAT_INITIALIZE ? ACL_SUCCESS : e;
}

static void start(void)
{
    uint32_t count = 0;
    aclError e = hold_runtime();
    if (!e)
        e = aclrtGetDeviceCount(&count);
    if (e) /* zero devices the runtime has explained already */
        fprintf(stderr, "softascend: no NPU: %s\n", tf_acl_text(e));
    device_count = e ? 0 : count < MAX_DEVICES ? (int)count : MAX_DEVICES;
    if (pthread_key_create(&key, thread_ends))
        device_count = 0;
}

int tf_device_count(void)
{
    pthread_once(&once, start);
    return device_count;
}

static aclError first_use(int device)
{
    if (!streams) {
        streams = calloc(1, sizeof *streams);
        if (!streams)
            return ACL_ERROR_BAD_ALLOC;
        pthread_setspecific(key, streams);
    }
    aclError e = aclrtSetDevice(device);
    if (!e)
        e = aclrtGetCurrentContext(&streams->context[device]);
    if (!e)
        e = aclrtCreateStreamWithConfig(&streams->stream[device], 0,
                                        ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
    return e;
}

aclError tf_session_enter(tf_session *session, int device)
{
    *session = (tf_session){.device = device};
    if (device < 0 || device >= tf_device_count())
        return ACL_ERROR_INVALID_DEVICE;
    if (aclrtGetCurrentContext(&session->before) != ACL_SUCCESS) {
        session->before = NULL;
        aclGetRecentErrMsg(); /* having none is no failure; its text must not be blamed later */
    }
    if (!streams || !streams->stream[device]) {
        aclError e = first_use(device);
        if (e)
            return e;
    } else if (session->before != streams->context[device]) {
        aclError e = aclrtSetCurrentContext(streams->context[device]);
        if (e)
            return e;
    }
    session->context = streams->context[device];
    session->stream = streams->stream[device];
    return ACL_SUCCESS;
}

aclError tf_session_wait(tf_session *session)
{
    return aclrtSynchronizeStream(session->stream);
}

void tf_session_renew(tf_session *session)
{
    aclrtDestroyStream(session->stream);
    streams->stream[session->device] = session->stream = NULL;
}

void tf_session_leave(tf_session *session)
{
    if (session->before && session->before != session->context)
        aclrtSetCurrentContext(session->before);
}
