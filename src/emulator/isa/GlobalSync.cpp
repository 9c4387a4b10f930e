// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global wave sync: barriers and semaphores of a whole grid (CDNA ISA manuals,
// DS_GWS_*). A wave takes part once, whatever its EXEC, with the value of its
// first active lane.
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"
#include <bit>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// The queue's resource: the base in M0[21:16] plus the offset.
unsigned resource(const Wave &W, const Inst &I) {
  return ((W.m0() >> 16 & 0x3f) + unsigned(I.Offset)) &
         (GlobalWaveSync::NumResources - 1);
}

U32 firstLane(Wave &W, const Inst &I) {
  const U64 Exec = W.exec();
  return W.vgpr(I.Src[1].Reg)[Exec ? std::countr_zero(Exec) : 0];
}

/// Null, with a fault, on a queue that was given no resources.
GlobalWaveSync *sync(Wave &W) {
  if (!W.Thread->Sync)
    W.fault(ExecutionFault::Kind::IllegalInstruction,
            "the queue has no global wave sync; launch cooperatively");
  return W.Thread->Sync;
}

void wait(Wave &W, GlobalWaveSync &Sync, GlobalWaveSync::Wait For) {
  if (Sync.mayPass(For))
    return;
  W.SyncWait = For;
  W.Event = WaveEvent::GlobalSync;
}

void init(Wave &W, const Inst &I) {
  if (GlobalWaveSync *Sync = sync(W))
    Sync->init(resource(W, I), firstLane(W, I));
}
void barrier(Wave &W, const Inst &I) {
  if (GlobalWaveSync *Sync = sync(W))
    wait(W, *Sync, Sync->arrive(resource(W, I), firstLane(W, I)));
}
void acquire(Wave &W, const Inst &I) {
  if (GlobalWaveSync *Sync = sync(W))
    wait(W, *Sync, Sync->acquire(resource(W, I)));
}
void releaseOne(Wave &W, const Inst &I) {
  if (GlobalWaveSync *Sync = sync(W))
    Sync->release(resource(W, I), 1);
}
void releaseMany(Wave &W, const Inst &I) {
  if (GlobalWaveSync *Sync = sync(W))
    Sync->release(resource(W, I), firstLane(W, I));
}
void releaseAll(Wave &W, const Inst &I) {
  if (GlobalWaveSync *Sync = sync(W))
    Sync->releaseAll(resource(W, I));
}

constexpr Operation Rows[] = {
    {"ds_gws_init", init},           {"ds_gws_barrier", barrier},
    {"ds_gws_sema_p", acquire},      {"ds_gws_sema_v", releaseOne},
    {"ds_gws_sema_br", releaseMany}, {"ds_gws_sema_release_all", releaseAll},
};

} // namespace

std::span<const Operation> globalSyncRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
