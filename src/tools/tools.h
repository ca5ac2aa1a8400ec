/* The commands of the program `softascend`: argv[0] is the command's name; each returns the exit
 * code: 0, 1 for an error (one line on stderr says which), 64 for wrong usage. */
#ifndef SA_TOOLS_H
#define SA_TOOLS_H

int sa_tool_time(int argc, char **argv);
int sa_tool_info(int argc, char **argv);
int sa_tool_new_op(int argc, char **argv); /* 2 for a name that cannot be */

#endif
