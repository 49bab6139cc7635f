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
; CHECK: call void @__lostbits_watch_stored(
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

; Terms of the same sign cancel nothing: no quick test, no report.
; CHECK-LABEL: define double @squares(
; CHECK-NOT: icmp eq <4 x i32>
; CHECK-NOT: call void @__lostbits_watch_report(
; CHECK: ret double
define double @squares(double %x, double %y) {
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %s = fadd double %xx, %yy
  ret double %s
}

; CHECK-LABEL: define double @difference_of_squares(
; CHECK: icmp eq <4 x i32>
; CHECK: call void @__lostbits_watch_report(
; CHECK: ret double
define double @difference_of_squares(double %x, double %y) {
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %s = fsub double %xx, %yy
  ret double %s
}
