; Mode `same` repeats every operation on the shadows of its operands, in their order, and compares the results.
; RUN: same O0

declare double @llvm.fma.f64(double, double, double)
declare double @llvm.minnum.f64(double, double)

; CHECK-LABEL: define double @difference(
; CHECK: [[Y:%.+]] = select i1 {{.*}}, double {{.*}}, double %y
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: %s = fsub double %x, %y
; CHECK: [[S:%.+]] = fsub double [[X]], [[Y]]
; CHECK: call void @__lostbits_same_report(
define double @difference(double %x, double %y) {
  %s = fsub double %x, %y
  ret double %s
}

; CHECK-LABEL: define double @fused(
; CHECK: [[Z:%.+]] = select i1 {{.*}}, double {{.*}}, double %z
; CHECK: [[Y:%.+]] = select i1 {{.*}}, double {{.*}}, double %y
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: call double @llvm.fma.f64(double [[X]], double [[Y]], double [[Z]])
define double @fused(double %x, double %y, double %z) {
  %s = call double @llvm.fma.f64(double %x, double %y, double %z)
  ret double %s
}

; CHECK-LABEL: define double @least(
; CHECK: [[Y:%.+]] = select i1 {{.*}}, double {{.*}}, double %y
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: call double @llvm.minnum.f64(double [[X]], double [[Y]])
define double @least(double %x, double %y) {
  %s = call double @llvm.minnum.f64(double %x, double %y)
  ret double %s
}

; CHECK-LABEL: define float @narrowed(
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: fptrunc double [[X]] to float
define float @narrowed(double %x) {
  %s = fptrunc double %x to float
  ret float %s
}

; CHECK-LABEL: define <2 x double> @lanes(
; CHECK: fmul <2 x double> %x, %y
; CHECK: fmul <2 x double> {{%[0-9]+}}, {{%[0-9]+}}
define <2 x double> @lanes(<2 x double> %x, <2 x double> %y) {
  %s = fmul <2 x double> %x, %y
  ret <2 x double> %s
}
