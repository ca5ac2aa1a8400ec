// UnifiedMemoryManager's calls from C++, by the names that its readers look for.
#include "softascend/unified.h"

#include <cstdio>
#include <cstring>

int main()
{
    if (aclInit(nullptr) || aclrtSetDevice(0))
        return 1;
    char *p = static_cast<char *>(UnifiedMemoryManager::AllocateShared(4096));
    std::strcpy(p, "shared");
    UnifiedMemoryManager::PrefetchToDevice(p, 4096);
    bool good = !aclrtSynchronizeStream(nullptr) && !std::strcmp(p, "shared");
    UnifiedMemoryManager::Free(p);
    try {
        UnifiedMemoryManager::PrefetchToDevice(p, 4096);
        good = false;
    } catch (const std::runtime_error &e) {
        std::puts(e.what());
        good &= std::strstr(e.what(), "shared memory") != nullptr;
    }
    return good && !aclrtResetDevice(0) && !aclFinalize() ? 0 : 1;
}
