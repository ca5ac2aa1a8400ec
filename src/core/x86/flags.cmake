# Each file of x86/ is compiled for the CPU in its name; backend.c asks before it calls them.
file(GLOB avx2 ${CMAKE_CURRENT_LIST_DIR}/avx2_*.c)
set_source_files_properties(${avx2} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mf16c;-ffp-contract=off")
file(GLOB avx512 ${CMAKE_CURRENT_LIST_DIR}/avx512_*.c)
set_source_files_properties(
  ${avx512} PROPERTIES COMPILE_OPTIONS
                       "-mavx512f;-mavx512bw;-mavx512vl;-mavx512dq;-mfma;-mf16c;-ffp-contract=off")
set_property(
  SOURCE ${CMAKE_CURRENT_LIST_DIR}/avx512_bf16_panel.c
  APPEND
  PROPERTY COMPILE_OPTIONS -mavx512bf16)
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/amx_cube.c
  PROPERTIES
    COMPILE_OPTIONS
    "-mavx512f;-mavx512bw;-mavx512vl;-mavx512dq;-mfma;-mf16c;-mamx-tile;-mamx-bf16;-ffp-contract=off")
# Loops are left to the compiler here.
set_property(
  SOURCE ${CMAKE_CURRENT_LIST_DIR}/avx2_portable.c ${CMAKE_CURRENT_LIST_DIR}/avx512_portable.c
         ${CMAKE_CURRENT_LIST_DIR}/avx2_fused.c ${CMAKE_CURRENT_LIST_DIR}/avx512_fused.c
         ${CMAKE_CURRENT_LIST_DIR}/avx2_attention.c ${CMAKE_CURRENT_LIST_DIR}/avx512_attention.c
         ${CMAKE_CURRENT_LIST_DIR}/avx2_row.c ${CMAKE_CURRENT_LIST_DIR}/avx512_row.c
  APPEND
  PROPERTY COMPILE_OPTIONS -O3)
set_property(
  SOURCE ${CMAKE_CURRENT_LIST_DIR}/avx512_portable.c ${CMAKE_CURRENT_LIST_DIR}/avx512_fused.c
  APPEND
  PROPERTY COMPILE_OPTIONS -mprefer-vector-width=512)
