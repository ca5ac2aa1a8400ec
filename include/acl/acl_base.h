/* AscendCL's types, codes and the helpers that need no device.
 *
 * Names, values and signatures: AscendCL as declared in Ascend/pytorch third_party/acl/inc (BSD-3)
 * and the public documentation; the words are ours. */
#ifndef SOFTASCEND_ACL_BASE_H
#define SOFTASCEND_ACL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/error_codes/rt_error_codes.h"

#if defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#else
#define ACL_FUNC_VISIBILITY
#define ACL_DEPRECATED_MESSAGE(message)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int aclError;
typedef void *aclrtContext;
typedef void *aclrtStream; /* NULL: the current context's default stream */
typedef void *aclrtEvent;
typedef uint16_t aclFloat16; /* IEEE binary16, as storage */
typedef struct aclDataBuffer aclDataBuffer;

SA_ACL_CODE(ACL_ERROR_NONE, 0);
SA_ACL_CODE(ACL_SUCCESS, 0);

SA_ACL_CODE(ACL_ERROR_INVALID_PARAM, 100000);
SA_ACL_CODE(ACL_ERROR_UNINITIALIZE, 100001);
SA_ACL_CODE(ACL_ERROR_REPEAT_INITIALIZE, 100002);
SA_ACL_CODE(ACL_ERROR_INVALID_FILE, 100003);
SA_ACL_CODE(ACL_ERROR_WRITE_FILE, 100004);
SA_ACL_CODE(ACL_ERROR_INVALID_FILE_SIZE, 100005);
SA_ACL_CODE(ACL_ERROR_PARSE_FILE, 100006);
SA_ACL_CODE(ACL_ERROR_FILE_MISSING_ATTR, 100007);
SA_ACL_CODE(ACL_ERROR_FILE_ATTR_INVALID, 100008);
SA_ACL_CODE(ACL_ERROR_INVALID_DUMP_CONFIG, 100009);
SA_ACL_CODE(ACL_ERROR_INVALID_PROFILING_CONFIG, 100010);
SA_ACL_CODE(ACL_ERROR_INVALID_MODEL_ID, 100011);
SA_ACL_CODE(ACL_ERROR_DESERIALIZE_MODEL, 100012);
SA_ACL_CODE(ACL_ERROR_PARSE_MODEL, 100013);
SA_ACL_CODE(ACL_ERROR_READ_MODEL_FAILURE, 100014);
SA_ACL_CODE(ACL_ERROR_MODEL_SIZE_INVALID, 100015);
SA_ACL_CODE(ACL_ERROR_MODEL_MISSING_ATTR, 100016);
SA_ACL_CODE(ACL_ERROR_MODEL_INPUT_NOT_MATCH, 100017);
SA_ACL_CODE(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, 100018);
SA_ACL_CODE(ACL_ERROR_MODEL_NOT_DYNAMIC, 100019);
SA_ACL_CODE(ACL_ERROR_OP_TYPE_NOT_MATCH, 100020);
SA_ACL_CODE(ACL_ERROR_OP_INPUT_NOT_MATCH, 100021);
SA_ACL_CODE(ACL_ERROR_OP_OUTPUT_NOT_MATCH, 100022);
SA_ACL_CODE(ACL_ERROR_OP_ATTR_NOT_MATCH, 100023);
SA_ACL_CODE(ACL_ERROR_OP_NOT_FOUND, 100024);
SA_ACL_CODE(ACL_ERROR_OP_LOAD_FAILED, 100025);
SA_ACL_CODE(ACL_ERROR_UNSUPPORTED_DATA_TYPE, 100026);
SA_ACL_CODE(ACL_ERROR_FORMAT_NOT_MATCH, 100027);
SA_ACL_CODE(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, 100028);
SA_ACL_CODE(ACL_ERROR_KERNEL_NOT_FOUND, 100029);
SA_ACL_CODE(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, 100030);
SA_ACL_CODE(ACL_ERROR_KERNEL_ALREADY_REGISTERED, 100031);
SA_ACL_CODE(ACL_ERROR_INVALID_QUEUE_ID, 100032);
SA_ACL_CODE(ACL_ERROR_REPEAT_SUBSCRIBE, 100033);
SA_ACL_CODE(ACL_ERROR_STREAM_NOT_SUBSCRIBE, 100034);
SA_ACL_CODE(ACL_ERROR_THREAD_NOT_SUBSCRIBE, 100035);
SA_ACL_CODE(ACL_ERROR_WAIT_CALLBACK_TIMEOUT, 100036);
SA_ACL_CODE(ACL_ERROR_REPEAT_FINALIZE, 100037);
SA_ACL_CODE(ACL_ERROR_NOT_STATIC_AIPP, 100038);
SA_ACL_CODE(ACL_ERROR_COMPILING_STUB_MODE, 100039);
SA_ACL_CODE(ACL_ERROR_GROUP_NOT_SET, 100040);
SA_ACL_CODE(ACL_ERROR_GROUP_NOT_CREATE, 100041);
SA_ACL_CODE(ACL_ERROR_PROF_ALREADY_RUN, 100042);
SA_ACL_CODE(ACL_ERROR_PROF_NOT_RUN, 100043);
SA_ACL_CODE(ACL_ERROR_DUMP_ALREADY_RUN, 100044);
SA_ACL_CODE(ACL_ERROR_DUMP_NOT_RUN, 100045);

SA_ACL_CODE(ACL_ERROR_BAD_ALLOC, 200000);
SA_ACL_CODE(ACL_ERROR_API_NOT_SUPPORT, 200001);
SA_ACL_CODE(ACL_ERROR_INVALID_DEVICE, 200002);
SA_ACL_CODE(ACL_ERROR_MEMORY_ADDRESS_UNALIGNED, 200003);
SA_ACL_CODE(ACL_ERROR_RESOURCE_NOT_MATCH, 200004);
SA_ACL_CODE(ACL_ERROR_INVALID_RESOURCE_HANDLE, 200005);
SA_ACL_CODE(ACL_ERROR_FEATURE_UNSUPPORTED, 200006);
SA_ACL_CODE(ACL_ERROR_PROF_MODULES_UNSUPPORTED, 200007);

SA_ACL_CODE(ACL_ERROR_STORAGE_OVER_LIMIT, 300000);

SA_ACL_CODE(ACL_ERROR_INTERNAL_ERROR, 500000);
SA_ACL_CODE(ACL_ERROR_FAILURE, 500001);
SA_ACL_CODE(ACL_ERROR_GE_FAILURE, 500002);
SA_ACL_CODE(ACL_ERROR_RT_FAILURE, 500003);
SA_ACL_CODE(ACL_ERROR_DRV_FAILURE, 500004);
SA_ACL_CODE(ACL_ERROR_PROFILING_FAILURE, 500005);

typedef enum {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
} aclDataType;

typedef enum {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
} aclFormat;

typedef enum {
    ACL_DEBUG = 0,
    ACL_INFO = 1,
    ACL_WARNING = 2,
    ACL_ERROR = 3,
} aclLogLevel;

typedef enum {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
} aclMemType;

typedef enum {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2,
} aclDeviceInfo;

/* binary16 to binary32 (exact) and back (to nearest even, overflow to infinity, NaN stays NaN). */
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

/* Bytes of one element; 0 for types without a whole number of bytes, strings and nonsense. */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

/* An address and a length; neither owns nor looks at the memory. NULL when memory is short. */
ACL_FUNC_VISIBILITY aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data,
                                                 size_t size);
ACL_FUNC_VISIBILITY void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);
ACL_DEPRECATED_MESSAGE("cut to 32 bits: use aclGetDataBufferSizeV2")
ACL_FUNC_VISIBILITY uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/* The chip's name, for example "Ascend910B1"; NULL, with a text, if there is no chip. */
ACL_FUNC_VISIBILITY const char *aclrtGetSocName(void);

/* A figure of the device's chip. */
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                                    int64_t *value);

/* Writes one line of the program's own log to stderr, if `logLevel` is at least
 * $ASCEND_GLOBAL_LOG_LEVEL (0 debug … 3 error, 4 none; 3 if unset). */
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char *func, const char *file,
                                   uint32_t line, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
