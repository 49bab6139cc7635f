//! The options of clang, flang and rustc: which words are theirs, and which take the next word as their value.
//!
//! The commands of lostbits take compiler options beside the sources. A word that is neither an option of the command nor
//! in these tables is refused by name, so that a misspelt `--percision` never reaches the compiler. Everything else goes
//! through `--cc-option OPTION`.
//!
//! The first table is taken from the compilers themselves: `clang-22 -### OPTION` complains of a missing argument for
//! each of its rows (a test asks again).

/// How a compiler option takes its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// It has none, or has it in the same word.
    Same,
    /// The next word is its value.
    Next,
}

/// Whether a word is an option of a compiler, and how it takes its value; none for any other word.
pub fn compiler_option(word: &str) -> Option<Value> {
    if takes_next(word) || RUSTC_SEPARATE.contains(&word) {
        return Some(Value::Next);
    }
    let is_known = match word.strip_prefix("--") {
        Some(_) => {
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            LONG.contains(&name)
                || (name != word && (takes_next(name) || RUSTC_SEPARATE.contains(&name)))
        }
        None => FLAGS.contains(&word) || PREFIXES.iter().any(|prefix| word.starts_with(prefix)),
    };
    is_known.then_some(Value::Same)
}

/// Whether the value of clang's or flang's `option` is the argument after it. Joined forms (`-Idir`, `-o=…`) are
/// longer words and so are not meant.
pub fn takes_next(option: &str) -> bool {
    SEPARATE.binary_search(&option).is_ok()
        || option.starts_with("-Xarch_")
        || option.starts_with("-Xopenmp-target=")
}

/// Options with one dash that have a value, or a part of their name, in the same word.
const PREFIXES: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-D",
    "-F",
    "-I",
    "-J",
    "-L",
    "-M",
    "-O",
    "-R",
    "-T",
    "-U",
    "-W",
    "-X",
    "-Z",
    "-cxx-isystem",
    "-f",
    "-g",
    "-idirafter",
    "-imacros",
    "-include",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-l",
    "-m",
    "-o",
    "-resource-dir=",
    "-save-temps",
    "-std=",
    "-stdlib=",
    "-target=",
    "-u",
    "-x",
    "-z",
];

/// Options with one dash that are whole words.
const FLAGS: &[&str] = &[
    "-E",
    "-P",
    "-S",
    "-ansi",
    "-c",
    "-cpp",
    "-dM",
    "-emit-llvm",
    "-no-pie",
    "-nocpp",
    "-nodefaultlibs",
    "-nostartfiles",
    "-nostdinc",
    "-nostdinc++",
    "-nostdlib",
    "-nostdlib++",
    "-p",
    "-pedantic",
    "-pedantic-errors",
    "-pg",
    "-pie",
    "-pipe",
    "-pthread",
    "-r",
    "-rdynamic",
    "-s",
    "-shared",
    "-shared-libgcc",
    "-static",
    "-static-libgcc",
    "-static-libstdc++",
    "-static-pie",
    "-undef",
    "-v",
    "-w",
];

/// Options with two dashes that are whole words, or have their value after `=`.
const LONG: &[&str] = &[
    "--debug",
    "--gcc-install-dir",
    "--gcc-toolchain",
    "--ld-path",
    "--optimize",
    "--rtlib",
    "--stdlib",
    "--target",
    "--unwindlib",
    "--verbose",
];

/// Options of rustc whose value is the next argument, beside those that clang has, too.
const RUSTC_SEPARATE: &[&str] = &[
    "--cap-lints",
    "--cfg",
    "--check-cfg",
    "--codegen",
    "--crate-name",
    "--crate-type",
    "--edition",
    "--extern",
    "-C",
    "-Z",
];

/// Sorted.
const SEPARATE: &[&str] = &[
    "--CLASSPATH",
    "--analyzer-output",
    "--assert",
    "--bootclasspath",
    "--classpath",
    "--config",
    "--define-macro",
    "--encoding",
    "--extdirs",
    "--for-linker",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--include-prefix",
    "--include-with-prefix",
    "--include-with-prefix-after",
    "--include-with-prefix-before",
    "--language",
    "--library-directory",
    "--mhwdiv",
    "--output",
    "--param",
    "--prefix",
    "--print-file-name",
    "--print-prog-name",
    "--resource",
    "--serialize-diagnostics",
    "--specs",
    "--std",
    "--sysroot",
    "--undefine-macro",
    "--vfsoverlay",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-J",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-V",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xclangas",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-Xflang",
    "-Xlinker",
    "-Xoffload-linker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-allowable_client",
    "-arch",
    "-arch_only",
    "-b",
    "-bundle_loader",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-client_name",
    "-compatibility_version",
    "-current_version",
    "-cxx-isystem",
    "-darwin-target-variant",
    "-darwin-target-variant-triple",
    "-dependency-dot",
    "-dependency-file",
    "-dsym-dir",
    "-dumpdir",
    "-dylib_file",
    "-e",
    "-exported_symbols_list",
    "-fdebug-compilation-dir",
    "-fexperimental-openacc-macro-override",
    "-filelist",
    "-fintrinsic-modules-path",
    "-fmodules-user-build-path",
    "-fnew-alignment",
    "-force_load",
    "-framework",
    "-ftrapv-handler",
    "-gen-cdb-fragment-path",
    "-hlsl-entry",
    "-iapinotes-modules",
    "-idirafter",
    "-iframework",
    "-iframeworkwithsysroot",
    "-imacros",
    "-image_base",
    "-imultilib",
    "-include",
    "-include-pch",
    "-init",
    "-install_name",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-meabi",
    "-mllvm",
    "-mmlir",
    "-module-dependency-dir",
    "-module-dir",
    "-mthread-model",
    "-multiply_defined",
    "-multiply_defined_unused",
    "-o",
    "-object-file-name",
    "-pagezero_size",
    "-read_only_relocs",
    "-resource-dir",
    "-rpath",
    "-seg1addr",
    "-seg_addr_table",
    "-segs_read_only_addr",
    "-segs_read_write_addr",
    "-serialize-diagnostics",
    "-specs",
    "-stdlib++-isystem",
    "-sub_library",
    "-sub_umbrella",
    "-target",
    "-u",
    "-umbrella",
    "-undefined",
    "-unexported_symbols_list",
    "-validator-version",
    "-vfsoverlay",
    "-weak_framework",
    "-weak_library",
    "-weak_reference_mismatches",
    "-working-directory",
    "-x",
    "-z",
];

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn options_of_every_compiler_are_known() {
        let words = "-O2 -O -Wall -Wl,-rpath,x -ffast-math -march=native -DX=1 -Iinclude -L. -lm -std=c++17 -g -g1 -xc \
                     -pthread --std=c11 --target=x86_64-linux-gnu --sysroot=/ -fopenmp -cpp -static \
                     --edition=2024 -Copt-level=3 --cfg=x -w -Xclang=x -isystemdir -nostdlib";
        for word in words.split_whitespace() {
            assert_eq!(compiler_option(word), Some(Value::Same), "{word}");
        }
        for word in [
            "-include",
            "-isystem",
            "-x",
            "-Xclang",
            "--std",
            "-C",
            "--edition",
            "-mllvm",
        ] {
            assert_eq!(compiler_option(word), Some(Value::Next), "{word}");
        }
    }

    #[test]
    fn other_words_are_no_compiler_options() {
        let words =
            "--percision --rerun --precision=8 -precision -q -j2 -y --std2=c --ranges x.c x -- -";
        for word in words.split_whitespace() {
            assert_eq!(compiler_option(word), None, "{word}");
        }
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(SEPARATE.is_sorted());
    }

    #[test]
    fn flags_and_joined_options_take_nothing() {
        for flag in [
            "-c",
            "-g",
            "-O2",
            "-Iinclude",
            "-DX=1",
            "-Wl,-r",
            "-oprog",
            "-fPIC",
            "-MD",
            "-v",
        ] {
            assert!(!takes_next(flag), "{flag}");
        }
    }

    /// Each row is an option for which clang or flang misses a value.
    #[test]
    fn the_compilers_agree() {
        let misses_value = |compiler: &str, option: &str| {
            let run = Command::new(compiler)
                .args(["-###", option])
                .output()
                .expect(compiler);
            String::from_utf8_lossy(&run.stderr)
                .contains(&format!("argument to '{option}' is missing"))
        };
        for option in SEPARATE {
            assert!(
                misses_value("clang-22", option) || misses_value("flang-22", option),
                "{option} takes no separate value"
            );
        }
    }
}
