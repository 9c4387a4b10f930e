// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps what depends on EXEC where the hook has it.
#ifndef LUTHIER_PLUGIN_EXECORDER_H
#define LUTHIER_PLUGIN_EXECORDER_H

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace luthier {

/// While this object lives, operations among lanes (ballot, readfirstlane, ...)
/// of a module count as reading memory that luthier::writeExec writes. To LLVM
/// they are functions of their arguments that must not get other control
/// dependences; that is not enough: IndVarSimplify sinks a read of EXEC from
/// before a loop to behind it, past the definitions of EXEC in the loop.
class OrderedLaneOperations {
public:
  explicit OrderedLaneOperations(llvm::Module &M);
  ~OrderedLaneOperations();
  OrderedLaneOperations(const OrderedLaneOperations &) = delete;
  OrderedLaneOperations &operator=(const OrderedLaneOperations &) = delete;

private:
  llvm::Module &M;
};

/// Replaces luthier::detail::mayWriteExec() in \p Hook, which is finished but
/// for that. It is false if there is a loop in neither of its two ways: then
/// writes of EXEC may be in that loop, or be between what lanes compute in it
/// and the use of that.
void decideAboutExecWrites(llvm::Function &Hook);

/// Whether \p Hook writes EXEC in a loop that lanes leave at different times,
/// for which the code generator has no control flow. Parameters are taken to be
/// the same in all lanes: what they are is known only where the hook is
/// inserted.
bool writesExecInDivergentLoop(const llvm::Function &Hook,
                               llvm::TargetMachine &TM);

} // namespace luthier

#endif // LUTHIER_PLUGIN_EXECORDER_H
