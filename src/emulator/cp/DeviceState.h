// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the queues of one emulated device share.
#ifndef LUTHIER_EMULATOR_CP_DEVICESTATE_H
#define LUTHIER_EMULATOR_CP_DEVICESTATE_H

#include "emulator/cp/DeviceModel.h"
#include "emulator/cp/DispatchJudge.h"
#include "emulator/cp/Host.h"
#include "emulator/cp/KernelNames.h"
#include "emulator/cp/Statistics.h"
#include "emulator/exec/ShaderArray.h"
#include "emulator/memory/AddressSpace.h"
#include <memory>

namespace luthier::emulator {

class DeviceState {
public:
  const DeviceModel &model() const { return Model; }
  AddressSpace &memory() { return Memory; }
  ShaderArray &shaders() { return *Shaders; }
  Host &host() { return TheHost; }
  KernelNames &kernelNames() { return Names; }
  Statistics &statistics() { return Stats; }
  /// Null for none. It outlives the queues; set it before there is one.
  void setJudge(DispatchJudge *New) { Judge = New; }
  DispatchJudge *judge() const { return Judge; }

protected:
  DeviceState(const DeviceModel &Model, Host &TheHost, Statistics &Stats)
      : Model(Model), TheHost(TheHost), Stats(Stats), Names(Memory) {}
  ~DeviceState() = default;

  const DeviceModel &Model;
  Host &TheHost;
  Statistics &Stats;
  DispatchJudge *Judge = nullptr;
  AddressSpace Memory;
  KernelNames Names;
  std::unique_ptr<ShaderArray> Shaders;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_DEVICESTATE_H
