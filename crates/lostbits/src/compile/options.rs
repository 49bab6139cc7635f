//! Options of clang and flang whose value is the next argument, so that it is not taken for an input.
//!
//! Taken from the compilers themselves: `clang-22 -### OPTION` complains of a missing argument for
//! each of them (a test asks again).

/// Whether the value of `option` is the argument after it. Joined forms (`-Idir`, `-o=…`) are
/// longer words and so are not meant.
pub fn takes_next(option: &str) -> bool {
    SEPARATE.binary_search(&option).is_ok()
        || option.starts_with("-Xarch_")
        || option.starts_with("-Xopenmp-target=")
}

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
