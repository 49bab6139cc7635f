; Mode `explain`: a function is marked as compiled under every name that other modules can call, and under no other.
; RUN: explain O0

; CHECK-DAG: @__lostbits_compiled_explain_whole = weak dso_local constant i8 0
; CHECK-DAG: @__lostbits_compiled_explain_base = weak dso_local constant i8 0
; CHECK-DAG: @__lostbits_compiled_explain_again = weak dso_local constant i8 0
; CHECK-DAG: @__lostbits_compiled_explain_shown = weak dso_local constant i8 0
; CHECK-NOT: @__lostbits_compiled_explain_hidden
; CHECK-NOT: @__lostbits_compiled_explain_inner
; CHECK-LABEL: define void @base(
@whole = alias void (ptr), ptr @base
@again = alias void (ptr), ptr @whole
@inner = internal alias void (ptr), ptr @base
@shown = alias void (ptr), ptr @hidden

define void @base(ptr %p) {
  store double 1.0, ptr %p
  ret void
}

define internal void @hidden(ptr %p) {
  store double 2.0, ptr %p
  ret void
}
