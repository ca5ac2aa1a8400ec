/* aclrtMemset and aclrtMemcpy, each at once or in a stream's order. Sides are looked up, so that a
 * host pointer passed for a device one is an error here as it would be on a card. */
#include "core/gm.h"
#include "runtime/internal.h"

#include <string.h>

/* Checks that [p, p + bytes) lies on the side that is asked for; bytes > 0. */
static aclError check_side(const char *what, const char *role, const void *p, size_t bytes,
                           bool device)
{
    sa_gm_block block;
    if (!p)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: %s is null", what, role);
    if (!sa_gm_find(p, &block)) {
        if (device)
            return sa_fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                           "%s: %s %p is not device memory, but the direction says so", what, role,
                           p);
        return (uintptr_t)p > UINTPTR_MAX - bytes
                   ? sa_fail(ACL_ERROR_INVALID_PARAM, "%s: %s: %zu bytes do not fit behind %p",
                             what, role, bytes, p)
                   : ACL_SUCCESS;
    }
    if (!device && !block.shared)
        return sa_fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                       "%s: %s %p is memory of device %d, but the direction says host", what, role,
                       p, block.device);
    size_t left = block.bytes - ((uintptr_t)p - block.address);
    if (bytes > left)
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "%s: %s: %zu bytes, but the allocation of %zu has %zu left behind %p", what,
                       role, bytes, block.bytes, left, p);
    return ACL_SUCCESS;
}

static aclError check_kind(const char *what, aclrtMemcpyKind kind)
{
    if ((int)kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_DEVICE_TO_DEVICE)
        return ACL_SUCCESS;
    return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: there is no direction %d", what, kind);
}

static aclError check_sides(const char *what, void *dst, size_t dst_bytes, const void *src,
                            size_t src_bytes, aclrtMemcpyKind kind)
{
    aclError code =
        check_side(what, "dst", dst, dst_bytes,
                   kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE);
    return code ? code
                : check_side(what, "src", src, src_bytes,
                             kind == ACL_MEMCPY_DEVICE_TO_HOST ||
                                 kind == ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static aclError check_copy(const char *what, void *dst, size_t destMax, const void *src,
                           size_t count, aclrtMemcpyKind kind)
{
    aclError code = check_kind(what, kind);
    if (code)
        return code;
    if (count > destMax)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: count %zu is above destMax %zu", what, count,
                       destMax);
    return count ? check_sides(what, dst, count, src, count, kind) : ACL_SUCCESS;
}

static bool span(size_t pitch, size_t width, size_t height, size_t *bytes)
{
    return width <= pitch && !__builtin_mul_overflow(pitch, height - 1, bytes) &&
           !__builtin_add_overflow(*bytes, width, bytes);
}

static aclError check_copy_2d(const char *what, void *dst, size_t dpitch, const void *src,
                              size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind)
{
    size_t dst_bytes, src_bytes;
    aclError code = check_kind(what, kind);
    if (code)
        return code;
    if (!width || !height || !span(dpitch, width, height, &dst_bytes) ||
        !span(spitch, width, height, &src_bytes))
        return sa_fail(ACL_ERROR_INVALID_PARAM,
                       "%s: %zu rows of %zu bytes with pitches %zu and %zu", what, height, width,
                       dpitch, spitch);
    return check_sides(what, dst, dst_bytes, src, src_bytes, kind);
}

static aclError check_set(const char *what, void *p, size_t maxCount, size_t count)
{
    sa_gm_block block;
    if (count > maxCount)
        return sa_fail(ACL_ERROR_INVALID_PARAM, "%s: count %zu is above maxCount %zu", what, count,
                       maxCount);
    if (!count)
        return ACL_SUCCESS;
    return check_side(what, "devPtr", p, count, p && sa_gm_find(p, &block));
}

/* For what runs at once. */
static aclError check_context(aclError code)
{
    aclError context;
    return sa_context_current(&context) ? code : context;
}

static aclError enqueue_copy(const char *what, aclrtStream stream, void *dst, size_t dpitch,
                             const void *src, size_t spitch, size_t width, size_t height)
{
    aclError code;
    sa_stream *s = sa_stream_enter(stream, what, &code);
    if (!s)
        return code;
    sa_task *task = sa_task_new(s, SA_TASK_COPY);
    if (!task) {
        sa_object_unlock(s);
        return sa_no_memory(what);
    }
    task->u.copy.dst = dst;
    task->u.copy.src = src;
    task->u.copy.dst_pitch = dpitch;
    task->u.copy.src_pitch = spitch;
    task->u.copy.width = width;
    task->u.copy.height = height;
    sa_stream_push(s, task, false);
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    aclError code = check_context(check_copy("aclrtMemcpy", dst, destMax, src, count, kind));
    if (!code && count)
        memmove(dst, src, count);
    return code;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    aclError code = check_context(check_copy("aclrtMemcpyAsync", dst, destMax, src, count, kind));
    if (code)
        return code;
    return enqueue_copy("aclrtMemcpyAsync", stream, dst, 0, src, 0, count, count > 0);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind)
{
    aclError code = check_context(
        check_copy_2d("aclrtMemcpy2d", dst, dpitch, src, spitch, width, height, kind));
    if (!code)
        for (size_t i = 0; i < height; i++)
            memmove((char *)dst + i * dpitch, (const char *)src + i * spitch, width);
    return code;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    aclError code = check_context(
        check_copy_2d("aclrtMemcpy2dAsync", dst, dpitch, src, spitch, width, height, kind));
    if (code)
        return code;
    return enqueue_copy("aclrtMemcpy2dAsync", stream, dst, dpitch, src, spitch, width, height);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    aclError code = check_context(check_set("aclrtMemset", devPtr, maxCount, count));
    if (!code && count)
        memset(devPtr, value, count);
    return code;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream)
{
    aclError code = check_context(check_set("aclrtMemsetAsync", devPtr, maxCount, count));
    if (code)
        return code;
    sa_stream *s = sa_stream_enter(stream, "aclrtMemsetAsync", &code);
    if (!s)
        return code;
    sa_task *task = sa_task_new(s, SA_TASK_SET);
    if (!task) {
        sa_object_unlock(s);
        return sa_no_memory("aclrtMemsetAsync");
    }
    task->u.set.dst = devPtr;
    task->u.set.value = value;
    task->u.set.bytes = count;
    sa_stream_push(s, task, false);
    return ACL_SUCCESS;
}
