//! Which lines of Python are being executed, if this process runs Python and this thread holds its lock.
//!
//! Instrumented code in an extension module says which of its own lines is wrong. A user of the module thinks in lines of Python, so
//! the innermost frames of the interpreter are kept with the worst execution of an output or decision.
//!
//! The interpreter's functions are weak references: nothing is linked with Python, and in other programs they are null. Only its
//! documented functions are called, none of which runs Python code; garbage is not collected meanwhile.
//!
//! What it can miss: threads that have released the interpreter's lock; interpreters before 3.9, or whose library was loaded without
//! `RTLD_GLOBAL`; frames of Cython's own functions, which have none.

use core::{
    arch::asm,
    ffi::{c_char, c_int, c_void},
    ptr, slice,
};

use lostbits_abi::explain::python::{CALLS, Call, FRAMES, Frame};

type Object = *mut c_void;

/// Functions of Python's C interface, as its documentation declares them.
struct Interpreter {
    is_initialized: unsafe extern "C" fn() -> c_int,
    holds_lock: unsafe extern "C" fn() -> c_int,
    own_thread: unsafe extern "C" fn() -> Object,
    running_thread: unsafe extern "C" fn() -> Object,
    frame: unsafe extern "C" fn() -> Object,
    line: unsafe extern "C" fn(Object) -> c_int,
    code: unsafe extern "C" fn(Object) -> Object,
    back: unsafe extern "C" fn(Object) -> Object,
    attribute: unsafe extern "C" fn(Object, *const c_char) -> Object,
    text: unsafe extern "C" fn(Object, *mut isize) -> *const c_char,
    retain: unsafe extern "C" fn(Object),
    release: unsafe extern "C" fn(Object),
    take_error: unsafe extern "C" fn(*mut Object, *mut Object, *mut Object),
    restore_error: unsafe extern "C" fn(Object, Object, Object),
    disable_collection: Option<unsafe extern "C" fn() -> c_int>,
    enable_collection: Option<unsafe extern "C" fn() -> c_int>,
}

/// The address of a function, or 0 if this process has none of that name.
macro_rules! address {
    ($name:literal) => {{
        let address: usize;
        // SAFETY: only a word of the global offset table is read.
        unsafe {
            asm!(
                concat!(".weak ", $name),
                concat!("mov {0}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        address
    }};
}

/// The function of a name; returns from the function around it if there is none.
macro_rules! needed {
    ($name:literal) => {
        match address!($name) {
            0 => return None,
            // SAFETY: the interpreter's function of this name has the type of the field.
            address => unsafe { core::mem::transmute::<usize, _>(address) },
        }
    };
}

/// The same for a function that older interpreters lack.
macro_rules! optional {
    ($name:literal) => {{
        let address = address!($name);
        // SAFETY: as above; null is None.
        unsafe { core::mem::transmute::<usize, Option<_>>(address) }
    }};
}

impl Interpreter {
    #[expect(
        clippy::missing_transmute_annotations,
        reason = "the types are those of the fields"
    )]
    fn find() -> Option<Interpreter> {
        Some(Interpreter {
            is_initialized: needed!("Py_IsInitialized"),
            holds_lock: needed!("PyGILState_Check"),
            own_thread: needed!("PyGILState_GetThisThreadState"),
            running_thread: needed!("_PyThreadState_UncheckedGet"),
            frame: needed!("PyEval_GetFrame"),
            line: needed!("PyFrame_GetLineNumber"),
            code: needed!("PyFrame_GetCode"),
            back: needed!("PyFrame_GetBack"),
            attribute: needed!("PyObject_GetAttrString"),
            text: needed!("PyUnicode_AsUTF8AndSize"),
            retain: needed!("Py_IncRef"),
            release: needed!("Py_DecRef"),
            take_error: needed!("PyErr_Fetch"),
            restore_error: needed!("PyErr_Restore"),
            disable_collection: optional!("PyGC_Disable"),
            enable_collection: optional!("PyGC_Enable"),
        })
    }

    /// Whether this thread may use the interpreter: it is the one that is running Python.
    fn is_ours(&self) -> bool {
        // SAFETY: these functions may be called by every thread at any time.
        unsafe {
            (self.is_initialized)() != 0
                && (self.holds_lock)() != 0
                && !(self.own_thread)().is_null()
                // With subinterpreters, PyGILState_Check always says yes.
                && (self.own_thread)() == (self.running_thread)()
        }
    }

    /// # Safety
    ///
    /// [`Interpreter::is_ours`].
    unsafe fn read(&self, frames: &mut [Frame; FRAMES]) {
        // SAFETY: the caller's promise holds for all calls of the interpreter here; every reference that a function gives is released.
        unsafe {
            let mut error: [Object; 3] = [ptr::null_mut(); 3];
            let [kind, value, trace] = &mut error;
            (self.take_error)(kind, value, trace);
            // Newer interpreters allocate frames when they are asked for, and collecting runs finalizers.
            let was_collecting = self
                .disable_collection
                .is_some_and(|disable| disable() != 0);
            let mut frame = (self.frame)();
            if !frame.is_null() {
                (self.retain)(frame);
            }
            for place in frames {
                if frame.is_null() {
                    break;
                }
                self.read_frame(frame, place);
                let outer = (self.back)(frame);
                (self.release)(frame);
                frame = outer;
            }
            if !frame.is_null() {
                (self.release)(frame);
            }
            if let Some(enable) = self.enable_collection.filter(|_| was_collecting) {
                enable();
            }
            // Replaces what a failed look-up may have set.
            let [kind, value, trace] = error;
            (self.restore_error)(kind, value, trace);
        }
    }

    /// # Safety
    ///
    /// As for [`Interpreter::read`]; `frame` is a frame.
    unsafe fn read_frame(&self, frame: Object, place: &mut Frame) {
        // SAFETY: the caller's promise.
        unsafe {
            let code = (self.code)(frame);
            if code.is_null() {
                return;
            }
            self.with_attribute(code, c"co_filename".as_ptr(), |text| place.set_file(text));
            self.with_attribute(code, c"co_name".as_ptr(), |text| place.set_function(text));
            place.line = u32::try_from((self.line)(frame)).unwrap_or(0);
            (self.release)(code);
        }
    }

    /// # Safety
    ///
    /// As for [`Interpreter::read`]; `object` is an object, `name` a C string.
    unsafe fn with_attribute(
        &self,
        object: Object,
        name: *const c_char,
        mut work: impl FnMut(&[u8]),
    ) {
        // SAFETY: the text is valid as long as the object that has it.
        unsafe {
            let attribute = (self.attribute)(object, name);
            if attribute.is_null() {
                return;
            }
            let mut length = 0;
            let text = (self.text)(attribute, &mut length);
            if let Some(length) = usize::try_from(length).ok().filter(|_| !text.is_null()) {
                work(slice::from_raw_parts(text.cast(), length));
            }
            (self.release)(attribute);
        }
    }
}

/// Notes the line of Python that got a wrong result, if this thread executes Python.
pub fn note_caller(calls: &mut [Call; CALLS], bits: f64) {
    if let Some(interpreter) = Interpreter::find().filter(Interpreter::is_ours) {
        let mut frames = [Frame::NONE; FRAMES];
        // SAFETY: just checked.
        unsafe { interpreter.read(&mut frames) };
        if frames[0].line > 0 {
            Call::add(calls, &frames, bits);
        }
    }
}
