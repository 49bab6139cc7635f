; Functions of complex numbers are computed once more from known operations, and the library's own numbers are what the program uses.
; RUN: explain O0 LOSTBITS_DETECT=1

; The program returns what the library gave; nothing is left of the marks; the library's own error is part of the residue.
; CHECK-LABEL: define { double, double } @quotient(
; CHECK: [[Q:%.+]] = call { double, double } @__divdc3(double %a, double %b, double %c, double %d)
; CHECK: [[RE:%.+]] = extractvalue { double, double } [[Q]], 0
; CHECK: icmp ult i64
; CHECK: fsub double %{{.+}}, [[RE]]{{$}}
; CHECK-NOT: call double @__lostbits_stands_for
; CHECK: ret { double, double }
declare { double, double } @__divdc3(double, double, double, double)
define { double, double } @quotient(double %a, double %b, double %c, double %d) {
  %q = call { double, double } @__divdc3(double %a, double %b, double %c, double %d)
  ret { double, double } %q
}

; Floats are passed as the lanes of a vector.
; CHECK-LABEL: define <2 x float> @exponential(
; CHECK: call <2 x float> @cexpf(<2 x float> %z)
; CHECK: call float @llvm.exp.f32(
; CHECK: call float @llvm.cos.f32(
; CHECK-NOT: call float @__lostbits_stands_forf
; CHECK: ret <2 x float>
declare <2 x float> @cexpf(<2 x float>)
define <2 x float> @exponential(<2 x float> %z) {
  %e = call <2 x float> @cexpf(<2 x float> %z)
  ret <2 x float> %e
}

; A function of the program's own that has such a name is another one.
; CHECK-LABEL: define { double, double } @own(
; CHECK-NOT: @llvm.exp
; CHECK: ret { double, double }
declare { double, double } @csqrt(double)
define { double, double } @own(double %x) {
  %r = call { double, double } @csqrt(double %x)
  ret { double, double } %r
}
