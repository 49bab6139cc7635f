; Mode `explain`: of two calls that may throw and go on in one block, each gives back its own loan, on its own edge.
; RUN: explain O0

; CHECK-LABEL: define double @calls(
; CHECK: [[ONE:%.+]] = call ptr @__lostbits_lent(
; CHECK: invoke void @one(
; CHECK: call void @__lostbits_returned(ptr [[ONE]],
; CHECK: [[OTHER:%.+]] = call ptr @__lostbits_lent(
; CHECK: invoke void @other(
; CHECK: call void @__lostbits_returned(ptr [[OTHER]],
define double @calls(i1 %which, ptr %p) personality ptr @__gxx_personality_v0 {
  br i1 %which, label %first, label %second
first:
  invoke void @one(ptr %p) to label %done unwind label %failed
second:
  invoke void @other(ptr %p) to label %done unwind label %failed
done:
  %x = load double, ptr %p
  %y = fadd double %x, 1.0
  ret double %y
failed:
  %error = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %error
}

declare void @one(ptr)
declare void @other(ptr)
declare i32 @__gxx_personality_v0(...)
