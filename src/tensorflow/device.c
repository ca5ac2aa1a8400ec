/* Shows the NPUs to TensorFlow: a platform of type NPU, its devices, their memory, streams, events
 * and copies. Never fails: TensorFlow's import would abort. On trouble there are zero devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "tensorflow/session.h"
#include "tensorflow/tf.h"

/* Copies up to this size are done by the thread that asks: handing over would cost more. */
#define INLINE_COPY_BYTES (256 * 1024)

struct SP_Stream_st {
    aclrtStream handle;
    int device;
};
struct SP_Event_st {
    aclrtEvent handle;
    int device; /* of the stream that recorded it last */
};
struct SP_Timer_st {
    aclrtEvent start, stop;
};

static void report(TF_Status *status, aclError code, const char *what)
{
    if (!code) {
        TF_SetStatus(status, TF_OK, "");
        return;
    }
    char text[1400];
    snprintf(text, sizeof text, "softascend: %s: %s", what, tf_acl_text(code));
    TF_SetStatus(status, TF_INTERNAL, text);
}

/* Makes the device's context the thread's current one for the length of a block. */
#define ON_DEVICE(device, error)                                                                   \
    tf_session session_;                                                                           \
    error = tf_session_enter(&session_, (device)->ordinal)
#define OFF_DEVICE() tf_session_leave(&session_)

/* ---- memory ---- */

static void allocate(const SP_Device *device, uint64_t size, int64_t space, SP_DeviceMemoryBase *m)
{
    (void)space;
    void *p = NULL;
    aclError e;
    ON_DEVICE(device, e);
    if (!e && size && aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST))
        p = NULL;
    OFF_DEVICE();
    m->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
    m->opaque = p;
    m->size = p ? size : 0;
}

static void deallocate(const SP_Device *device, SP_DeviceMemoryBase *m)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e && m->opaque)
        aclrtFree(m->opaque);
    OFF_DEVICE();
    m->opaque = NULL;
    m->size = 0;
}

static void *host_allocate(const SP_Device *device, uint64_t size)
{
    void *p = NULL;
    aclError e;
    ON_DEVICE(device, e);
    if (!e && aclrtMallocHost(&p, size))
        p = NULL;
    OFF_DEVICE();
    return p;
}

static void host_deallocate(const SP_Device *device, void *p)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e && p)
        aclrtFreeHost(p);
    OFF_DEVICE();
}

static TF_Bool allocator_stats(const SP_Device *device, SP_AllocatorStats *stats)
{
    (void)device;
    (void)stats;
    return 0;
}

static TF_Bool memory_usage(const SP_Device *device, int64_t *available, int64_t *total)
{
    size_t f = 0, t = 0;
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtGetMemInfo(ACL_HBM_MEM, &f, &t);
    OFF_DEVICE();
    *available = (int64_t)f;
    *total = (int64_t)t;
    return !e;
}

/* ---- streams ---- */

static void create_stream(const SP_Device *device, SP_Stream *stream, TF_Status *status)
{
    aclError e;
    SP_Stream s = calloc(1, sizeof *s);
    ON_DEVICE(device, e);
    if (s)
        s->device = device->ordinal;
    if (!e)
        e = s ? aclrtCreateStream(&s->handle) : ACL_ERROR_BAD_ALLOC;
    OFF_DEVICE();
    report(status, e, "creating a stream");
    if (e) {
        free(s);
        s = NULL;
    }
    *stream = s;
}

static void destroy_stream(const SP_Device *device, SP_Stream stream)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        aclrtDestroyStream(stream->handle);
    OFF_DEVICE();
    free(stream);
}

/* AscendCL's streams wait for streams of their own device; across devices the host waits. */
static void stream_dependency(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                              TF_Status *status)
{
    (void)device;
    tf_session session;
    aclrtEvent event = NULL;
    aclError e = tf_session_enter(&session, other->device);
    if (!e && dependent->device != other->device) {
        e = aclrtSynchronizeStream(other->handle);
    } else if (!e) {
        e = aclrtCreateEvent(&event);
        if (!e)
            e = aclrtRecordEvent(event, other->handle);
        if (!e)
            e = aclrtStreamWaitEvent(dependent->handle, event);
        if (event)
            aclrtDestroyEvent(event);
    }
    tf_session_leave(&session);
    report(status, e, "making a stream wait for another");
}

static void stream_status(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    aclError e;
    aclrtStreamStatus state;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtStreamQuery(stream->handle, &state);
    OFF_DEVICE();
    report(status, e, "asking for a stream's state");
}

static void stream_wait(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtSynchronizeStream(stream->handle);
    OFF_DEVICE();
    report(status, e, "waiting for a stream");
}

static void wait_for_all(const SP_Device *device, TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtSynchronizeDevice();
    OFF_DEVICE();
    report(status, e, "waiting for the device");
}

/* Host functions run in the stream's order. They may take TensorFlow's locks and wait, so the
 * calling thread runs them itself, after the stream. */
static TF_Bool host_callback(const SP_Device *device, SP_Stream stream, SE_StatusCallbackFn fn,
                             void *arg)
{
    TF_Status *status = TF_NewStatus();
    stream_wait(device, stream, status);
    bool ok = TF_GetCode(status) == TF_OK;
    if (ok)
        fn(arg, status);
    TF_DeleteStatus(status);
    return ok;
}

/* ---- events and timers ---- */

static void create_event(const SP_Device *device, SP_Event *event, TF_Status *status)
{
    aclError e;
    SP_Event v = calloc(1, sizeof *v);
    ON_DEVICE(device, e);
    if (v)
        v->device = device->ordinal;
    if (!e)
        e = v ? aclrtCreateEvent(&v->handle) : ACL_ERROR_BAD_ALLOC;
    OFF_DEVICE();
    report(status, e, "creating an event");
    if (e) {
        free(v);
        v = NULL;
    }
    *event = v;
}

static void destroy_event(const SP_Device *device, SP_Event event)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        aclrtDestroyEvent(event->handle);
    OFF_DEVICE();
    free(event);
}

static SE_EventStatus event_status(const SP_Device *device, SP_Event event)
{
    aclError e;
    aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtQueryEventStatus(event->handle, &state);
    OFF_DEVICE();
    return e                                             ? SE_EVENT_ERROR
           : state == ACL_EVENT_RECORDED_STATUS_COMPLETE ? SE_EVENT_COMPLETE
                                                         : SE_EVENT_PENDING;
}

static void record_event(const SP_Device *device, SP_Stream stream, SP_Event event,
                         TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtRecordEvent(event->handle, stream->handle);
    OFF_DEVICE();
    report(status, e, "recording an event");
}

static void wait_for_event(const SP_Device *const device, SP_Stream stream, SP_Event event,
                           TF_Status *const status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = event->device == stream->device ? aclrtStreamWaitEvent(stream->handle, event->handle)
                                            : aclrtSynchronizeEvent(event->handle);
    OFF_DEVICE();
    report(status, e, "making a stream wait for an event");
}

static void block_host_for_event(const SP_Device *device, SP_Event event, TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtSynchronizeEvent(event->handle);
    OFF_DEVICE();
    report(status, e, "waiting for an event");
}

static void create_timer(const SP_Device *device, SP_Timer *timer, TF_Status *status)
{
    aclError e;
    SP_Timer t = calloc(1, sizeof *t);
    ON_DEVICE(device, e);
    if (!e)
        e = t ? aclrtCreateEvent(&t->start) : ACL_ERROR_BAD_ALLOC;
    if (!e)
        e = aclrtCreateEvent(&t->stop);
    OFF_DEVICE();
    report(status, e, "creating a timer");
    *timer = t;
}

static void destroy_timer(const SP_Device *device, SP_Timer timer)
{
    aclError e;
    if (!timer)
        return;
    ON_DEVICE(device, e);
    if (!e && timer->start)
        aclrtDestroyEvent(timer->start);
    if (!e && timer->stop)
        aclrtDestroyEvent(timer->stop);
    OFF_DEVICE();
    free(timer);
}

static void start_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                        TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtRecordEvent(timer->start, stream->handle);
    OFF_DEVICE();
    report(status, e, "starting a timer");
}

static void stop_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e)
        e = aclrtRecordEvent(timer->stop, stream->handle);
    OFF_DEVICE();
    report(status, e, "stopping a timer");
}

static uint64_t timer_nanoseconds(SP_Timer timer)
{
    float ms = 0;
    return aclrtEventElapsedTime(&ms, timer->start, timer->stop) ? 0 : (uint64_t)(ms * 1e6);
}

/* ---- copies ---- */

static void copy(const SP_Device *device, SP_Stream stream, void *dst, const void *src,
                 uint64_t size, aclrtMemcpyKind kind, TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e && size)
        e = stream ? aclrtMemcpyAsync(dst, size, src, size, kind, stream->handle)
                   : aclrtMemcpy(dst, size, src, size, kind);
    if (!e && stream && size <= INLINE_COPY_BYTES)
        e = aclrtSynchronizeStream(stream->handle);
    OFF_DEVICE();
    report(status, e, "copying");
}

static void memcpy_dtoh(const SP_Device *device, SP_Stream stream, void *dst,
                        const SP_DeviceMemoryBase *src, uint64_t size, TF_Status *status)
{
    copy(device, stream, dst, src->opaque, size, ACL_MEMCPY_DEVICE_TO_HOST, status);
}

static void memcpy_htod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *dst,
                        const void *src, uint64_t size, TF_Status *status)
{
    copy(device, stream, dst->opaque, src, size, ACL_MEMCPY_HOST_TO_DEVICE, status);
}

static void memcpy_dtod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *dst,
                        const SP_DeviceMemoryBase *src, uint64_t size, TF_Status *status)
{
    copy(device, stream, dst->opaque, src->opaque, size, ACL_MEMCPY_DEVICE_TO_DEVICE, status);
}

static void sync_memcpy_dtoh(const SP_Device *device, void *dst, const SP_DeviceMemoryBase *src,
                             uint64_t size, TF_Status *status)
{
    copy(device, NULL, dst, src->opaque, size, ACL_MEMCPY_DEVICE_TO_HOST, status);
}

static void sync_memcpy_htod(const SP_Device *device, SP_DeviceMemoryBase *dst, const void *src,
                             uint64_t size, TF_Status *status)
{
    copy(device, NULL, dst->opaque, src, size, ACL_MEMCPY_HOST_TO_DEVICE, status);
}

static void sync_memcpy_dtod(const SP_Device *device, SP_DeviceMemoryBase *dst,
                             const SP_DeviceMemoryBase *src, uint64_t size, TF_Status *status)
{
    copy(device, NULL, dst->opaque, src->opaque, size, ACL_MEMCPY_DEVICE_TO_DEVICE, status);
}

static void set_bytes(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *m,
                      uint8_t pattern, uint64_t size, TF_Status *status)
{
    aclError e;
    ON_DEVICE(device, e);
    if (!e && size)
        e = aclrtMemsetAsync(m->opaque, size, pattern, size, stream->handle);
    OFF_DEVICE();
    report(status, e, "setting memory");
}

static void zero_bytes(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *m,
                       uint64_t size, TF_Status *status)
{
    set_bytes(device, stream, m, 0, size, status);
}

/* AscendCL sets bytes only; a pattern of words is made on the host and copied, in order. */
static void set_words(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *m,
                      uint32_t pattern, uint64_t size, TF_Status *status)
{
    if (pattern == (pattern & 0xff) * UINT32_C(0x01010101)) {
        set_bytes(device, stream, m, (uint8_t)pattern, size, status);
        return;
    }
    uint32_t *words = malloc(size);
    if (!words) {
        report(status, ACL_ERROR_BAD_ALLOC, "setting memory");
        return;
    }
    for (uint64_t i = 0; i < size / sizeof *words; i++)
        words[i] = pattern;
    copy(device, stream, m->opaque, words, size, ACL_MEMCPY_HOST_TO_DEVICE, status);
    if (size > INLINE_COPY_BYTES && TF_GetCode(status) == TF_OK)
        stream_wait(device, stream, status);
    free(words);
}

/* ---- the platform ---- */

static void get_device_count(const SP_Platform *platform, int *count, TF_Status *status)
{
    (void)platform;
    *count = tf_device_count();
    TF_SetStatus(status, TF_OK, "");
}

static void create_device(const SP_Platform *platform, SE_CreateDeviceParams *params,
                          TF_Status *status)
{
    (void)platform;
    const char *soc = aclrtGetSocName();
    params->device->struct_size = SP_DEVICE_STRUCT_SIZE;
    params->device->ordinal = params->ordinal;
    params->device->device_handle = NULL;
    params->device->hardware_name = soc ? soc : "Ascend";
    params->device->device_vendor = "SoftAscend";
    params->device->pci_bus_id = "";
    TF_SetStatus(status, TF_OK, "");
}

static void destroy_device(const SP_Platform *platform, SP_Device *device)
{
    (void)platform;
    (void)device;
}

static int32_t numa_node(const SP_Device *device)
{
    (void)device;
    return 0;
}

static int64_t unknown_bandwidth(const SP_Device *device)
{
    (void)device;
    return -1;
}

static double unknown_gflops(const SP_Device *device)
{
    (void)device;
    return -1;
}

static void create_device_fns(const SP_Platform *platform, SE_CreateDeviceFnsParams *params,
                              TF_Status *status)
{
    (void)platform;
    params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
    params->device_fns->get_numa_node = numa_node;
    params->device_fns->get_memory_bandwidth = unknown_bandwidth;
    params->device_fns->get_gflops = unknown_gflops;
    TF_SetStatus(status, TF_OK, "");
}

static void destroy_device_fns(const SP_Platform *platform, SP_DeviceFns *fns)
{
    (void)platform;
    (void)fns;
}

static void create_stream_executor(const SP_Platform *platform,
                                   SE_CreateStreamExecutorParams *params, TF_Status *status)
{
    (void)platform;
    *params->stream_executor = (SP_StreamExecutor){
        .struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE,
        .allocate = allocate,
        .deallocate = deallocate,
        .host_memory_allocate = host_allocate,
        .host_memory_deallocate = host_deallocate,
        .get_allocator_stats = allocator_stats,
        .device_memory_usage = memory_usage,
        .create_stream = create_stream,
        .destroy_stream = destroy_stream,
        .create_stream_dependency = stream_dependency,
        .get_stream_status = stream_status,
        .create_event = create_event,
        .destroy_event = destroy_event,
        .get_event_status = event_status,
        .record_event = record_event,
        .wait_for_event = wait_for_event,
        .create_timer = create_timer,
        .destroy_timer = destroy_timer,
        .start_timer = start_timer,
        .stop_timer = stop_timer,
        .memcpy_dtoh = memcpy_dtoh,
        .memcpy_htod = memcpy_htod,
        .memcpy_dtod = memcpy_dtod,
        .sync_memcpy_dtoh = sync_memcpy_dtoh,
        .sync_memcpy_htod = sync_memcpy_htod,
        .sync_memcpy_dtod = sync_memcpy_dtod,
        .block_host_for_event = block_host_for_event,
        .block_host_until_done = stream_wait,
        .synchronize_all_activity = wait_for_all,
        .mem_zero = zero_bytes,
        .memset = set_bytes,
        .memset32 = set_words,
        .host_callback = host_callback,
    };
    TF_SetStatus(status, TF_OK, "");
}

static void destroy_stream_executor(const SP_Platform *platform, SP_StreamExecutor *executor)
{
    (void)platform;
    (void)executor;
}

static void create_timer_fns(const SP_Platform *platform, SP_TimerFns *fns, TF_Status *status)
{
    (void)platform;
    fns->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
    fns->nanoseconds = timer_nanoseconds;
    TF_SetStatus(status, TF_OK, "");
}

static void destroy_timer_fns(const SP_Platform *platform, SP_TimerFns *fns)
{
    (void)platform;
    (void)fns;
}

static void destroy_platform(SP_Platform *platform)
{
    (void)platform;
}

static void destroy_platform_fns(SP_PlatformFns *fns)
{
    (void)fns;
}

/* With memory checks each tensor is an allocation of its own, so that its bounds are seen. */
static bool memory_checks(void)
{
    const char *check = getenv("SOFTASCEND_CHECK");
    return check && (strstr(check, "mem") || strstr(check, "all"));
}

TF_ENTRY void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    SP_Platform *platform = params->platform;
    platform->struct_size = SP_PLATFORM_STRUCT_SIZE;
    platform->name = "ASCEND";
    platform->type = "NPU";
    platform->supports_unified_memory = 0;
    platform->use_bfc_allocator = !memory_checks();
    platform->force_memory_growth = 1;
    *params->platform_fns = (SP_PlatformFns){
        .struct_size = SP_PLATFORM_FNS_STRUCT_SIZE,
        .get_device_count = get_device_count,
        .create_device = create_device,
        .destroy_device = destroy_device,
        .create_device_fns = create_device_fns,
        .destroy_device_fns = destroy_device_fns,
        .create_stream_executor = create_stream_executor,
        .destroy_stream_executor = destroy_stream_executor,
        .create_timer_fns = create_timer_fns,
        .destroy_timer_fns = destroy_timer_fns,
    };
    params->destroy_platform = destroy_platform;
    params->destroy_platform_fns = destroy_platform_fns;
    TF_SetStatus(status, TF_OK, "");
}
