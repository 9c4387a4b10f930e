// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Wrappers.h"
#include "runtime/ApplicationThread.h"
#include "runtime/EngineThread.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/State.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace luthier::runtime {

/// Tools see the application's code come and go.
static void tell(llvm::ArrayRef<hsa::LoadedCodeObject> Objects, bool IsLoaded) {
  if (Objects.empty() || !state().Tools.enter())
    return;
  for (const hsa::LoadedCodeObject &Object : Objects)
    toolRegistry().onCodeObject(Object, IsLoaded);
  state().Tools.leave();
}

/// Threads make queues that have not loaded Luthier.
static std::atomic<HsaApiTable *> Wrapped = nullptr;
static std::atomic<bool> HasSeenCode = false;
/// What was in the table's place of hsa_queue_create() when an application's
/// queue last came to Luthier; null before. Tools behind which Luthier is
/// called are there, too.
static std::atomic<decltype(hsa_queue_create) *> LastCreate = nullptr;

static void noteQueue() {
  LastCreate = Wrapped.load()->core_->hsa_queue_create_fn;
}

void installWrappers(HsaApiTable &Table) {
  const AmdApiSlots Amd = amdApiSlots(Table);
#define LUTHIER_WRAP_CORE(Function)                                            \
  Table.core_->Function##_fn = &wrap::Function;
#define LUTHIER_WRAP_AMD(Function) *Amd.Function##_fn = &wrap::Function;
#include "runtime/Wrappers.def"
  Wrapped = &Table;
}

void complainOfOtherQueues() {
  HsaApiTable *const Table = Wrapped;
  if (!HasSeenCode || !Table)
    return;
  auto *const Create = Table->core_->hsa_queue_create_fn;
  Dl_info Other;
  static std::once_flag Once;
  if (Create != &wrap::hsa_queue_create && Create != LastCreate &&
      ::dladdr(reinterpret_cast<void *>(Create), &Other))
    std::call_once(Once, [&] {
      logWarning(llvm::Twine(Other.dli_fname) +
                 " has taken the place of Luthier in hsa_queue_create(); " +
                 (LastCreate ? "if it has made queues since, tools have seen "
                               "no kernel of these"
                             : "tools have seen no kernel of this program"));
    });
}

/// Has what a first launch would wait for be done now: who makes a queue will
/// launch something, but has to load it first.
static void prepareEngine(hsa_agent_t Agent) {
  // For benchmarks.
  if (const char *Given = std::getenv("LUTHIER_BENCH_PREPARE");
      Given && llvm::StringRef(Given) == "0")
    return;
  auto Name = isaName(Agent);
  auto Device = Name ? TargetID::parse(*Name) : Name.takeError();
  if (!Device)
    return llvm::consumeError(Device.takeError());
  static std::mutex Lock;
  static auto &Known = *new std::set<std::string>; // Processors.
  std::lock_guard Guard(Lock);
  if (!Known.insert(Device->Processor).second)
    return;
  auto prepare = [](const TargetID &Target) {
    engineThread().post([=] {
      if (std::optional<OwnHooks> Tool = state().Modules.hooksFor(Target))
        instrumentForNothing(*Tool, state().Versions.compilers(),
                             [] { return engineThread().isWanted(); });
    });
  };
  // Compilers make code for all settings unless they are told otherwise; AMD
  // builds libraries for each of XNACK.
  prepare({Device->Processor, std::nullopt, std::nullopt});
  if (Device->Xnack)
    prepare({Device->Processor, Device->Xnack, std::nullopt});
  engineThread().post(EngineThread::keepMemory);
}

hsa_status_t
wrap::hsa_queue_create(hsa_agent_t Agent, uint32_t Size,
                       hsa_queue_type32_t Type,
                       void (*OnError)(hsa_status_t, hsa_queue_t *, void *),
                       void *Data, uint32_t PrivateSegmentSize,
                       uint32_t GroupSegmentSize, hsa_queue_t **Queue) {
  if (!Queue)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  noteQueue();
  if (!state().Filter->isForOthers())
    prepareEngine(Agent);
  return state().Queues.create(Agent, Size, Type, OnError, Data,
                               PrivateSegmentSize, GroupSegmentSize, Queue,
                               coreApi().hsa_queue_create_fn);
}

/// Other tools make their queues so. Handlers that they register come before
/// ours.
hsa_status_t wrap::hsa_amd_queue_intercept_create(
    hsa_agent_t Agent, uint32_t Size, hsa_queue_type32_t Type,
    void (*OnError)(hsa_status_t, hsa_queue_t *, void *), void *Data,
    uint32_t PrivateSegmentSize, uint32_t GroupSegmentSize,
    hsa_queue_t **Queue) {
  if (!Queue)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  noteQueue();
  if (!state().Filter->isForOthers())
    prepareEngine(Agent);
  return state().Queues.create(Agent, Size, Type, OnError, Data,
                               PrivateSegmentSize, GroupSegmentSize, Queue,
                               amdApi().hsa_amd_queue_intercept_create_fn);
}

hsa_status_t wrap::hsa_queue_destroy(hsa_queue_t *Queue) {
  return state().Queues.destroy(Queue);
}

hsa_status_t wrap::hsa_queue_inactivate(hsa_queue_t *Queue) {
  return state().Queues.inactivate(Queue);
}

namespace {
struct EventHandler {
  hsa_amd_system_event_callback_t Callback;
  void *Data;
};
} // namespace

/// Each kind of event that there is so far is about a device that failed, with
/// which its description begins.
static hsa_status_t onSystemEvent(const hsa_amd_event_t *Event, void *Data) {
  state().Queues.deviceFailed(Event->memory_fault.agent);
  const auto &Handler = *static_cast<const EventHandler *>(Data);
  return Handler.Callback(Event, Handler.Data);
}

hsa_status_t wrap::hsa_amd_register_system_event_handler(
    hsa_amd_system_event_callback_t Callback, void *Data) {
  if (!Callback)
    return amdApi().hsa_amd_register_system_event_handler_fn(Callback, Data);
  // The runtime has it until the process ends.
  auto Handler = std::make_unique<EventHandler>(EventHandler{Callback, Data});
  const hsa_status_t Status = amdApi().hsa_amd_register_system_event_handler_fn(
      &onSystemEvent, Handler.get());
  if (Status == HSA_STATUS_SUCCESS)
    (void)Handler.release();
  return Status;
}

hsa_status_t wrap::hsa_executable_load_agent_code_object(
    hsa_executable_t Executable, hsa_agent_t Agent,
    hsa_code_object_reader_t Reader, const char *Options,
    hsa_loaded_code_object_t *Object) {
  hsa_loaded_code_object_t Loaded = {0};
  hsa_status_t Status = coreApi().hsa_executable_load_agent_code_object_fn(
      Executable, Agent, Reader, Options, &Loaded);
  if (Status != HSA_STATUS_SUCCESS)
    return Status;
  if (Object)
    *Object = Loaded;
  const ApplicationThreadScope Scope;
  runOnLargeStack([&] { state().Code.loaded(Executable, Loaded); });
  return Status;
}

hsa_status_t wrap::hsa_executable_freeze(hsa_executable_t Executable,
                                         const char *Options) {
  hsa_status_t Status = coreApi().hsa_executable_freeze_fn(Executable, Options);
  const ApplicationThreadScope Scope;
  HasSeenCode = true;
  if (Status == HSA_STATUS_SUCCESS)
    runOnLargeStack(
        [&] { tell(state().Code.frozen(Executable), /*IsLoaded=*/true); });
  return Status;
}

hsa_status_t wrap::hsa_executable_destroy(hsa_executable_t Executable) {
  {
    const ApplicationThreadScope Scope;
    // Tools hear of the end of a kernel before its code goes.
    state().Queues.drainCompletionsOf(state().Code.rangesOf(Executable));
    runOnLargeStack(
        [&] { tell(state().Code.objectsOf(Executable), /*IsLoaded=*/false); });
  }
  // Before the addresses are free for other code.
  for (const AddressRange &Range : state().Code.destroyed(Executable))
    state().Versions.drop(Range);
  return coreApi().hsa_executable_destroy_fn(Executable);
}

hsa_status_t wrap::hsa_memory_allocate(hsa_region_t Region, size_t Size,
                                       void **Memory) {
  hsa_status_t Status = coreApi().hsa_memory_allocate_fn(Region, Size, Memory);
  if (Status == HSA_STATUS_SUCCESS)
    state().Memory.allocated(*Memory, Size);
  return Status;
}

hsa_status_t wrap::hsa_memory_free(void *Memory) {
  state().Memory.aboutToBeFreed(Memory);
  return coreApi().hsa_memory_free_fn(Memory);
}

hsa_status_t wrap::hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t Pool,
                                                size_t Size, uint32_t Flags,
                                                void **Memory) {
  hsa_status_t Status =
      amdApi().hsa_amd_memory_pool_allocate_fn(Pool, Size, Flags, Memory);
  if (Status == HSA_STATUS_SUCCESS)
    state().Memory.allocated(*Memory, Size);
  return Status;
}

hsa_status_t wrap::hsa_amd_memory_pool_free(void *Memory) {
  state().Memory.aboutToBeFreed(Memory);
  return amdApi().hsa_amd_memory_pool_free_fn(Memory);
}

} // namespace luthier::runtime
