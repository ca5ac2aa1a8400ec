/* What the tiling function of an op project gets. Names: the vendor's public documentation. */
#ifndef ASCENDC_EXE_GRAPH_TILING_CONTEXT_H
#define ASCENDC_EXE_GRAPH_TILING_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

#include <cstring>
#include <type_traits>

namespace fe
{
/* Its answers are the process's chip's: PlatformAscendC asks for them. */
class PlatFormInfos
{
};
} // namespace fe

namespace gert
{
/* The bytes that become the kernel's tiling. */
class TilingData
{
  public:
    explicit TilingData(sa_project_call *call) : call_(call) {}
    void *GetData() { return call_->tiling; }
    const void *GetData() const { return call_->tiling; }
    size_t GetCapacity() const { return call_->tiling_capacity; }
    size_t GetDataSize() const { return call_->tiling_bytes; }
    void SetDataSize(size_t bytes) { call_->tiling_bytes = bytes; }
    template <class T, std::enable_if_t<std::is_trivially_copyable_v<T>, int> = 0>
    ge::graphStatus Append(const T &value)
    {
        return Append(&value, 1);
    }
    template <class T, std::enable_if_t<std::is_trivially_copyable_v<T>, int> = 0>
    ge::graphStatus Append(const T *values, size_t count)
    {
        if (count * sizeof(T) > call_->tiling_capacity - call_->tiling_bytes) {
            return ge::GRAPH_FAILED;
        }
        std::memcpy(static_cast<char *>(call_->tiling) + call_->tiling_bytes, values,
                    count * sizeof(T));
        call_->tiling_bytes += count * sizeof(T);
        return ge::GRAPH_SUCCESS;
    }

  private:
    sa_project_call *call_;
};

class TilingContext : public ExtendedKernelContext
{
  public:
    explicit TilingContext(sa_project_call *call) : ExtendedKernelContext(call), raw_(call) {}

    const StorageShape *GetInputShape(size_t i) const { return as_storage(input(i)); }
    const StorageShape *GetRequiredInputShape(size_t i) const
    {
        return as_storage(defined_input(i, 0));
    }
    const StorageShape *GetOptionalInputShape(size_t i) const
    {
        return as_storage(defined_input(i, 0));
    }
    const StorageShape *GetDynamicInputShape(size_t i, size_t relative) const
    {
        return as_storage(defined_input(i, relative));
    }
    const Tensor *GetInputTensor(size_t i) const { return as_tensor(input(i)); }
    const Tensor *GetRequiredInputTensor(size_t i) const { return as_tensor(defined_input(i, 0)); }
    const Tensor *GetOptionalInputTensor(size_t i) const { return as_tensor(defined_input(i, 0)); }
    const Tensor *GetDynamicInputTensor(size_t i, size_t relative) const
    {
        return as_tensor(defined_input(i, relative));
    }
    const StorageShape *GetOutputShape(size_t i) const { return as_storage(output(i)); }

    ge::graphStatus SetTilingKey(uint64_t key)
    {
        call_->tiling_key = key;
        return ge::GRAPH_SUCCESS;
    }
    uint64_t GetTilingKey() const { return call_->tiling_key; }
    ge::graphStatus SetBlockDim(uint32_t blocks)
    {
        call_->blocks = blocks;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetBlockDim() const { return call_->blocks; }
    ge::graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }
    ge::graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }
    bool NeedAtomic() const { return false; }
    ge::graphStatus SetTilingCond(int32_t) { return ge::GRAPH_SUCCESS; }
    ge::graphStatus SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }
    int32_t GetDeterministic() const { return 1; }

    /* The structure in the raw tiling data, whose size is set to it; NULL if it does not fit. */
    template <class T>
    T *GetTilingData()
    {
        if (sizeof(T) > call_->tiling_capacity) {
            return nullptr;
        }
        call_->tiling_bytes = sizeof(T);
        return static_cast<T *>(call_->tiling);
    }
    TilingData *GetRawTilingData() { return &raw_; }

    /* Room for the sizes of `count` workspaces; NULL for more than there are. */
    size_t *GetWorkspaceSizes(size_t count)
    {
        if (count > SA_PROJECT_WORKSPACES) {
            return nullptr;
        }
        call_->workspace_count = count;
        return call_->workspaces;
    }
    size_t GetWorkspaceNum() const { return call_->workspace_count; }

    fe::PlatFormInfos *GetPlatformInfo() const { return const_cast<fe::PlatFormInfos *>(&chip_); }
    /* Compile information is made by TilingParse, which has nothing to say here. */
    template <class T>
    const T *GetCompileInfo() const
    {
        static const T info{};
        return &info;
    }

  private:
    TilingData raw_;
    fe::PlatFormInfos chip_;
};

/* SetTilingParse's function gets one; it is never called. */
class TilingParseContext
{
  public:
    template <class T>
    T *GetCompiledInfo()
    {
        static T info{};
        return &info;
    }
    fe::PlatFormInfos *GetPlatformInfo() { return &chip_; }
    const char *GetCompiledJson() const { return "{}"; }

  private:
    fe::PlatFormInfos chip_;
};
} // namespace gert

#endif
