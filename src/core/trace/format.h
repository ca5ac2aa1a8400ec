/* The trace file ($SOFTASCEND_TRACE=FILE): what record.c writes and timing/read.c reads.
 *
 * All numbers are unsigned LEB128 ("varint": 7 bits a byte, low first, top bit set on all but the
 * last), signed ones zigzag-coded into them. A string is its length and its bytes.
 *
 *   file      8 bytes "SATRACE\n", varint version, varint architecture (2201),
 *             varint sizes of UB, L1, L0A, L0B, L0C, BT; then chunks
 *   chunk     1 byte tag, 8 bytes little-endian length of the payload, payload
 *
 *   'I'       varint count, then that many names: the instructions by number, so that a reader need
 *             not have the writer's table. Once, first.
 *   'L'       a launch: string kernel name, varint core type (sa_core_type), varint blocks,
 *             varint lines, that many strings "file.c:42", then the blocks in order of index
 *   block     varint sites, that many varints: line index of each of the block's call sites;
 *             varint events; varint bytes of events; the events
 *   event     varint instruction, varint site, then by instruction
 *               set_flag, wait_flag   varint pipe, varint other, varint id
 *               barrier               varint pipe
 *               sync_all              nothing
 *               else                  varint pipe, dtype, dtype_from, work, accesses; each access:
 *                                     varint memory * 2 + write, address, rows, row_bytes and, if
 *                                     rows > 1, zigzag pitch. A local address is an offset. A GM
 *                                     address is allocation ordinal, offset; ordinal 0: in no
 *                                     allocation of the runtime, offset is the address modulo 512.
 *   'E'       varint launches: the end. A file without it was cut off.
 *
 * The content depends on the program only, not on threads or addresses. */
#ifndef SA_TRACE_FORMAT_H
#define SA_TRACE_FORMAT_H

#define SA_TRACE_MAGIC "SATRACE\n"
#define SA_TRACE_MAGIC_BYTES 8
#define SA_TRACE_VERSION 1
#define SA_TRACE_CHUNK_BYTES 9 /* tag and length */
#define SA_TRACE_INSTRUCTIONS 'I'
#define SA_TRACE_LAUNCH 'L'
#define SA_TRACE_END 'E'

#endif
