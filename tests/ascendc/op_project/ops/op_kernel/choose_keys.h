// Keys as macros, one made of another; they need all of 64 bits.
#define BY_ADDING 10000000000000001UL
#define BY_SCALING (BY_ADDING + 1)
