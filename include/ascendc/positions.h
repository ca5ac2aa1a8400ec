/* Where a tensor lies and how: names that kernels (kernel_operator.h) and their host code
 * (tiling/tiling_api.h) share. Names: the vendor's public documentation. */
#ifndef ASCENDC_POSITIONS_H
#define ASCENDC_POSITIONS_H

#include <cstdint>

namespace AscendC
{
enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    MAX,
};
using QuePosition = TPosition;

enum class CubeFormat : uint8_t {
    ND,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    COLUMN_MAJOR,
};
} // namespace AscendC

#endif
