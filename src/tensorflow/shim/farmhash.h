// TensorFlow's headers include this one, which its wheel leaves out. Only inline functions that the
// bridge never calls use what it declares.
#ifndef SA_TF_SHIM_FARMHASH_H
#define SA_TF_SHIM_FARMHASH_H

#include <cstddef>
#include <cstdint>
#include <utility>

namespace util
{
uint32_t Fingerprint32(const char *data, size_t bytes);
uint64_t Fingerprint64(const char *data, size_t bytes);
std::pair<uint64_t, uint64_t> Fingerprint128(const char *data, size_t bytes);
inline uint64_t Uint128Low64(std::pair<uint64_t, uint64_t> v)
{
    return v.first;
}
inline uint64_t Uint128High64(std::pair<uint64_t, uint64_t> v)
{
    return v.second;
}
} // namespace util

#endif
