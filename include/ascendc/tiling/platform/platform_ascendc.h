/* The same as platform/platform_ascendc.h, where op projects look for it. */
#ifndef ASCENDC_TILING_PLATFORM_H
#define ASCENDC_TILING_PLATFORM_H
#include "platform/platform_ascendc.h"
#endif
