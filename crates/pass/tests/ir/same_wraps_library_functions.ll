; The address of a library function is that of a wrapper, which is instrumented; calls by name stay as they are. A sort of the C
; library's gets a comparison of ours.
; RUN: same O0

; CHECK: @table = global [2 x ptr] [ptr @__lostbits_same_log, ptr @__lostbits_same_log]
@table = global [2 x ptr] [ptr @log, ptr @log]

declare double @log(double)
declare void @qsort(ptr, i64, i64, ptr)
declare i32 @compare(ptr, ptr)

; CHECK-LABEL: define double @called(
; CHECK: call double @log(
; CHECK: ret double
define double @called(double %x) {
  %y = call double @log(double %x)
  ret double %y
}

; CHECK-LABEL: define void @sorted(
; CHECK: call void @__lostbits_sort_begin(ptr {{.*}}, ptr %list, i64 %n, i64 8, ptr @compare)
; CHECK-NEXT: call void @qsort(ptr %list, i64 %n, i64 8, ptr @lostbits.compare)
; CHECK-NEXT: call void @__lostbits_sort_end(
define void @sorted(ptr %list, i64 %n) {
  call void @qsort(ptr %list, i64 %n, i64 8, ptr @compare)
  ret void
}

; CHECK-LABEL: define linkonce_odr double @__lostbits_same_log(
; CHECK: call double @log(
