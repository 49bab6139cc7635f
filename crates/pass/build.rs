//! Builds the C++ shim against the headers of the LLVM whose compilers will load the plugin.
//!
//! Every LLVM tool comes from one prefix: `LLVM_SYS_221_PREFIX` where it is set, else the
//! `llvm-config-22` on the path. (`llvm-config` without a suffix is another version on Debian 12.)

use std::{env, path::PathBuf, process::Command};

fn main() {
    println!("cargo:rerun-if-changed=src/plugin.cpp");
    println!("cargo:rerun-if-changed=src/shim.cpp");
    println!("cargo:rerun-if-changed=src/names");
    println!("cargo:rerun-if-changed=src/prepare/discriminators.cpp");
    println!("cargo:rerun-if-changed=src/prepare/atomics.cpp");
    println!("cargo:rerun-if-changed=src/prepare/function_pointers.cpp");
    println!("cargo:rerun-if-changed=src/prepare/nearby_location.cpp");
    println!("cargo:rerun-if-changed=src/prepare/wide_vectors.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let llvm_config = match env::var_os("LLVM_SYS_221_PREFIX") {
        Some(prefix) => PathBuf::from(prefix).join("bin/llvm-config"),
        None => PathBuf::from("llvm-config-22"),
    };
    let ask = |question: &str| {
        let answer = Command::new(&llvm_config)
            .arg(question)
            .output()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", llvm_config.display()));
        let answer = String::from_utf8(answer.stdout).expect("llvm-config prints a path");
        answer.trim().to_owned()
    };
    // For the unit tests, which are linked with LLVM.
    println!("cargo:rustc-link-search=native={}", ask("--libdir"));
    cc::Build::new()
        .cpp(true)
        .file("src/plugin.cpp")
        .include(ask("--includedir"))
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        // LLVM's own headers are not clean under -Wall of every compiler.
        .warnings(false)
        // The host compiler brings its C++ library along.
        .cpp_link_stdlib(None)
        .compile("lostbits_shim");
}
