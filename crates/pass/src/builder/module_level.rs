//! What a module has besides the code of its functions: declarations, globals, constants, functions of our own.

use llvm_sys::LLVMLinkage;
use lostbits_abi::{functions::RuntimeFunction, variables::RuntimeVariable};

use super::{Builder, null};
use crate::ir::{self, CallConvention, Function, Type, Value, api::*, c_string};

impl Builder {
    pub fn declare(&self, name: &str, result: Type, parameters: &[Type]) -> Function {
        ir::named_function(self.module, name)
            .unwrap_or_else(|| self.add_function(name, self.types.function(result, parameters)))
    }

    fn add_function(&self, name: &str, ty: Type) -> Function {
        let name = c_string(name);
        // SAFETY: the name is a C string that outlives the call.
        unsafe { LLVMAddFunction(self.module, name.as_ptr(), ty) }
    }

    fn add_global(&self, name: &str, ty: Type) -> Value {
        let name = c_string(name);
        // SAFETY: as above.
        unsafe { LLVMAddGlobal(self.module, ty, name.as_ptr()) }
    }

    /// A function of the runtime.
    pub fn declare_runtime(&self, function: RuntimeFunction) -> Function {
        let parameters: Vec<Type> = function
            .parameters
            .iter()
            .map(|ty| self.types.abi(*ty))
            .collect();
        self.declare(
            function.symbol,
            self.types.abi(function.result),
            &parameters,
        )
    }

    pub fn call_runtime(&self, function: RuntimeFunction, arguments: &[Value]) -> Value {
        self.call(self.declare_runtime(function), arguments)
    }

    /// A variable that the runtime defines.
    pub fn runtime_variable(&self, variable: RuntimeVariable) -> Value {
        ir::named_global(self.module, variable.symbol).unwrap_or_else(|| {
            let global = self.add_global(variable.symbol, self.types.i64);
            // Code for executables needs no register for its address.
            ir::reach_directly_from_executable(global);
            global
        })
    }

    pub fn global(&self, name: &str, initial: Value) -> Value {
        let global = self.add_global(name, ir::type_of(initial));
        LLVMSetInitializer(global, initial);
        LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
        global
    }

    /// Defines a symbol that says nothing but that it exists.
    pub fn weak_mark(&self, name: &str) {
        if ir::named_global(self.module, name).is_none() {
            let mark = self.global(name, null(self.types.i8));
            LLVMSetLinkage(mark, LLVMLinkage::LLVMWeakAnyLinkage);
            ir::set_constant(mark);
        }
    }

    /// The address of a symbol that may be defined elsewhere; else null.
    pub fn weak_reference(&self, name: &str) -> Value {
        ir::named_global(self.module, name).unwrap_or_else(|| {
            let reference = self.add_global(name, self.types.i8);
            LLVMSetLinkage(reference, LLVMLinkage::LLVMExternalWeakLinkage);
            reference
        })
    }

    /// An internal function without parameters that calls `called` with `argument`.
    pub fn make_hook(&self, name: &str, called: Function, argument: Value) -> Function {
        let hook = self.add_function(name, self.types.function(self.types.void, &[]));
        LLVMSetLinkage(hook.into(), LLVMLinkage::LLVMInternalLinkage);
        let block = LLVMAppendBasicBlockInContext(self.types.context, hook, UNNAMED);
        LLVMPositionBuilderAtEnd(self.raw, block);
        LLVMSetCurrentDebugLocation2(self.raw, None);
        self.call(called, &[argument]);
        LLVMBuildRetVoid(self.raw);
        hook
    }

    /// An internal function with one block, at whose end the builder goes; [`Builder::return_structure`] completes it.
    pub fn define(&self, name: &str, ty: Type, convention: CallConvention) -> Function {
        let function = self.add_function(name, ty);
        LLVMSetLinkage(function.into(), LLVMLinkage::LLVMInternalLinkage);
        LLVMSetFunctionCallConv(function, convention as u32);
        for attribute in ["noinline", "nounwind"] {
            ir::set_attribute(function, attribute);
        }
        let block = LLVMAppendBasicBlockInContext(self.types.context, function, UNNAMED);
        LLVMPositionBuilderAtEnd(self.raw, block);
        LLVMSetCurrentDebugLocation2(self.raw, None);
        self.before(LLVMBuildUnreachable(self.raw));
        function
    }

    /// Returns a structure of these; the builder is at the end of the function that it made.
    pub fn return_structure(&self, fields: &[Value]) {
        let end = ir::terminator(self.insert_block());
        // SAFETY: pointer and count are those of the slice.
        unsafe { LLVMBuildAggregateRet(self.raw, fields.as_ptr(), fields.len() as u32) };
        ir::erase(end);
    }

    /// Ends the function that the builder made.
    pub fn return_nothing(&self) {
        let end = ir::terminator(self.insert_block());
        LLVMBuildRetVoid(self.raw);
        ir::erase(end);
    }

    /// Calls a function of [`Builder::define`].
    pub fn call_with(
        &self,
        convention: CallConvention,
        function: Function,
        arguments: &[Value],
    ) -> Value {
        let call = self.call(function, arguments);
        LLVMSetInstructionCallConv(call, convention as u32);
        call
    }

    pub fn bytes(&self, bytes: &[u8]) -> Value {
        let (text, length) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY: pointer and length are those of the slice.
        unsafe { LLVMConstStringInContext2(self.types.context, text, length, 1) }
    }

    pub fn constant_structure(&self, fields: &[Value]) -> Value {
        let (first, count) = (fields.as_ptr(), fields.len() as u32);
        // SAFETY: pointer and count are those of the slice.
        unsafe { LLVMConstStructInContext(self.types.context, first, count, 0) }
    }

    /// A thread-local array of bytes that all modules of this name share.
    pub fn shared_thread_local(&self, name: &str, bytes: u64) -> Value {
        if let Some(known) = ir::named_global(self.module, name) {
            return known;
        }
        let ty = self.types.array(self.types.i8, bytes);
        let global = self.add_global(name, ty);
        LLVMSetInitializer(global, null(ty));
        LLVMSetLinkage(global, LLVMLinkage::LLVMLinkOnceODRLinkage);
        LLVMSetThreadLocal(global, 1);
        LLVMSetAlignment(global, 16);
        let text = c_string(name);
        // SAFETY: the name is a C string that outlives the call.
        let comdat = unsafe { LLVMGetOrInsertComdat(self.module, text.as_ptr()) };
        LLVMSetComdat(global, comdat);
        global
    }
}
