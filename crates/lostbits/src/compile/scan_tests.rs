use super::*;

fn scan_words(words: &str) -> Invocation {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    scan(&words)
}

/// "compile", "link", "precompile", joined by "+"; "nothing" where the compiler is left alone.
fn does(words: &str) -> String {
    let invocation = scan_words(words);
    let parts = [
        (invocation.precompiles, "precompile"),
        (invocation.compiles, "compile"),
        (invocation.links, "link"),
    ];
    let parts: Vec<&str> = parts
        .iter()
        .filter(|part| part.0)
        .map(|part| part.1)
        .collect();
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join("+")
    }
}

fn assert_does(expected: &str, commands: &[&str]) {
    for command in commands {
        assert_eq!(does(command), expected, "{command}");
    }
}

#[test]
fn questions_are_left_alone() {
    assert_does(
        "nothing",
        &[
            "",
            "-v",
            "--version",
            "-### -O2",
            "-print-search-dirs",
            "-print-file-name=libc.a",
            "--print-file-name libc.a",
            "-dumpmachine",
            "--help",
            "--version x.c",
            "-cc1 -emit-obj x.c",
            "-fc1 -emit-obj x.f90",
        ],
    );
}

#[test]
fn preprocessing_and_checking_are_left_alone() {
    assert_does(
        "nothing",
        &[
            "-E x.c",
            "x.c -E -o x.i",
            "-M x.c",
            "-MM -MF deps x.c",
            "-fsyntax-only x.c",
            "-E -",
            "-E -x c -",
            "--analyze x.c",
            "--precompile m.cppm -o m.pcm",
            "-c -E x.c",
        ],
    );
}

#[test]
fn assembling_is_left_alone() {
    assert_does(
        "nothing",
        &[
            "-c start.s",
            "-c start.S -o s.o",
            "-x assembler -c code.c",
            "-xassembler-with-cpp -c a",
        ],
    );
}

#[test]
fn precompiled_headers_hold_no_code() {
    assert_does(
        "precompile",
        &["all.h", "-x c++-header all.h -o all.pch", "-c all.hpp"],
    );
}

#[test]
fn compiling() {
    assert_does(
        "compile",
        &[
            "-c x.c",
            "x.c -c -o x.o",
            "-S x.cpp",
            "-S -emit-llvm x.c -o -",
            "-c x.c y.c start.s",
            "-c -x c -",
            "-xc -c -",
            "-c --language=c++ -",
            "--language c -c code",
            "-MD -MF x.d -c x.c",
            "-MMD -MP -MT x.o -MQ y -c x.c",
            "-c -- x.c",
            "--compile x.f90",
            "-c m.ll",
            "-r x.c -o x.o",
            "-Wl,-r x.c -o x.o",
            "-Xlinker -r x.c",
        ],
    );
}

#[test]
fn compiling_and_linking() {
    assert_does(
        "compile+link",
        &[
            "x.c",
            "x.c -o prog -lm",
            "-shared -fPIC x.c -o libx.so",
            "-x c - -o prog",
            "x.c y.o libz.a",
            "-v x.c",
            "-### x.c",
            "-o prog -- x.c",
            "-x c a -x none b.o",
            "-Wl,-rpath,/opt/lib x.c",
            "-save-temps x.c",
        ],
    );
}

#[test]
fn linking() {
    assert_does(
        "link",
        &[
            "x.o",
            "x.o -o prog -lm",
            "-shared x.o y.o -o lib.so",
            "start.s",
            "-- x.o",
            "-o prog main.o -L lib -l m",
        ],
    );
    assert_does("nothing", &["-r x.o y.o -o z.o", "-Wl,--relocatable x.o"]);
}

#[test]
fn values_of_options_are_not_inputs() {
    assert_does(
        "nothing",
        &[
            "-o x.c",
            "-include x.c",
            "-I x.c -isystem y.c -D Z.c -U q.c",
            "-MF x.c",
            "-Xclang x.c",
            "-mllvm x.c",
            "-T script.c",
            "-u x.c -e y.c -z z.c",
            "-Xarch_host x.c",
            "-target x86_64-linux-gnu -L x.o",
        ],
    );
    assert_eq!(
        scan_words("-o out.o a.o -Xlinker b.o -include c.o").objects,
        [PathBuf::from("a.o")]
    );
}

#[test]
fn languages_hold_until_the_next() {
    assert_does(
        "compile",
        &["-c -x c a.s -x assembler b.c", "-c -xc a -xnone b.s"],
    );
    assert_does("nothing", &["-c -x assembler a.c b.c"]);
}

#[test]
fn the_last_position_flag_counts() {
    assert!(scan_words("-c x.c -fno-pic").fixed_code);
    assert!(scan_words("-fPIC -fno-PIE -c x.c").fixed_code);
    assert!(!scan_words("-fno-pie -fPIE -c x.c").fixed_code);
    assert!(!scan_words("-c x.c").fixed_code);
    assert!(scan_words("x.o -no-pie").fixed_executable);
    assert!(scan_words("x.o -pie -nopie").fixed_executable);
    assert!(!scan_words("x.o -no-pie -pie").fixed_executable);
}

#[test]
fn static_and_shared_are_seen() {
    assert!(scan_words("-static x.o").statically);
    assert!(scan_words("-static-pie x.o").statically);
    assert!(!scan_words("-static-libgcc x.o").statically);
    assert!(scan_words("-shared x.o").shared);
}

#[test]
fn debug_flags() {
    for given in [
        "-g",
        "-g0",
        "-g3",
        "-ggdb",
        "-ggdb3",
        "-gdwarf-4",
        "-gline-tables-only",
        "-gmlt",
    ] {
        assert!(
            scan_words(&format!("{given} -c x.c")).debug_given,
            "{given}"
        );
    }
    for absent in [
        "-gz",
        "-gcolumn-info",
        "-gsplit-dwarf",
        "-O2",
        "-gstrict-dwarf",
        "-grecord-command-line",
    ] {
        assert!(
            !scan_words(&format!("{absent} -c x.c")).debug_given,
            "{absent}"
        );
    }
}

#[test]
fn link_time_optimisation() {
    for lto in ["-flto", "-flto=thin", "-fno-lto -flto=auto"] {
        assert!(scan_words(&format!("{lto} x.c")).lto, "{lto}");
    }
    for none in ["-flto -fno-lto", "-O2", "-flto-jobs=2"] {
        assert!(!scan_words(&format!("{none} x.c")).lto, "{none}");
    }
}

#[test]
fn objects_are_the_linkers_inputs() {
    let invocation = scan_words("a.o x.c libb.a -lc dir/c.o -x c d.o -x none e.o");
    let objects: Vec<String> = invocation
        .objects
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(objects, ["a.o", "libb.a", "dir/c.o", "e.o"]);
}

#[test]
fn conflicts() {
    use Conflict::*;
    for machine in [
        "-m32",
        "-mx32",
        "--target=aarch64-linux-gnu",
        "-target wasm32",
        "--target=x86_64-apple-darwin",
    ] {
        let conflict = scan_words(&format!("{machine} -c x.c")).conflict;
        assert_eq!(conflict, Some(Machine(machine.to_owned())));
    }
    for sanitizer in ["-fsanitize=address", "-fsanitize=undefined,memory"] {
        let conflict = scan_words(&format!("{sanitizer} -c x.c")).conflict;
        assert_eq!(conflict, Some(ShadowMemory(sanitizer.to_owned())));
    }
    for fine in [
        "-m64",
        "--target=x86_64-pc-linux-gnu",
        "-target x86_64-linux-gnu",
        "-fsanitize=undefined",
    ] {
        assert_eq!(
            scan_words(&format!("{fine} -c x.c")).conflict,
            None,
            "{fine}"
        );
    }
}
