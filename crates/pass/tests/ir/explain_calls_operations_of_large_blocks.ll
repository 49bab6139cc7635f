; Mode `explain`: in blocks of many operations each is a call of a function that they share, and splits no block.
; RUN: explain O0

; CHECK-LABEL: define double @large(
; CHECK: %v2 = fadd double %v1, %v0
; CHECK: [[SHADOW:%.+]] = call { double, double, i64 } @lostbits.operate.Add.double.
; CHECK-NEXT: extractvalue { double, double, i64 } [[SHADOW]], 0
; CHECK-NEXT: extractvalue { double, double, i64 } [[SHADOW]], 1
; CHECK-NEXT: extractvalue { double, double, i64 } [[SHADOW]], 2
; CHECK-NEXT: %v3 = fmul double
; CHECK-NOT: br i1
; CHECK: %v70 = fadd
; CHECK: ret double
define double @large(double %v0, double %v1) {
  %v2 = fadd double %v1, %v0
  %v3 = fmul double %v2, %v1
  %v4 = fadd double %v3, %v2
  %v5 = fmul double %v4, %v3
  %v6 = fadd double %v5, %v4
  %v7 = fmul double %v6, %v5
  %v8 = fadd double %v7, %v6
  %v9 = fmul double %v8, %v7
  %v10 = fadd double %v9, %v8
  %v11 = fmul double %v10, %v9
  %v12 = fadd double %v11, %v10
  %v13 = fmul double %v12, %v11
  %v14 = fadd double %v13, %v12
  %v15 = fmul double %v14, %v13
  %v16 = fadd double %v15, %v14
  %v17 = fmul double %v16, %v15
  %v18 = fadd double %v17, %v16
  %v19 = fmul double %v18, %v17
  %v20 = fadd double %v19, %v18
  %v21 = fmul double %v20, %v19
  %v22 = fadd double %v21, %v20
  %v23 = fmul double %v22, %v21
  %v24 = fadd double %v23, %v22
  %v25 = fmul double %v24, %v23
  %v26 = fadd double %v25, %v24
  %v27 = fmul double %v26, %v25
  %v28 = fadd double %v27, %v26
  %v29 = fmul double %v28, %v27
  %v30 = fadd double %v29, %v28
  %v31 = fmul double %v30, %v29
  %v32 = fadd double %v31, %v30
  %v33 = fmul double %v32, %v31
  %v34 = fadd double %v33, %v32
  %v35 = fmul double %v34, %v33
  %v36 = fadd double %v35, %v34
  %v37 = fmul double %v36, %v35
  %v38 = fadd double %v37, %v36
  %v39 = fmul double %v38, %v37
  %v40 = fadd double %v39, %v38
  %v41 = fmul double %v40, %v39
  %v42 = fadd double %v41, %v40
  %v43 = fmul double %v42, %v41
  %v44 = fadd double %v43, %v42
  %v45 = fmul double %v44, %v43
  %v46 = fadd double %v45, %v44
  %v47 = fmul double %v46, %v45
  %v48 = fadd double %v47, %v46
  %v49 = fmul double %v48, %v47
  %v50 = fadd double %v49, %v48
  %v51 = fmul double %v50, %v49
  %v52 = fadd double %v51, %v50
  %v53 = fmul double %v52, %v51
  %v54 = fadd double %v53, %v52
  %v55 = fmul double %v54, %v53
  %v56 = fadd double %v55, %v54
  %v57 = fmul double %v56, %v55
  %v58 = fadd double %v57, %v56
  %v59 = fmul double %v58, %v57
  %v60 = fadd double %v59, %v58
  %v61 = fmul double %v60, %v59
  %v62 = fadd double %v61, %v60
  %v63 = fmul double %v62, %v61
  %v64 = fadd double %v63, %v62
  %v65 = fmul double %v64, %v63
  %v66 = fadd double %v65, %v64
  %v67 = fmul double %v66, %v65
  %v68 = fadd double %v67, %v66
  %v69 = fmul double %v68, %v67
  %v70 = fadd double %v69, %v68
  ret double %v70
}

; A function that keeps all registers clears their upper halves when it returns: beside a wide vector, even one that is only passed
; on, no such function is called.
; CHECK-LABEL: define double @wide(
; CHECK-NOT: preserve_allcc
; CHECK: call preserve_mostcc { double, double, i64 } @lostbits.inherit.Mul.double.
; CHECK-NOT: preserve_allcc
; CHECK: store <4 x double> %v
define double @wide(<4 x double> %v, double %x, ptr %p) {
  %y = fmul double %x, %x
  store <4 x double> %v, ptr %p
  ret double %y
}

; CHECK-LABEL: define internal { double, double, i64 } @lostbits.operate.Add.double.
; CHECK: call preserve_allcc { double, double, i64 } @lostbits.report.Add.double.
