/* softascend info: what this machine would run programs on. */
#include "tools/tools.h"

#include "acl/acl.h"
#include "chip/chip.h"
#include "core/isa.h"
#include "core/launch.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>

int sa_tool_info(int argc, char **argv)
{
    static const struct argp argp = {
        .doc = "Prints the devices, the chip and the backend that runs instructions on this CPU."};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);

    const sa_chip *chip = sa_chip_default();
    if (!chip) {
        fprintf(stderr, "softascend info: %s\n", sa_last_message());
        return 1;
    }
    uint32_t devices = 0;
    if (aclInit(NULL) != ACL_SUCCESS || aclrtGetDeviceCount(&devices) != ACL_SUCCESS) {
        fprintf(stderr, "softascend info: %s\n", sa_last_message());
        return 1;
    }
    aclFinalize();
    printf("softascend %s\n", SA_VERSION);
    printf("devices      %" PRIu32 " (SOFTASCEND_DEVICES, ASCEND_VISIBLE_DEVICES)\n", devices);
    printf("chip         %s, architecture %d, %s (SOFTASCEND_CHIP)\n", chip->name, chip->arch,
           chip->split ? "split" : "coupled");
    if (chip->split)
        printf("cores        %" PRIu32 " AI cores, each one cube and %" PRIu32
               " vector cores, %.2f "
               "GHz\n",
               chip->ai_cores, chip->vector_cores_per_ai_core, chip->frequency_ghz);
    else
        printf("cores        %" PRIu32 " AI cores, cube and vector unit in one, %.2f GHz\n",
               chip->ai_cores, chip->frequency_ghz);
    printf("memory       HBM %" PRIu64 " GiB, L2 %" PRIu64 " MiB; UB %" PRIu32 " KiB, L1 %" PRIu32
           " KiB, L0A %" PRIu32 " KiB, L0B %" PRIu32 " KiB, L0C %" PRIu32 " KiB\n",
           chip->hbm_bytes >> 30, chip->l2_bytes >> 20, chip->ub_bytes >> 10, chip->l1_bytes >> 10,
           chip->l0a_bytes >> 10, chip->l0b_bytes >> 10, chip->l0c_bytes >> 10);
    printf("instructions %s on %d threads (SOFTASCEND_CPU, SOFTASCEND_THREADS)\n",
           sa_isa_active()->backend, sa_launch_threads());
    return 0;
}
