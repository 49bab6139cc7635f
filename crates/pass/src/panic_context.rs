//! What a panic of the plugin prints: which function was being instrumented, and how to report it.
//!
//! The plugin runs inside a compiler, where a bare panic message says nothing to a user. The compiler then ends with a
//! failure; it does not abort, because compilers answer that with a request to report a bug of their own.

use std::{cell::RefCell, panic::PanicHookInfo, sync::Once};

use lostbits_abi::{VERSION, environment::PASS_PANIC_IN, mode::Mode};

use crate::ir::{self, Function, Module};

thread_local! {
    /// What this thread instruments. (rustc compiles several modules at once.)
    static CURRENT: RefCell<Current> = RefCell::default();
}

#[derive(Default)]
struct Current {
    module: String,
    function: Option<String>,
    mode: &'static str,
}

/// Explains panics from here on as panics in this module.
pub fn enter_module(module: Module, mode: Mode) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| std::panic::set_hook(Box::new(explain)));
    CURRENT.set(Current {
        module: ir::module_name(module),
        function: None,
        mode: mode.name(),
    });
}

/// The same of a function of the module.
pub fn enter_function(function: Function) {
    let name = ir::name(function);
    let is_wanted = std::env::var(PASS_PANIC_IN).is_ok_and(|wanted| wanted == name);
    CURRENT.with_borrow_mut(|current| current.function = Some(name));
    assert!(!is_wanted, "{PASS_PANIC_IN} names this function");
}

fn explain(panic: &PanicHookInfo) {
    let location = panic.location().map(ToString::to_string);
    CURRENT.with_borrow(|current| {
        eprintln!(
            "lostbits: internal error while instrumenting {}`{}` for mode {} (lostbits {VERSION})",
            current
                .function
                .as_ref()
                .map_or(String::new(), |name| format!("function `{name}` of ")),
            current.module,
            current.mode,
        );
    });
    eprintln!(
        "lostbits: {} at {}",
        message(panic),
        location.as_deref().unwrap_or("an unknown location"),
    );
    eprintln!(
        "lostbits: please report this message together with the source file and the compiler options; \
         meanwhile compile this file without lostbits"
    );
    std::process::exit(1);
}

fn message<'a>(panic: &'a PanicHookInfo) -> &'a str {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic without a message")
}
