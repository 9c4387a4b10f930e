/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The emulated GPU as a C library: libluthier-emulator.so.
 *
 * A device executes the machine code of one target. It sees the memory that is
 * mapped or allocated for it, and nothing else. A program loads a code object
 * (or raw machine code) and either dispatches a kernel, which runs to its end,
 * or creates an execution: a dispatch that stands still, whose waves can be
 * stepped, read and changed.
 *
 * Conventions
 *  - Every function that can fail returns a luthier_emu_status. The text that
 *    belongs to a failure is luthier_emu_error() of the device, or of NULL
 *    where the failure is that there was no object.
 *  - Sizes and offsets are in bytes, grids in work-items, per axis x, y, z.
 *  - Structs that may grow begin with struct_size; set it to sizeof(the struct)
 *    and clear the rest. Fields that a caller's struct is too short for count
 *    as zero, or are not written. LUTHIER_EMU_INVALID_ARGUMENT without it.
 *  - An object belongs to its device and must be destroyed before it. A device
 *    and its objects are used by one thread at a time; devices are independent.
 *  - Strings returned live as long as the object they were asked of.
 *  - Results are written only on success, unless said otherwise.
 */
#ifndef LUTHIER_EMULATOR_H
#define LUTHIER_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUTHIER_EMU_API __attribute__((visibility("default")))

/* Grows with every addition; a new major number breaks users. */
#define LUTHIER_EMU_VERSION_MAJOR 1
#define LUTHIER_EMU_VERSION_MINOR 2

typedef enum luthier_emu_status {
  LUTHIER_EMU_OK = 0,
  LUTHIER_EMU_INVALID_ARGUMENT = 1, /* null, out of range, wrong size */
  LUTHIER_EMU_UNKNOWN_TARGET = 2,
  LUTHIER_EMU_NOT_FOUND = 3,       /* no such kernel, symbol, mapping, wave */
  LUTHIER_EMU_BAD_CODE_OBJECT = 4, /* damaged, or for another target */
  LUTHIER_EMU_OVERLAP = 5,         /* device addresses are in use */
  LUTHIER_EMU_OUT_OF_MEMORY = 6,
  LUTHIER_EMU_UNMAPPED = 7,   /* the device has no memory there */
  LUTHIER_EMU_REFUSED = 8,    /* the launch does not fit the hardware */
  LUTHIER_EMU_FAULT = 9,      /* a wave faulted; it stays where it did */
  LUTHIER_EMU_DEADLOCK = 10,  /* all waves wait for one another */
  LUTHIER_EMU_VIOLATION = 11, /* a rule of strict mode was broken */
  LUTHIER_EMU_DIFFERENT = 12, /* lockstep: the two versions differ */
} luthier_emu_status;

typedef struct luthier_emu_device luthier_emu_device;
typedef struct luthier_emu_code luthier_emu_code;
typedef struct luthier_emu_execution luthier_emu_execution;

/* -- Targets and devices ------------------------------------------------- */

/* LUTHIER_EMU_VERSION_MAJOR << 16 | LUTHIER_EMU_VERSION_MINOR of the library.
 */
LUTHIER_EMU_API uint32_t luthier_emu_version(void);
/* Stable spelling, such as "bad-code-object". */
LUTHIER_EMU_API const char *luthier_emu_status_name(luthier_emu_status status);
/* Names such as "gfx90a"; null from the number of targets on. */
LUTHIER_EMU_API const char *luthier_emu_target(uint32_t index);

typedef struct luthier_emu_device_options {
  size_t struct_size;
  /* An LLVM processor name. */
  const char *target;
  /* Order of waves and workgroups, and contents of registers and LDS that no
   * one has written. Equal seeds give equal runs. */
  uint64_t seed;
  /* Host threads that a dispatch may use; 0 counts as 1. Only with 1 is the
   * order of atomic operations repeatable. */
  uint32_t threads;
  /* Compute units, which bound how many workgroups run at a time; 0 for 8. */
  uint32_t compute_units;
  /* Nonzero: count executed instructions per address. Slower. */
  uint32_t count_instructions;
  /* Checks of strict mode: null or "0" for none, "1" for all, or a list of
   * "undefined", "hazards", "loads=earliest|latest|random", "seed=NUMBER"
   * and "continue", separated by commas, as LUTHIER_EMULATOR_STRICT has it. A
   * violation ends a dispatch with LUTHIER_EMU_VIOLATION, at once or, with
   * "continue", when it has run to its end. */
  const char *strict;
} luthier_emu_device_options;

/* On failure the text is luthier_emu_error(NULL), per thread. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_device_create(
    const luthier_emu_device_options *options, luthier_emu_device **device);
/* Null is allowed. */
LUTHIER_EMU_API void luthier_emu_device_destroy(luthier_emu_device *device);
/* One or more lines about the last failure of a call with this device or with
 * an object of it; empty if there was none. Valid until the next call. */
LUTHIER_EMU_API const char *luthier_emu_error(const luthier_emu_device *device);

/* -- Memory -------------------------------------------------------------- */

/* Lends the device [host, host + size) as [address, address + size). For
 * address = (uint64_t)host pointers mean the same on both sides. The range may
 * not overlap another one (LUTHIER_EMU_OVERLAP). */
LUTHIER_EMU_API luthier_emu_status luthier_emu_map(luthier_emu_device *device,
                                                   uint64_t address,
                                                   uint64_t size, void *host);
/* Takes back what was mapped at exactly this address. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_unmap(luthier_emu_device *device,
                                                     uint64_t address);

/* Device addresses that luthier_emu_allocate() hands out begin here. */
#define LUTHIER_EMU_ALLOCATION_BASE UINT64_C(0x200000000000)

/* Zeroed memory of the device's own, at least 256-byte aligned. Devices that
 * make the same calls in the same order get the same addresses. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_allocate(
    luthier_emu_device *device, uint64_t size, uint64_t *address);
LUTHIER_EMU_API luthier_emu_status luthier_emu_free(luthier_emu_device *device,
                                                    uint64_t address);
/* Copies from and to any memory that the device sees; LUTHIER_EMU_UNMAPPED if
 * it does not see all of it, and then nothing is copied. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_read(luthier_emu_device *device,
                                                    uint64_t address, void *to,
                                                    uint64_t size);
LUTHIER_EMU_API luthier_emu_status luthier_emu_write(luthier_emu_device *device,
                                                     uint64_t address,
                                                     const void *from,
                                                     uint64_t size);

/* -- Code ---------------------------------------------------------------- */

/* Loads a linked code object (ELF, code object version 4, 5 or 6): lays out its
 * segments in device memory, applies relocations. Bytes are copied. Fails for a
 * code object of another processor. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_load(luthier_emu_device *device,
                                                    const void *bytes,
                                                    size_t size,
                                                    luthier_emu_code **code);
/* Loads position-independent machine code without an ELF around it; it begins
 * at the 256-byte aligned *address. Goes with luthier_emu_free(). */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_load_raw(luthier_emu_device *device, const void *bytes, size_t size,
                     uint64_t *address);
/* Null is allowed. */
LUTHIER_EMU_API void luthier_emu_unload(luthier_emu_code *code);
/* To be called after code in memory was changed by other means than
 * luthier_emu_write(). */
LUTHIER_EMU_API luthier_emu_status luthier_emu_invalidate_code(
    luthier_emu_device *device, uint64_t address, uint64_t size);

/* Device address and size of a defined symbol. size may be null. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_symbol(const luthier_emu_code *code, const char *name,
                   uint64_t *address, uint64_t *size);
/* Device address of the first byte of the loaded segments, and what they take
 * up. A device address less this is the ELF's own address less that of its
 * first segment. Either may be null. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_code_range(
    const luthier_emu_code *code, uint64_t *address, uint64_t *size);
/* Names of kernels without ".kd"; null from the number of kernels on. */
LUTHIER_EMU_API const char *
luthier_emu_kernel_name(const luthier_emu_code *code, uint32_t index);

typedef struct luthier_emu_kernel_info {
  size_t struct_size;
  uint64_t descriptor_address;
  uint64_t entry_address;
  /* Bytes of its arguments, hidden ones included. */
  uint32_t kernarg_size;
  /* Bytes that arguments take before the first hidden one. */
  uint32_t explicit_kernarg_size;
  /* LDS of a workgroup and scratch of a work-item, fixed parts. */
  uint32_t group_segment_size;
  uint32_t private_segment_size;
  /* 32 or 64. */
  uint32_t wave_size;
  /* As the launch allocates them, per lane and per wave. */
  uint32_t vgprs;
  uint32_t agprs;
  uint32_t sgprs;
  /* Of the metadata; hidden arguments included. */
  uint32_t argument_count;
  /* Largest workgroup it was compiled for; 0 if the metadata does not say. */
  uint32_t max_workgroup_size;
} luthier_emu_kernel_info;

LUTHIER_EMU_API luthier_emu_status
luthier_emu_kernel(const luthier_emu_code *code, const char *kernel,
                   luthier_emu_kernel_info *info);

typedef struct luthier_emu_argument_info {
  size_t struct_size;
  /* As the metadata has them; empty where it has none. */
  const char *name;
  const char *type_name;
  /* ".value_kind": "by_value", "global_buffer", "hidden_block_count_x", ... */
  const char *kind;
  uint32_t offset;
  uint32_t size;
  uint32_t is_hidden;
} luthier_emu_argument_info;

/* Arguments in order of the metadata; LUTHIER_EMU_NOT_FOUND past the last. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_kernel_argument(const luthier_emu_code *code, const char *kernel,
                            uint32_t index, luthier_emu_argument_info *info);

/* -- Dispatch ------------------------------------------------------------ */

typedef struct luthier_emu_launch {
  size_t struct_size;
  /* Work-items; grids need not be multiples of the workgroup. 0 counts as 1. */
  uint32_t grid[3];
  uint32_t workgroup[3];
  /* The explicit arguments as they lie in memory. Hidden arguments that begin
   * at kernarg_size or later are filled in. */
  const void *kernarg;
  uint32_t kernarg_size;
  /* LDS of a workgroup beyond the kernel's fixed part. */
  uint32_t dynamic_lds;
  /* Scratch of a work-item; 0 for what the kernel's descriptor says, with 1024
   * bytes at least if its stack grows dynamically. */
  uint32_t private_segment_size;
  /* Scratch memory is laid out as if work-items had at least so much; what they
   * may use stays the same. For luthier_emu_lockstep(). */
  uint32_t scratch_reserve;
} luthier_emu_launch;

/* A launch without a descriptor. The kernel begins with EXEC set for its
 * work-items, its user SGPRs from s0 on, then the workgroup ids that were asked
 * for, then (where targets have it) the scratch wave offset; v0 to v2, or v0
 * alone, hold work-item ids as the target packs them. Targets without such
 * system SGPRs (gfx12) have workgroup ids in ttmp9 and ttmp7. */
typedef struct luthier_emu_raw_launch {
  size_t struct_size;
  uint64_t entry_address;
  uint32_t grid[3];
  uint32_t workgroup[3];
  /* 32 or 64; 0 for 64. */
  uint32_t wave_size;
  /* Allocated registers; rounded up to what the target allocates. AGPRs are
   * ignored where there are none. */
  uint32_t vgprs;
  uint32_t agprs;
  uint32_t sgprs;
  /* At most 16. */
  const uint32_t *user_sgprs;
  uint32_t user_sgpr_count;
  /* Bit 0, 1, 2: workgroup id x, y, z in SGPRs. */
  uint32_t workgroup_ids;
  /* Axes of work-item ids in registers, 1 to 3; 0 counts as 1. */
  uint32_t work_item_axes;
  /* Bytes per workgroup and per work-item. */
  uint32_t lds_size;
  uint32_t scratch_size;
  /* Initial MODE: rounding [3:0], denormals [7:4], DX10 clamp [8], IEEE [9]. */
  uint32_t mode;
  /* As in luthier_emu_launch. */
  uint32_t scratch_reserve;
} luthier_emu_raw_launch;

typedef struct luthier_emu_stats {
  size_t struct_size;
  /* Instructions issued, once per wave. */
  uint64_t wave_instructions;
  /* Active lanes of vector and memory operations, one for each scalar one. */
  uint64_t lane_instructions;
} luthier_emu_stats;

/* Runs a kernel to its end. stats may be null; it is also filled in for
 * LUTHIER_EMU_FAULT and LUTHIER_EMU_DEADLOCK. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_dispatch(
    luthier_emu_code *code, const char *kernel,
    const luthier_emu_launch *launch, luthier_emu_stats *stats);
LUTHIER_EMU_API luthier_emu_status luthier_emu_dispatch_raw(
    luthier_emu_device *device, const luthier_emu_raw_launch *launch,
    luthier_emu_stats *stats);

/* -- Executions: dispatches that can be stopped -------------------------- */

/* Sets up a dispatch that has not executed anything. code or device outlive
 * the execution. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_execution_create(
    luthier_emu_code *code, const char *kernel,
    const luthier_emu_launch *launch, luthier_emu_execution **execution);
LUTHIER_EMU_API luthier_emu_status luthier_emu_execution_create_raw(
    luthier_emu_device *device, const luthier_emu_raw_launch *launch,
    luthier_emu_execution **execution);
/* Null is allowed. */
LUTHIER_EMU_API void
luthier_emu_execution_destroy(luthier_emu_execution *execution);

typedef enum luthier_emu_wave_state {
  LUTHIER_EMU_WAVE_WAITING_FOR_ROOM = 0, /* its workgroup has not started */
  LUTHIER_EMU_WAVE_READY = 1,
  LUTHIER_EMU_WAVE_AT_BARRIER = 2,
  LUTHIER_EMU_WAVE_AT_GLOBAL_SYNC = 3,
  LUTHIER_EMU_WAVE_FAULTED = 4,
  LUTHIER_EMU_WAVE_ENDED = 5,    /* its registers can still be read */
  LUTHIER_EMU_WAVE_FORGOTTEN = 6 /* ended, and its room was needed */
} luthier_emu_wave_state;

typedef struct luthier_emu_wave_info {
  size_t struct_size;
  luthier_emu_wave_state state;
  uint64_t pc;
  uint32_t workgroup[3];
  uint32_t number_in_workgroup;
  uint32_t wave_size;
  uint32_t lds_size;
  uint64_t wave_instructions;
} luthier_emu_wave_info;

/* Waves of the whole dispatch. Wave w is number w % waves_per_workgroup of
 * workgroup w / waves_per_workgroup, workgroups counted with x fastest. */
LUTHIER_EMU_API uint64_t
luthier_emu_wave_count(const luthier_emu_execution *execution);
LUTHIER_EMU_API luthier_emu_status
luthier_emu_wave(luthier_emu_execution *execution, uint64_t wave,
                 luthier_emu_wave_info *info);

/* Executes up to count instructions of one wave, fewer if it ends or waits for
 * others. executed may be null; it is filled in also on failure. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_step(luthier_emu_execution *execution, uint64_t wave,
                 uint64_t count, uint64_t *executed);
/* Executes all waves in turns until a wave is about to execute the instruction
 * at one of the addresses, or all have ended. *wave is that wave, or
 * UINT64_MAX. A wave that is at one of the addresses already executes that
 * instruction first. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_run_until(luthier_emu_execution *execution,
                      const uint64_t *addresses, size_t count, uint64_t *wave);
/* Executes all waves to their end. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_run(luthier_emu_execution *execution, luthier_emu_stats *stats);

/* -- Registers and LDS of a wave that has started and is not forgotten ---- */

typedef enum luthier_emu_register {
  LUTHIER_EMU_SGPR = 0,         /* 32 bits, by index */
  LUTHIER_EMU_EXEC = 1,         /* one bit per lane */
  LUTHIER_EMU_VCC = 2,          /* one bit per lane */
  LUTHIER_EMU_SCC = 3,          /* 0 or 1 */
  LUTHIER_EMU_M0 = 4,           /* 32 bits */
  LUTHIER_EMU_MODE = 5,         /* 32 bits */
  LUTHIER_EMU_PC = 6,           /* device address of the next instruction */
  LUTHIER_EMU_FLAT_SCRATCH = 7, /* 64 bits */
  LUTHIER_EMU_TTMP = 8,         /* 32 bits, by index */
  LUTHIER_EMU_VGPR = 9, /* for the vector calls: 32 bits per lane, by index */
  LUTHIER_EMU_AGPR = 10
} luthier_emu_register;

/* Reading shows what is there now: a load in flight that strict mode lets
 * return late has not arrived. Writing is as if the kernel had waited for loads
 * into that register; all that such a load brings has arrived then. What is
 * written, also by luthier_emu_write_lds() and luthier_emu_write(), counts as
 * initialised. index is 0 for registers that have none. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_read_scalar(
    luthier_emu_execution *execution, uint64_t wave, luthier_emu_register file,
    uint32_t index, uint64_t *value);
LUTHIER_EMU_API luthier_emu_status luthier_emu_write_scalar(
    luthier_emu_execution *execution, uint64_t wave, luthier_emu_register file,
    uint32_t index, uint64_t value);
/* Lanes [first_lane, first_lane + count), active or not. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_read_vector(
    luthier_emu_execution *execution, uint64_t wave, luthier_emu_register file,
    uint32_t index, uint32_t first_lane, uint32_t count, uint32_t *values);
LUTHIER_EMU_API luthier_emu_status luthier_emu_write_vector(
    luthier_emu_execution *execution, uint64_t wave, luthier_emu_register file,
    uint32_t index, uint32_t first_lane, uint32_t count,
    const uint32_t *values);
/* LDS of the wave's workgroup. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_read_lds(luthier_emu_execution *execution, uint64_t wave,
                     uint32_t offset, uint32_t size, void *to);
LUTHIER_EMU_API luthier_emu_status
luthier_emu_write_lds(luthier_emu_execution *execution, uint64_t wave,
                      uint32_t offset, uint32_t size, const void *from);

/* -- Execution counts and violations
 * ---------------------------------------------------- */

typedef struct luthier_emu_count {
  uint64_t pc;
  /* How often a wave issued it, and the lanes that were active then (one for
   * each scalar operation). */
  uint64_t waves;
  uint64_t lanes;
} luthier_emu_count;

/* What was executed since the device was created or the counts were cleared,
 * in ascending order of address. Writes at most capacity entries and sets
 * *count to how many there are. Needs count_instructions. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_counts(luthier_emu_device *device, luthier_emu_count *entries,
                   size_t capacity, size_t *count);
LUTHIER_EMU_API luthier_emu_status
luthier_emu_clear_counts(luthier_emu_device *device);
/* What strict mode found since the device was created or the list was cleared,
 * once per rule and address of each dispatch. */
typedef struct luthier_emu_violation {
  size_t struct_size;
  /* Stable name of the rule, such as "uninitialised-branch". */
  const char *rule;
  const char *kernel;
  uint64_t pc;
  /* The other instruction involved, such as the load; 0 if there is none. */
  uint64_t other_pc;
  const char *instruction;
  uint32_t workgroup[3];
  /* Its number in the workgroup. */
  uint32_t wave;
  /* -1 if it is not about one lane. */
  int32_t lane;
  /* As assembly spells it; may be empty. */
  const char *reg;
  /* One line with everything. */
  const char *text;
} luthier_emu_violation;

LUTHIER_EMU_API size_t
luthier_emu_violation_count(const luthier_emu_device *device);
/* Strings live until the list is cleared. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_violation_at(
    luthier_emu_device *device, size_t index, luthier_emu_violation *violation);
LUTHIER_EMU_API void luthier_emu_clear_violations(luthier_emu_device *device);
/* The instruction at an address as assembly; valid until the next call of this
 * function for the device. Null where there is none. */
LUTHIER_EMU_API const char *luthier_emu_disassemble(luthier_emu_device *device,
                                                    uint64_t address,
                                                    uint32_t wave_size);

/* -- Lockstep: a kernel and an instrumented version of it ------------------ */

/* A device with the same options and a copy of the memory at the same device
 * addresses; what was mapped is copied, too. Later calls on the two devices go
 * their own ways, but get equal addresses if they are equal. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_clone(luthier_emu_device *device, luthier_emu_device **clone);
/* The handle, for the clone, of code that was loaded before. */
LUTHIER_EMU_API luthier_emu_status
luthier_emu_clone_code(luthier_emu_device *clone, const luthier_emu_code *code,
                       luthier_emu_code **copy);

typedef struct luthier_emu_pc_pair {
  uint64_t instrumented;
  uint64_t original;
} luthier_emu_pc_pair;

/* Registers that may differ before the original's instructions
 * [first_pc, last_pc], such as those that hold PCs or sizes of the launch. For
 * LUTHIER_EMU_SGPR, _VGPR and _AGPR count of them from index on; of others,
 * _EXEC, _VCC, _SCC and _M0. */
typedef struct luthier_emu_allowance {
  uint64_t first_pc;
  uint64_t last_pc;
  luthier_emu_register file;
  uint32_t index;
  uint32_t count;
} luthier_emu_allowance;

/* Device addresses [begin, end). */
typedef struct luthier_emu_range {
  uint64_t begin;
  uint64_t end;
} luthier_emu_range;

typedef struct luthier_emu_lockstep_options {
  size_t struct_size;
  /* For each instruction of the original that the instrumented version kept;
   * code without an entry is payload. Device addresses. */
  const luthier_emu_pc_pair *map;
  size_t map_count;
  /* Original code that the instrumented version may run where it is. */
  luthier_emu_range in_place;
  const luthier_emu_allowance *allowances;
  size_t allowance_count;
  /* Memory that may differ at the end, besides scratch, packet and arguments,
   * which always may. */
  const luthier_emu_range *ignored;
  size_t ignored_count;
  /* Nonzero: mapped instructions may differ in more than branch distances. */
  uint32_t allow_other_instructions;
  /* Order of waves and lengths of their turns. */
  uint64_t seed;
  /* Payload instructions in a row that count as endless; 0 for 2^20. */
  uint64_t most_payload;
  /* Checks that the instrumented version has to pass, too; as in
   * luthier_emu_device_options. Load timing is always "earliest". */
  const char *strict;
  /* Nonzero: registers need only be equal where the original reads them, so
   * that the instrumented version may lose values that are read no more.
   * Version 1.1. */
  uint32_t only_what_is_read;
} luthier_emu_lockstep_options;

typedef struct luthier_emu_difference {
  size_t struct_size;
  /* "register", "lds", "memory", "control-flow", "instruction", "end", "fault",
   * "violation", "garbage" or "no-return". */
  const char *kind;
  /* The original instruction before which state differs (for memory: after
   * which), and where the instrumented version is; 0 at the end. */
  uint64_t original_pc;
  uint64_t instrumented_pc;
  uint32_t workgroup[3];
  /* Its number in the workgroup. */
  uint32_t wave;
  /* -1 if it is not about one lane. */
  int32_t lane;
  /* As assembly spells it; may be empty. */
  const char *reg;
  /* Of memory, or an offset into LDS. */
  uint64_t address;
  /* The values that differ. */
  uint64_t original;
  uint64_t instrumented;
  /* The last instruction of the instrumented version that wrote the register;
   * 0 if unknown. */
  uint64_t writer_pc;
  /* One line with everything. */
  const char *text;
  /* Instructions of the original at which state was compared, and those that
   * the instrumented version executed beside them; of both outcomes.
   * Version 1.2. */
  uint64_t compared;
  uint64_t inserted;
} luthier_emu_difference;

/* Runs both to their end or to the first difference. What is compared is in
 * docs/emulator-api.md. The executions belong to a device and its clone, have
 * not executed anything, and are used up: they can only be destroyed. Both have
 * the same grid, workgroup and scratch_reserve; the latter is at least the
 * larger of their scratch sizes. Returns LUTHIER_EMU_DIFFERENT with *difference
 * (which may be null) filled in, LUTHIER_EMU_OK with the counts alone, or
 * LUTHIER_EMU_FAULT if the original itself could not run to its end. Strings
 * live as long as the instrumented execution. Errors are those of the
 * original's device. */
LUTHIER_EMU_API luthier_emu_status luthier_emu_lockstep(
    luthier_emu_execution *original, luthier_emu_execution *instrumented,
    const luthier_emu_lockstep_options *options,
    luthier_emu_difference *difference);

#ifdef __cplusplus
}
#endif

#endif /* LUTHIER_EMULATOR_H */
