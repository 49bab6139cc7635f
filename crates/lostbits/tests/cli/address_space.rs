//! Where programs may have their memory: at low addresses, with an unlimited stack, in a fixed-position executable that loads an
//! instrumented library, and in deep recursions.

use std::{os::unix::process::ExitStatusExt, path::Path, process::Command};

use crate::sandbox::{LOSTBITS, Sandbox};

/// The modes with shadows in memory.
const MODES: [&str; 5] = ["same", "explain", "reals", "watch", "symbolic"];

/// Go's heap, and `MAP_32BIT`. The cancellation passes through both.
const MAPS_LOW: &str = "\
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static double *map(void *hint, int flags) {
    return mmap(hint, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}
int main(int c, char **v) {
    double *a = map((void *)0xc000000000, 0), *b = map(NULL, MAP_32BIT), x = atof(v[1]);
    for (int i = 1; i < 1000; i++) { a[i] = x + i; b[i] = a[i] * 0.1; }
    a[0] = x + 1e16;
    b[0] = a[0] - 1e16;
    printf(\"%d %d %.17g\\n\", (size_t)a < 1ul << 40, (size_t)b < 1ul << 32, b[0]);
    return 0;
}
";

#[test]
fn numbers_at_low_addresses_have_shadows() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", MAPS_LOW);
    for mode in MODES {
        let mode = format!("--lostbits-mode={mode}");
        sandbox.succeed(&mut sandbox.lostbits(&["cc", &mode, "-O2", "x.c", "-o", "prog"]));
        let shown = sandbox.show(&mut sandbox.program(&sandbox.path("prog"), &["0.3"]));
        assert_eq!(shown, "exit 0\n--- stdout\n1 1 0\n", "{mode}");
    }
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "--once", "x.c", "--", "0.3"]));
    assert!(shown.contains("computed 0, exact 0.3"), "{shown}");
}

/// As Debian's python3 is one.
#[test]
fn a_fixed_position_program_loads_an_instrumented_library() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "lib.c",
        "#include <stdio.h>\nvoid first(double *x, double y) { x[0] = y + 1e16; }\n\
         void second(double *x) { x[1] = x[0] - 1e16; printf(\"%.17g\\n\", x[1]); }\n",
    );
    sandbox.write(
        "main.c",
        "#include <stdlib.h>\n#include <dlfcn.h>\nint main(int c, char **v) {\n  void *lib = dlopen(v[1], RTLD_NOW);\n  \
         double *x = malloc(64);\n  if (!lib || (size_t)x >= 1ul << 40) return 3;\n  \
         ((void (*)(double *, double))dlsym(lib, \"first\"))(x, 0.3);\n  ((void (*)(double *))dlsym(lib, \"second\"))(x);\n  \
         return 0;\n}\n",
    );
    let compiled = Command::new("clang-22")
        .current_dir(sandbox.path("."))
        .args(["-no-pie", "-fno-pie", "main.c", "-o", "main", "-ldl"])
        .status();
    assert!(compiled.expect("clang").success());
    for mode in MODES {
        let mode = format!("--lostbits-mode={mode}");
        let arguments = [
            "cc",
            mode.as_str(),
            "-O1",
            "-g",
            "-fPIC",
            "-shared",
            "lib.c",
            "-o",
            "lib.so",
        ];
        sandbox.succeed(&mut sandbox.lostbits(&arguments));
        let shown = sandbox.show(&mut sandbox.program(&sandbox.path("main"), &["./lib.so"]));
        assert_eq!(shown, "exit 0\n--- stdout\n0\n", "{mode}");
        if mode.ends_with("explain") {
            let run = ["run", "./main", "./lib.so"];
            let shown = sandbox.show(&mut sandbox.lostbits(&run));
            assert!(shown.contains("computed 0, exact 0.3"), "{shown}");
        }
    }
}

/// Data where no plane has a mirror; the program's own faults and handlers beside it.
const FAULTS: &str = "\
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void report(int signal, siginfo_t *info, void *context) {
    printf(\"handled %d\\n\", signal);
    fflush(stdout);
    _exit(9);
}
static void once(int signal) { printf(\"once\\n\"); fflush(stdout); }
int main(int c, char **v) {
    struct sigaction new = {0}, old;
    double *far = mmap((void *)0x110000000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), x = atof(v[2]);
    sigaction(SIGSEGV, NULL, &old);
    printf(\"%d %d\\n\", old.sa_handler == SIG_DFL, old.sa_flags & ~0x04000000);
    new.sa_sigaction = report;
    new.sa_flags = SA_SIGINFO;
    if (strstr(v[1], \"handler\")) sigaction(SIGSEGV, &new, &old);
    if (strstr(v[1], \"signal\")) printf(\"%d \", signal(SIGSEGV, once) == SIG_DFL), printf(\"%d\\n\", signal(SIGSEGV, SIG_DFL) == once);
    new.sa_handler = once;
    new.sa_flags = SA_RESETHAND;
    if (strstr(v[1], \"once\")) sigaction(SIGSEGV, &new, NULL), raise(SIGSEGV);
    sigaction(SIGSEGV, NULL, &old);
    printf(\"%d\\n\", old.sa_handler == SIG_DFL);
    fflush(stdout);
    if (strstr(v[1], \"far\")) { far[0] = x; far[1] = far[0] * 3; printf(\"%g\\n\", far[1]); }
    if (strstr(v[1], \"wild\")) *(volatile double *)(size_t)(x * 8) = x;
    if (strstr(v[1], \"raise\")) raise(SIGSEGV);
    return 0;
}
";

#[test]
fn a_fault_in_shadow_memory_is_named_and_others_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", FAULTS);
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "--lostbits-mode=off", "x.c", "-o", "native"]));
    for mode in MODES {
        let mode = format!("--lostbits-mode={mode}");
        sandbox.succeed(&mut sandbox.lostbits(&["cc", &mode, "-O1", "x.c", "-o", "prog"]));
        // Mode watch touches no shadow of a number without a tag.
        let touches = !mode.ends_with("watch");
        for way in ["far", "far handler", "far once", "far signal"]
            .iter()
            .filter(|_| touches)
        {
            let output = sandbox
                .program(&sandbox.path("prog"), &[*way, "0.3"])
                .output()
                .unwrap();
            let sentence = String::from_utf8(output.stderr).unwrap();
            assert_eq!(sentence.lines().count(), 1, "{mode} {way}: {sentence}");
            assert!(
                sentence.starts_with(
                    "lostbits: shadow memory cannot hold the program's data at 0x11000000000"
                ),
                "{mode} {way}: {sentence}"
            );
            let handled = way.contains("handler");
            assert_eq!(output.status.code(), handled.then_some(9), "{mode} {way}");
            assert_eq!(
                output.status.signal(),
                (!handled).then_some(11),
                "{mode} {way}"
            );
            assert_eq!(
                output.stdout.ends_with(b"handled 11\n"),
                handled,
                "{mode} {way}"
            );
        }
        for way in [
            "nothing",
            "wild",
            "wild handler",
            "wild once",
            "raise",
            "raise handler",
            "raise signal",
        ] {
            let natively =
                sandbox.show(&mut sandbox.program(&sandbox.path("native"), &[way, "0.3"]));
            let shown = sandbox.show(&mut sandbox.program(&sandbox.path("prog"), &[way, "0.3"]));
            assert_eq!(shown, natively, "{mode} {way}");
        }
    }
}

fn shell(sandbox: &Sandbox, script: &str) -> String {
    sandbox.show(&mut sandbox.program(Path::new("/bin/sh"), &["-c", script, LOSTBITS]))
}

#[test]
fn an_unlimited_stack_gets_another_layout() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdio.h>\nint main(int c, char **v) { double x = c; printf(\"%s %g\\n\", v[1], x * 0.1); return 5; }\n",
    );
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "-O0", "x.c", "-o", "prog"]));
    // The program alone executes itself again; the tool limits the stack beforehand.
    let shown = shell(
        &sandbox,
        "ulimit -s unlimited; LOSTBITS_OUT=r ./prog 'a b'; echo $?; ls r",
    );
    assert_eq!(shown, "exit 0\n--- stdout\na b 0.2\n5\nr\n");
    let shown = shell(&sandbox, "ulimit -s unlimited; \"$0\" run -q ./prog ''");
    assert_eq!(shown, "exit 5\n--- stdout\n 0.2\n");
}

/// Natively it takes most of the usual stack, 8 MiB.
#[test]
fn a_recursion_that_fits_its_stack_fits_with_shadows() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         double sum(int n, double x) { double a = x * 0.1, b = a + n; return n == 0 ? a : sum(n - 1, x) * 0.5 + b; }\n\
         int main(int c, char **v) { printf(\"%.3g\\n\", sum(atoi(v[1]), 0.5)); return 0; }\n",
    );
    let command = "ulimit -S -s 8192; \"$0\" explain --once -O0 x.c -- 70000";
    let shown = shell(&sandbox, command);
    assert!(shown.contains("1.4e+05"), "{shown}");
}
