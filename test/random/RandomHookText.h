// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks for random kernels, in LLVM IR (see hooksFromIR()).
#ifndef LUTHIER_TEST_RANDOM_RANDOMHOOKTEXT_H
#define LUTHIER_TEST_RANDOM_RANDOMHOOKTEXT_H

namespace luthier::test {

/// Once per wave, also where no lane is active.
inline constexpr char CountingHooks[] = R"(
define void @add(i32 %n) #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %wide = zext i32 %n to i64
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 %wide syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
define void @count() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})";

inline constexpr char AccumulatingHooks[] = R"(
declare void @"luthier::waveAdd.ptr.i64"(ptr, i64) #4
declare i64 @"luthier::waveCounter.i64.ptr"(ptr) #5
attributes #4 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::waveAdd" }
attributes #5 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::waveCounter" }
define void @accumulate() #0 {
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Counters to ptr), i64 1)
  ret void
}
define void @flush() #0 {
  %n = call i64 @"luthier::waveCounter.i64.ptr"(ptr addrspacecast (ptr addrspace(1) @Counters to ptr))
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 %n syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})";

/// How often a wave came to a call site.
inline constexpr char SiteHook[] = R"(
define void @site(i32 %slot) #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %slot
  %a = atomicrmw add ptr addrspace(1) %p, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
)";

/// "values" may get what nobody has written, and decides nothing by it. "ids"
/// knows that lanes follow each other as the work-items do, where all
/// waves are full; "floats" that rounding is to nearest and that denormals are
/// kept, whatever the application's MODE. "flip" in pairs changes nothing.
inline constexpr char MixedHooks[] = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare i32 @llvm.umin.i32(i32, i32)
@slots = internal addrspace(3) global [64 x i32] poison
attributes #4 = { alwaysinline nounwind }
define internal i32 @lane() #4 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  ret i32 %lane
}
define internal void @wrong(i1 %is) #4 {
  br i1 %is, label %bad, label %end
bad:
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 8000
  %a = atomicrmw add ptr addrspace(1) %p, i64 1 syncscope("agent") monotonic
  br label %end
end:
  ret void
}
define void @count() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
define void @flip(i32 %reg) #0 {
  %v = call i32 @"luthier::readReg.i32.i32"(i32 %reg)
  %n = xor i32 %v, -1
  call void @"luthier::writeReg.i32.i32"(i32 %reg, i32 %n)
  ret void
}
define void @wide(<4 x i32> %v) #0 {
  %lane = call i32 @lane()
  %slot = add i32 %lane, 64
  %p = getelementptr <4 x i32>, ptr addrspace(1) @Counters, i32 %slot
  store volatile <4 x i32> %v, ptr addrspace(1) %p
  ret void
}
define void @lanes(i64 %lanes, i64 %exec) #0 {
  %is = icmp ne i64 %lanes, %exec
  call void @wrong(i1 %is)
  %hooks = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %too = icmp ne i64 %lanes, %hooks
  call void @wrong(i1 %too)
  ret void
}
define void @values(i64 %a, i64 %b, i32 %c) #0 {
  %c64 = zext i32 %c to i64
  %ab = xor i64 %a, %b
  %abc = add i64 %ab, %c64
  %lane = call i32 @lane()
  %slot = add i32 %lane, 64
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %slot
  store volatile i64 %abc, ptr addrspace(1) %p
  ret void
}
define void @stack(i32 %n) #0 {
  %array = alloca [8 x i32], addrspace(5)
  %lane = call i32 @lane()
  %i = and i32 %lane, 7
  %at = getelementptr [8 x i32], ptr addrspace(5) %array, i32 0, i32 %i
  store volatile i32 %n, ptr addrspace(5) %at
  %v = load volatile i32, ptr addrspace(5) %at
  %is = icmp ne i32 %v, %n
  call void @wrong(i1 %is)
  ret void
}
define void @shared() #0 {
  %lane = call i32 @lane()
  %at = getelementptr [64 x i32], ptr addrspace(3) @slots, i32 0, i32 %lane
  store volatile i32 %lane, ptr addrspace(3) %at
  %v = load volatile i32, ptr addrspace(3) %at
  %is = icmp ne i32 %v, %lane
  call void @wrong(i1 %is)
  ret void
}
define void @floats() #0 {
  %lane = call i32 @lane()
  %f = uitofp i32 %lane to float
  %sum = fadd float %f, 1.0e+08
  %eighth = lshr i32 %lane, 3
  %odd = and i32 %eighth, 1
  %more = add i32 %lane, 3
  %even = add i32 %more, %odd
  %steps = lshr i32 %even, 3
  %part = shl i32 %steps, 3
  %whole = add i32 %part, 100000000
  %expected = uitofp i32 %whole to float
  %is = fcmp une float %sum, %expected
  call void @wrong(i1 %is)
  %tiny = fmul float %f, 0x36A0000000000000
  %bits = bitcast float %tiny to i32
  %too = icmp ne i32 %bits, %lane
  call void @wrong(i1 %too)
  ret void
}
define void @ids() #0 {
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %sx.p = getelementptr i8, ptr addrspace(4) %packet, i32 4
  %sy.p = getelementptr i8, ptr addrspace(4) %packet, i32 6
  %sz.p = getelementptr i8, ptr addrspace(4) %packet, i32 8
  %nx.p = getelementptr i8, ptr addrspace(4) %packet, i32 12
  %ny.p = getelementptr i8, ptr addrspace(4) %packet, i32 16
  %nz.p = getelementptr i8, ptr addrspace(4) %packet, i32 20
  %sx.16 = load i16, ptr addrspace(4) %sx.p
  %sy.16 = load i16, ptr addrspace(4) %sy.p
  %sz.16 = load i16, ptr addrspace(4) %sz.p
  %nx = load i32, ptr addrspace(4) %nx.p
  %ny = load i32, ptr addrspace(4) %ny.p
  %nz = load i32, ptr addrspace(4) %nz.p
  %sx = zext i16 %sx.16 to i32
  %sy = zext i16 %sy.16 to i32
  %sz = zext i16 %sz.16 to i32
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %bx = mul i32 %gx, %sx
  %by = mul i32 %gy, %sy
  %bz = mul i32 %gz, %sz
  %lx = sub i32 %nx, %bx
  %ly = sub i32 %ny, %by
  %lz = sub i32 %nz, %bz
  %ax = call i32 @llvm.umin.i32(i32 %sx, i32 %lx)
  %ay = call i32 @llvm.umin.i32(i32 %sy, i32 %ly)
  %az = call i32 @llvm.umin.i32(i32 %sz, i32 %lz)
  %axy = mul i32 %ax, %ay
  %all = mul i32 %axy, %az
  %rest = and i32 %all, 63
  %full = icmp eq i32 %rest, 0
  br i1 %full, label %check, label %end
check:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %zy = mul i32 %z, %ay
  %yz = add i32 %zy, %y
  %yx = mul i32 %yz, %ax
  %item = add i32 %yx, %x
  %lane = call i32 @lane()
  %differ = xor i32 %item, %lane
  %low = and i32 %differ, 31
  %is = icmp ne i32 %low, 0
  call void @wrong(i1 %is)
  %too = icmp uge i32 %item, %all
  call void @wrong(i1 %too)
  br label %end
end:
  ret void
})";

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMHOOKTEXT_H
