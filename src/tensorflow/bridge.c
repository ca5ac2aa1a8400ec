/* Finds and loads the bridge to what TensorFlow has in C++ only. */
#include "tensorflow/tf.h"

#include "tensorflow/bridge.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static sa_bridge bridge;

/* "2.21" of "2.21.0": C++ layouts may change with every release. */
static bool same_release(const char *a, const char *b)
{
    const char *dot = strchr(a, '.');
    dot = dot ? strchr(dot + 1, '.') : NULL;
    size_t n = dot ? (size_t)(dot - a) : strlen(a);
    return strncmp(a, b, n) == 0 && (b[n] == '.' || b[n] == 0);
}

static const char *running_release(void)
{
    void *cc = dlopen("libtensorflow_cc.so.2", RTLD_NOLOAD | RTLD_LAZY);
    const char *(*version)(void) = NULL;
    void *symbol = dlsym(cc ? cc : RTLD_DEFAULT, "TF_Version");
    memcpy(&version, &symbol, sizeof version);
    return version ? version() : "unknown";
}

/* Beside the plug-in, or in the package beside the folder of plug-ins. */
static void *open_library(void)
{
    static const char *const places[] = {"", "../softascend/lib64/"};
    Dl_info self;
    char path[4096];
    void *library = NULL;
    if (!dladdr((const void *)(uintptr_t)open_library, &self) || !self.dli_fname)
        return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    for (int i = 0; i < 2 && !library; i++) {
        snprintf(path, sizeof path, "%.*s%slibsoftascend_bridge.so", folder, self.dli_fname,
                 places[i]);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library && !bridge.why_not[0])
            snprintf(bridge.why_not, sizeof bridge.why_not, "%s", dlerror());
    }
    return library;
}

static void load(void)
{
    if (!same_release(SA_BUILT_FOR_TENSORFLOW, running_release())) {
        snprintf(bridge.why_not, sizeof bridge.why_not,
                 "libsoftascend_bridge.so was built for TensorFlow %s, and this is %s: build "
                 "SoftAscend against it",
                 SA_BUILT_FOR_TENSORFLOW, running_release());
        return;
    }
    void *library = open_library();
    void *open = library ? dlsym(library, "sa_variable_open") : NULL;
    void *close = library ? dlsym(library, "sa_variable_close") : NULL;
    void *open_all = library ? dlsym(library, "sa_variables_open") : NULL;
    void *start = library ? dlsym(library, "sa_eager_start") : NULL;
    if (open && close && open_all && start) {
        memcpy(&bridge.open_variable, &open, sizeof open);
        memcpy(&bridge.close_variable, &close, sizeof close);
        memcpy(&bridge.open_variables, &open_all, sizeof open_all);
        memcpy(&bridge.start_eager, &start, sizeof start);
    }
}

const sa_bridge *tf_bridge(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &bridge;
}
