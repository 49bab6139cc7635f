; Mode `watch`: a sum costs a quick test, a load of the live word and one branch while nothing is tagged.
; RUN: watch O0

; CHECK-LABEL: define double @sum(
; CHECK-NEXT: %s = fadd double %x, %y
; CHECK-NOT: threadlocal
; CHECK: [[LIVE:%.+]] = load i32, ptr @__lostbits_watch_alive
; CHECK: br i1 {{.*}}, !prof
; CHECK: threadlocal
; CHECK: load i32, ptr getelementptr (i8, ptr @__lostbits_watch_limits
; CHECK: call void @__lostbits_watch_report(
; CHECK: store i32 {{.*}}, ptr @__lostbits_watch_alive
; CHECK: ret double %s
define double @sum(double %x, double %y) {
  %s = fadd double %x, %y
  ret double %s
}

; A conversion is checked on both sides of an integer.
; CHECK-LABEL: define i32 @convert(
; CHECK: shl i64 1,
; CHECK: [[LOW:%.+]] = icmp ult i64
; CHECK-NEXT: [[HIGH:%.+]] = icmp ult i64
; CHECK-NEXT: or i1 [[LOW]], [[HIGH]]
define i32 @convert(double %x) {
  %i = fptosi double %x to i32
  ret i32 %i
}
