// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/resolve/ResolvedTask.h"
#include "analysis/InsertionPointResolver.h"
#include "hook/VariableAddresses.h"
#include "lift/LiftedImpl.h"
#include "luthier/Mnemonic.h"
#include "luthier/Refusal.h"
#include "rewrite/resolve/ArgumentResolver.h"
#include "rewrite/resolve/ArgumentSpreader.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier {
namespace {

class TaskResolver {
public:
  TaskResolver(const LiftedRepresentation &LR, const RegisterUse &Use,
               HookResolver Resolve, uint64_t LoadBias,
               const detail::WorkgroupRange &Workgroups, HookCompilers &Known,
               PayloadStore *Store)
      : Target(*LR.impl().Target),
        WaveSize(LR.impl().Kernel->Descriptor.usesWave32() ? 32 : 64),
        Resolve(Resolve), Workgroups(Workgroups), Known(Known), Store(Store),
        Points(LR), Arguments(LR, Use, LoadBias) {}

  Expected<ResolvedTask> run(const InstrumentationTask &Task) {
    // Hooks of requests that fall on one point run in the order of their kinds.
    std::map<PointKind, SmallVector<const detail::InsertionRequest *, 0>>
        ByKind;
    const auto &Insertions = detail::contentsOf(Task).Insertions;
    // Most requests are one call.
    Result.Calls.reserve(Insertions.size());
    for (const detail::InsertionRequest &I : Insertions)
      ByKind[I.Kind].push_back(&I);
    for (const auto &[Kind, Requests] : ByKind)
      for (const detail::InsertionRequest *Request : Requests)
        if (Error E = resolve(*Request))
          return std::move(E);
    return std::move(Result);
  }

private:
  /// An argument for each of \p Hook's parameters, or 64 bits of them.
  Expected<SmallVector<HookArgument, 2>>
  spread(ArrayRef<HookArgument> Given, const UsedHook &Hook,
         const ResolvedInsertion &At) const;
  Error resolve(const detail::InsertionRequest &Request);
  Expected<ResolvedCall> resolveCall(const detail::InsertionRequest &Request,
                                     const UsedHook &Hook,
                                     const ResolvedInsertion &At);
  Expected<UsedHook *> find(const void *Handle);

  const amdgpu::MCTarget &Target;
  const unsigned WaveSize;
  HookResolver Resolve;
  const detail::WorkgroupRange Workgroups;
  HookCompilers &Known;
  PayloadStore *const Store;
  InsertionPointResolver Points;
  ArgumentResolver Arguments;
  ResolvedTask Result;
};

Expected<UsedHook *> TaskResolver::find(const void *Handle) {
  if (auto It = Result.Hooks.find(Handle); It != Result.Hooks.end())
    return &It->second;
  Expected<HookReference> Reference = Resolve(Handle);
  if (!Reference)
    return Reference.takeError();
  auto &Compiler = Result.Compilers[Reference->Module];
  if (!Compiler) {
    auto Found = Known.find(Target, *Reference->Module, WaveSize, Store);
    if (!Found)
      return Found.takeError();
    Compiler = std::move(*Found);
  }
  auto Parameters = Compiler->parametersOf(Reference->Function);
  if (!Parameters)
    return Parameters.takeError();
  UsedHook &Hook = Result.Hooks[Handle];
  Hook.Reference = *Reference;
  Hook.Parameters = *Parameters;
  return &Hook;
}

std::string listed(ArrayRef<std::string> Texts) {
  return Texts.empty() ? "nothing" : join(Texts, ", ");
}

/// Of which \p Hook has more parameters than it is given.
Error missesArguments(ArrayRef<HookArgument> Given, const UsedHook &Hook,
                      function_ref<unsigned(const HookArgument &)> DwordsOf) {
  SmallVector<std::string, 4> Texts, Wanted;
  for (const HookArgument &Argument : Given)
    Texts.push_back(describeArgument(Argument, DwordsOf(Argument)));
  for (const HookParameter &Parameter : Hook.Parameters)
    if (!Parameter.IsContinued)
      Wanted.push_back(Parameter.Text);
  return refuse(RefusalReason::HookArguments, "it takes " + listed(Wanted) +
                                                  ", but is given " +
                                                  listed(Texts));
}

Expected<SmallVector<HookArgument, 2>>
TaskResolver::spread(ArrayRef<HookArgument> Given, const UsedHook &Hook,
                     const ResolvedInsertion &At) const {
  auto DwordsOf = [&](const HookArgument &Argument) -> unsigned {
    const MCRegister Reg = ArgumentResolver::registerOf(Argument, At);
    return Reg ? argumentSlotFor(Reg, Target).Dwords : 0;
  };
  ArgumentSpreader Spreader(Hook.Parameters);
  for (const auto &[Number, Argument] : enumerate(Given))
    if (Error E = Spreader.add(Argument, DwordsOf(Argument),
                               Given.drop_front(Number + 1)))
      return refuse(RefusalReason::HookArguments, toString(std::move(E)));
  if (!Spreader.isComplete())
    return missesArguments(Given, Hook, DwordsOf);
  return Spreader.take();
}

/// Host code names the tool's variables by its own addresses. Nothing if
/// \p Argument is no such address.
Expected<std::optional<ArgumentValue>>
translatePointer(const HookArgument &Argument, const UsedHook &Hook,
                 size_t Parameter) {
  const std::optional<uint64_t> Pointer = Argument.integer();
  if (!Pointer ||
      !(Argument.isPointer() || Hook.Parameters[Parameter].IsPointer))
    return std::nullopt;
  const HookModule &Module = *Hook.Reference.Module;
  Expected<uint64_t> Address = Module.deviceAddress(*Pointer);
  if (!Address)
    return Address.takeError();
  if (*Address == *Pointer && Hook.Parameters[Parameter].IsPointer &&
      any_of(Module.HostConstants, [&](const auto &Range) {
        return *Pointer - Range.first < Range.second - Range.first;
      }))
    return refuse(RefusalReason::HookArguments,
                  "a pointer is to a constant of the host, such as a text, "
                  "which no device can read: give the address of a __device__ "
                  "or managed variable");
  return argumentFor(*Address, Module);
}

/// Tells the tool's author which of the hooks it is, and where.
Error inHook(Error E, const UsedHook &Hook, const ResolvedInsertion *At) {
  std::string Where;
  if (At && At->Instruction)
    Where = " at " + mnemonicOf(*At->Instruction);
  return handleErrors(std::move(E), [&](const Refusal &R) {
    return refuse(R.reason(), "hook '" + Hook.Reference.Function + "'" + Where +
                                  ": " + R.detail());
  });
}

Error TaskResolver::resolve(const detail::InsertionRequest &Request) {
  Expected<UsedHook *> Hook = find(Request.Hook);
  if (!Hook)
    return Hook.takeError();
  Expected<SmallVector<ResolvedInsertion, 1>> Found = Points.resolve(Request);
  if (!Found)
    return inHook(Found.takeError(), **Hook, nullptr);
  for (const ResolvedInsertion &At : *Found) {
    auto Call = resolveCall(Request, **Hook, At);
    if (!Call)
      return inHook(Call.takeError(), **Hook, &At);
    Result.Calls.push_back(std::move(*Call));
  }
  return Error::success();
}

Expected<ResolvedCall>
TaskResolver::resolveCall(const detail::InsertionRequest &Request,
                          const UsedHook &Hook, const ResolvedInsertion &At) {
  auto Given = spread(Request.Arguments, Hook, At);
  if (!Given)
    return Given.takeError();
  ResolvedCall Call{At.Where, Request.Hook, {}};
  if (!Request.Workgroups.contains(Workgroups))
    Call.Workgroups = Request.Workgroups;
  Call.Tool = Request.Tool;
  for (auto &&[Number, Argument] : enumerate(*Given)) {
    auto Pointer = translatePointer(Argument, Hook, Number);
    if (!Pointer)
      return Pointer.takeError();
    Expected<ArgumentValue> Value =
        *Pointer ? std::move(**Pointer) : Arguments.resolve(Argument, At);
    if (!Value)
      return Value.takeError();
    Call.Arguments.push_back(std::move(*Value));
  }
  return Call;
}

} // namespace

Expected<ResolvedTask> resolveTask(const LiftedRepresentation &LR,
                                   const RegisterUse &Use,
                                   const InstrumentationTask &Task,
                                   HookResolver Resolve, uint64_t LoadBias,
                                   const detail::WorkgroupRange &Workgroups,
                                   HookCompilers &Known, PayloadStore *Store) {
  return TaskResolver(LR, Use, Resolve, LoadBias, Workgroups, Known, Store)
      .run(Task);
}

} // namespace luthier
