/* Beginning and end of the runtime: aclInit and aclFinalize for programs, retain and release for
 * our own libraries in the same process. The runtime lives while either holds it. */
#include "acl/acl.h"
#include "runtime/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    pthread_mutex_t lock;
    bool program;   /* between aclInit and aclFinalize */
    bool finalized; /* aclFinalize was called after the latest aclInit */
    int retained;
    atomic_bool alive;
} runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};

atomic_bool sa_forked;

/* The dispatchers and the core's workers do not exist in a child, and locks may be held by nobody:
 * the child's calls answer 100001 instead of waiting for ever. */
static void in_child(void)
{
    if (atomic_load(&runtime.alive))
        atomic_store(&sa_forked, true);
    atomic_store(&runtime.alive, false);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

aclError sa_runtime_check(void)
{
    if (atomic_load_explicit(&runtime.alive, memory_order_acquire))
        return ACL_SUCCESS;
    if (atomic_load(&sa_forked))
        return sa_fail(ACL_ERROR_UNINITIALIZE,
                       "this process was forked while AscendCL was in use, which cannot be used on "
                       "this side: fork before aclInit, or start processes with spawn");
    return sa_fail(ACL_ERROR_UNINITIALIZE, "AscendCL is not initialised: call aclInit first");
}

/* Called with the lock held, after a holder came or went. */
static void update(void)
{
    bool wanted = runtime.program || runtime.retained > 0;
    if (wanted == atomic_load(&runtime.alive))
        return;
    if (!wanted) {
        sa_contexts_end();
        sa_events_end();
        sa_devices_end();
        sa_dispatch_end();
        sa_callbacks_end();
        sa_watch_end();
    }
    atomic_store_explicit(&runtime.alive, wanted, memory_order_release);
}

static aclError check_config(const char *path)
{
    struct stat st;
    if (!path || !*path)
        return ACL_SUCCESS;
    if (stat(path, &st))
        return sa_fail(ACL_ERROR_INVALID_FILE, "aclInit: %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return sa_fail(ACL_ERROR_INVALID_FILE, "aclInit: %s is not a file", path);
    return ACL_SUCCESS;
}

aclError aclInit(const char *configPath)
{
    if (atomic_load(&sa_forked))
        return sa_runtime_check();
    aclError code = check_config(configPath);
    if (code)
        return code;
    pthread_mutex_lock(&runtime.lock);
    if (runtime.program) {
        code = sa_fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: already initialised");
    } else {
        runtime.program = true;
        runtime.finalized = false;
        update();
    }
    pthread_mutex_unlock(&runtime.lock);
    return code;
}

aclError aclFinalize(void)
{
    if (atomic_load(&sa_forked))
        return sa_runtime_check();
    aclError code = sa_check_inside("aclFinalize");
    if (code)
        return code;
    pthread_mutex_lock(&runtime.lock);
    if (runtime.program) {
        runtime.program = false;
        runtime.finalized = true;
        update();
    } else if (runtime.finalized) {
        code = sa_fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: already finalised");
    } else {
        code = sa_fail(ACL_ERROR_UNINITIALIZE, "aclFinalize: there was no aclInit");
    }
    pthread_mutex_unlock(&runtime.lock);
    return code;
}

aclError sa_runtime_retain(void)
{
    if (atomic_load(&sa_forked))
        return sa_runtime_check();
    pthread_mutex_lock(&runtime.lock);
    runtime.retained++;
    update();
    pthread_mutex_unlock(&runtime.lock);
    return ACL_SUCCESS;
}

void sa_runtime_release(void)
{
    if (atomic_load(&sa_forked))
        return;
    pthread_mutex_lock(&runtime.lock);
    if (runtime.retained > 0) {
        runtime.retained--;
        update();
    }
    pthread_mutex_unlock(&runtime.lock);
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    if (!majorVersion || !minorVersion || !patchVersion)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetVersion: null pointer");
    *majorVersion = 1;
    *minorVersion = 13;
    *patchVersion = 0;
    return ACL_SUCCESS;
}
