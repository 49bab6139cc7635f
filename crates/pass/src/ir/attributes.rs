//! Attributes of functions, arguments and calls.

use std::ffi::{c_char, c_uint};

use llvm_sys::core::*;

use super::*;

pub const FUNCTION_ATTRIBUTES: u32 = u32::MAX;

fn attribute_kind(name: &str) -> c_uint {
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

pub fn has_attribute(function: Value, name: &str) -> bool {
    unsafe {
        !LLVMGetEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute_kind(name)).is_null()
    }
}

/// On the call itself or on the function called.
pub fn call_has_attribute(call: Value, name: &str) -> bool {
    let kind = attribute_kind(name);
    let on_call = unsafe { LLVMGetCallSiteEnumAttribute(call, FUNCTION_ATTRIBUTES, kind) };
    !on_call.is_null()
        || as_function(callee(call)).is_some_and(|function| has_attribute(function, name))
}

pub fn string_attribute(function: Value, name: &str) -> Option<String> {
    unsafe {
        let attribute = LLVMGetStringAttributeAtIndex(
            function,
            FUNCTION_ATTRIBUTES,
            name.as_ptr().cast::<c_char>(),
            name.len() as u32,
        );
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMGetStringAttributeValue(attribute, &mut length);
        let bytes = std::slice::from_raw_parts(text.cast(), length as usize);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

pub fn set_string_attribute(function: Value, name: &str, value: &str) {
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(function));
        let attribute = LLVMCreateStringAttribute(
            context,
            name.as_ptr().cast::<c_char>(),
            name.len() as u32,
            value.as_ptr().cast::<c_char>(),
            value.len() as u32,
        );
        LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute);
    }
}

/// An attribute that has no value.
pub fn set_attribute(function: Value, name: &str) {
    set_attribute_value(function, name, 0);
}

/// The function neither reads nor writes memory.
pub fn set_without_memory(function: Value) {
    const NONE: u64 = 0;
    set_attribute_value(function, "memory", NONE);
}

fn set_attribute_value(function: Value, name: &str, value: u64) {
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(function));
        let attribute = LLVMCreateEnumAttribute(context, attribute_kind(name), value);
        LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute);
    }
}

pub fn remove_attribute(function: Value, name: &str) {
    unsafe { LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute_kind(name)) }
}

pub fn remove_call_attribute(call: Value, name: &str) {
    unsafe { LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_ATTRIBUTES, attribute_kind(name)) }
}

/// Marks an instruction, for the pass alone.
pub fn mark(instruction: Value, name: &str) {
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(instruction));
        let empty = LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
        let node = LLVMMetadataAsValue(context, empty);
        LLVMSetMetadata(instruction, metadata_kind(instruction, name), node);
    }
}

pub fn is_marked(instruction: Value, name: &str) -> bool {
    unsafe { !LLVMGetMetadata(instruction, metadata_kind(instruction, name)).is_null() }
}

fn metadata_kind(instruction: Value, name: &str) -> c_uint {
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(instruction));
        LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32)
    }
}

/// The type a parameter is passed by value as, through memory.
pub fn by_value_type(function: Value, parameter: u32) -> Option<Type> {
    unsafe {
        let kind = attribute_kind("byval");
        let attribute = LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))
    }
}

pub fn call_by_value_type(call: Value, argument: u32) -> Option<Type> {
    unsafe {
        let kind = attribute_kind("byval");
        let attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))
    }
}
