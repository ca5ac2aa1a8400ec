/* Feeds the chip file reader arbitrary bytes: it must answer every text with SA_OK and a chip whose
 * fields are sound, or with a message that begins with the file and a line. */
#include "chip/chip.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    sa_chip chip;
    sa_clear_message();
    sa_status status = sa_chip_parse((const char *)bytes, count, "fuzz.ini", &chip);
    if (status == SA_OK) {
        if (!chip.ai_cores || !(chip.frequency_ghz > 0) || chip.ub_bytes % 32 ||
            !memchr(chip.name, 0, sizeof chip.name))
            abort();
    } else if (status != SA_ERR_INVALID_FILE || strncmp(sa_last_message(), "fuzz.ini:", 9)) {
        abort();
    }
    return 0;
}
