/* Devices: which there are, who holds them, and how much of their memory is taken. */
#include "runtime/internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sa_device {
    int holds; /* aclrtSetDevice less aclrtResetDevice */
    aclrtContext context;
    uint64_t limit;
    _Atomic uint64_t used;
} sa_device;

static struct {
    pthread_once_t once;
    pthread_mutex_t lock; /* holds and context */
    int count;
    sa_device device[SA_MAX_DEVICES];
    char why[SA_MESSAGE_BYTES];
} devices = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static bool whole_number(const char *text, const char **end, long most, long *number)
{
    char *e;
    errno = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    *number = strtol(text, &e, 10);
    *end = e;
    return !errno && *number <= most;
}

/* How many devices the machine has: $SOFTASCEND_DEVICES, 2 if it is not set. */
static int count_machine(void)
{
    const char *text = getenv("SOFTASCEND_DEVICES"), *end;
    long number;
    if (!text)
        return 2;
    if (whole_number(text, &end, SA_MAX_DEVICES, &number) && !*end && number > 0)
        return (int)number;
    snprintf(devices.why, sizeof devices.why,
             "SOFTASCEND_DEVICES=\"%s\" is not a number from 1 to %d", text, SA_MAX_DEVICES);
    return 0;
}

/* How many of them this process sees: "0,1" or "0-3"; all if the variable is not set. */
static int count_visible(int machine)
{
    const char *text = getenv("ASCEND_VISIBLE_DEVICES"), *at = text;
    bool seen[SA_MAX_DEVICES] = {false};
    int count = 0;
    if (!text)
        return machine;
    for (; *at; at += *at == ',' && at[1]) {
        long first, last;
        if (!whole_number(at, &at, machine - 1, &first))
            break;
        last = first;
        if (*at == '-' && (!whole_number(at + 1, &at, machine - 1, &last) || last < first))
            break;
        if (*at && *at != ',')
            break;
        for (long i = first; i <= last; i++) {
            if (seen[i])
                goto nonsense;
            seen[i] = true;
            count++;
        }
        if (*at == ',' && !at[1])
            break;
    }
    if (!*at && count)
        return count;
nonsense:
    if (!*text)
        snprintf(devices.why, sizeof devices.why,
                 "ASCEND_VISIBLE_DEVICES is empty: no device is visible");
    else
        snprintf(devices.why, sizeof devices.why,
                 "ASCEND_VISIBLE_DEVICES=\"%s\" is not a list of different devices from 0 to %d, "
                 "such as \"0,1\"",
                 text, machine - 1);
    return 0;
}

static bool find_limit(int count, const sa_chip *chip, uint64_t *limit)
{
    const char *text = getenv("SOFTASCEND_HBM_BYTES");
    if (text) {
        if (sa_parse_bytes(text, limit) && *limit)
            return true;
        snprintf(devices.why, sizeof devices.why,
                 "SOFTASCEND_HBM_BYTES=\"%s\" is not a number of bytes, such as 512M", text);
        return false;
    }
    uint64_t share = sa_host_available() / 5 * 4 / (uint64_t)count;
    *limit = share < chip->hbm_bytes ? share : chip->hbm_bytes;
    return true;
}

static void find_devices(void)
{
    uint64_t limit = 0;
    const sa_chip *chip = sa_chip_default();
    int count = 0;
    if (!chip) {
        snprintf(devices.why, sizeof devices.why, "%s", sa_last_message());
        sa_clear_message();
    } else if ((count = count_machine()) > 0 && (count = count_visible(count)) > 0 &&
               !find_limit(count, chip, &limit)) {
        count = 0;
    }
    if (!count)
        fprintf(stderr, "softascend: no devices: %s\n", devices.why);
    for (int i = 0; i < count; i++)
        devices.device[i].limit = limit;
    devices.count = count;
}

int sa_device_count(const char **why)
{
    pthread_once(&devices.once, find_devices);
    if (why)
        *why = devices.count ? NULL : devices.why;
    return devices.count;
}

aclError sa_device_check(int32_t device)
{
    const char *why;
    int count = sa_device_count(&why);
    if (device >= 0 && device < count)
        return ACL_SUCCESS;
    if (!count)
        return sa_fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no device %d: %s", device, why);
    return sa_fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no device %d: devices are 0 to %d",
                   device, count - 1);
}

aclError sa_device_charge(int device, size_t bytes)
{
    sa_device *d = &devices.device[device];
    uint64_t used = atomic_load(&d->used);
    do {
        if (bytes > d->limit || used > d->limit - bytes)
            return sa_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "device %d is out of memory: %zu bytes asked for, %llu of %llu free",
                           device, bytes,
                           (unsigned long long)(d->limit > used ? d->limit - used : 0),
                           (unsigned long long)d->limit);
    } while (!atomic_compare_exchange_weak(&d->used, &used, used + bytes));
    return ACL_SUCCESS;
}

void sa_device_discharge(int device, size_t bytes)
{
    atomic_fetch_sub(&devices.device[device].used, bytes);
}

void sa_device_memory(int device, size_t *free_bytes, size_t *total)
{
    sa_device *d = &devices.device[device];
    uint64_t used = atomic_load(&d->used);
    *total = d->limit;
    *free_bytes = d->limit > used ? d->limit - used : 0;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    aclError code = sa_runtime_check();
    if (code || (code = sa_device_check(deviceId)))
        return code;
    sa_device *d = &devices.device[deviceId];
    pthread_mutex_lock(&devices.lock);
    if (!d->holds)
        code = sa_context_new(deviceId, true, &d->context);
    if (!code)
        d->holds++;
    aclrtContext context = d->context;
    pthread_mutex_unlock(&devices.lock);
    if (!code)
        sa_context_make_current(context);
    return code;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    aclError code = sa_runtime_check();
    if (code || (code = sa_device_check(deviceId)) || (code = sa_check_inside("aclrtResetDevice")))
        return code;
    sa_device *d = &devices.device[deviceId];
    aclrtContext ended = NULL;
    pthread_mutex_lock(&devices.lock);
    if (!d->holds)
        code = sa_fail(ACL_ERROR_RT_INVALID_DEVICEID,
                       "aclrtResetDevice: device %d is not set (aclrtSetDevice)", deviceId);
    else if (!--d->holds) {
        ended = d->context;
        d->context = NULL;
    }
    pthread_mutex_unlock(&devices.lock);
    if (ended)
        sa_context_end(ended);
    return code;
}

void sa_devices_end(void)
{
    pthread_mutex_lock(&devices.lock);
    for (int i = 0; i < devices.count; i++) {
        devices.device[i].holds = 0;
        devices.device[i].context = NULL;
    }
    pthread_mutex_unlock(&devices.lock);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    aclError code;
    if (!deviceId)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: deviceId is null");
    sa_context *c = sa_context_current(&code);
    if (!c)
        return code;
    *deviceId = c->device;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    if (!count)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: count is null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    *count = (uint32_t)sa_device_count(NULL);
    return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    if (!deviceStatus)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryDeviceStatus: deviceStatus is null");
    aclError code = sa_runtime_check();
    if (code || (code = sa_device_check(deviceId)))
        return code;
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    if (!runMode)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: runMode is null");
    aclError code = sa_runtime_check();
    if (code)
        return code;
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    aclError code;
    if (timeout < -1)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "synchronise device: timeout is %d", timeout);
    sa_context *c = sa_context_current(&code);
    if (!c)
        return code;
    if ((code = sa_check_inside("synchronise device")))
        return code;
    struct timespec deadline = sa_deadline(timeout);
    return sa_streams_wait(c->device, NULL, timeout < 0 ? NULL : &deadline);
}

aclError aclrtSynchronizeDevice(void)
{
    return aclrtSynchronizeDeviceWithTimeout(-1);
}

const char *aclrtGetSocName(void)
{
    const sa_chip *chip = sa_chip_default();
    return chip ? chip->name : NULL;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    if (!value)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability: value is null");
    aclError code = sa_device_check(deviceId > INT32_MAX ? -1 : (int32_t)deviceId);
    if (code)
        return code;
    const sa_chip *chip = sa_chip_default();
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
        *value = chip->ai_cores;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = (int64_t)chip->ai_cores * chip->vector_cores_per_ai_core;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = (int64_t)chip->l2_bytes;
        return ACL_SUCCESS;
    default:
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability: no such figure: %d",
                       deviceInfo);
    }
}

/* Devices share one address space, so peers reach each other from the start. */
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    if (!canAccessPeer)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "aclrtDeviceCanAccessPeer: canAccessPeer is null");
    aclError code = sa_runtime_check();
    if (code || (code = sa_device_check(deviceId)) || (code = sa_device_check(peerDeviceId)))
        return code;
    *canAccessPeer = deviceId != peerDeviceId;
    return ACL_SUCCESS;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    aclError code;
    if (!sa_context_current(&code) || (code = sa_device_check(peerDeviceId)))
        return code;
    return flags ? sa_fail(ACL_ERROR_INVALID_PARAM, "enable peer access: flags is %u, not 0", flags)
                 : ACL_SUCCESS;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    aclError code;
    if (!sa_context_current(&code))
        return code;
    return sa_device_check(peerDeviceId);
}

const sa_chip *sa_current_chip(void)
{
    aclError code;
    return sa_context_current(&code) ? sa_chip_default() : NULL;
}
