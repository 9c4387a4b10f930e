; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; RUN: luthier-pass --target gfx1100 --wave 32 --pass features %s | FileCheck --check-prefix=W32 %s
; RUN: luthier-pass --target gfx1100 --wave 64 --pass features %s | FileCheck --check-prefix=W64 %s
; W32: "target-features"="{{.*}}+enable-flat-scratch,-real-true16,-wavefrontsize64,+wavefrontsize32"
; W64: "target-features"="{{.*}}+enable-flat-scratch,-real-true16,-wavefrontsize32,+wavefrontsize64"
define void @hook() {
  ret void
}
