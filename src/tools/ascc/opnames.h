/* Names that follow from an operator's: of its kernel and header, of parameters, of dtypes. */
#ifndef ASCC_OPNAMES_H
#define ASCC_OPNAMES_H

#include "tools/ascc/text.h"

/* AddCustom -> add_custom, RmsNorm2Custom -> rms_norm2_custom, AABlock -> aa_block. */
char *snake_name(const char *name);
/* res_out -> RES_OUT */
char *upper_name(const char *name);

/* negative_slope -> negativeSlope with `ending`, unlike every name in `used`, to which it is added,
 * and unlike C's and C++'s own words. */
const char *parameter_name(words *used, const char *name, const char *ending);

/* How a kernel calls an aclDataType: `float` and `DT_FLOAT`; false if it has none. */
bool dtype_names(int dtype, const char **type, const char **original);

bool contains_word(const char *text, const char *word);

#endif
