//! Attributes of functions, arguments and calls.

use std::ffi::c_uint;

use super::{api::*, handle::Attribute, *};

const FUNCTION_ATTRIBUTES: u32 = u32::MAX;

fn attribute_kind(name: &str) -> c_uint {
    // SAFETY: pointer and length are those of the name.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

pub fn has_attribute(function: Function, name: &str) -> bool {
    LLVMGetEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute_kind(name)).is_some()
}

/// On the call itself or on the function called.
pub fn call_has_attribute(call: Value, name: &str) -> bool {
    let kind = attribute_kind(name);
    LLVMGetCallSiteEnumAttribute(checked(call), FUNCTION_ATTRIBUTES, kind).is_some()
        || as_function(callee(call)).is_some_and(|function| has_attribute(function, name))
}

pub fn string_attribute(function: Function, name: &str) -> Option<String> {
    // SAFETY: pointer and length are those of the name; LLVM returns the start of a text of that length, which
    // lives as long as its context.
    let bytes = unsafe {
        let length = name.len() as u32;
        let name = name.as_ptr().cast();
        let attribute = LLVMGetStringAttributeAtIndex(function, FUNCTION_ATTRIBUTES, name, length)?;
        let mut length = 0;
        let text = LLVMGetStringAttributeValue(attribute, &mut length);
        std::slice::from_raw_parts(text.cast(), length as usize)
    };
    Some(String::from_utf8_lossy(bytes).into_owned())
}

pub fn set_string_attribute(function: Function, name: &str, value: &str) {
    // SAFETY: pointers and lengths are those of the texts, which LLVM copies.
    let attribute = unsafe {
        LLVMCreateStringAttribute(
            context_of(function),
            name.as_ptr().cast(),
            name.len() as u32,
            value.as_ptr().cast(),
            value.len() as u32,
        )
    };
    LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute);
}

/// What says for which processor a function is compiled, and in which registers it passes vectors.
const PROCESSOR: [&str; 5] = [
    "target-cpu",
    "tune-cpu",
    "target-features",
    "min-legal-vector-width",
    "prefer-vector-width",
];

pub fn processor(function: Function) -> Vec<Option<String>> {
    PROCESSOR
        .iter()
        .map(|name| string_attribute(function, name))
        .collect()
}

/// Compiles `to` for the same processor as `from`, and so that debuggers find its caller in the same way.
pub fn copy_processor(from: Function, to: Function) {
    for name in PROCESSOR.into_iter().chain(["frame-pointer"]) {
        if let Some(value) = string_attribute(from, name) {
            set_string_attribute(to, name, &value);
        }
    }
    const ASYNCHRONOUS: u64 = 2;
    set_attribute_value(to, "uwtable", ASYNCHRONOUS);
}

/// Adds an attribute that has no value.
pub fn set_attribute(function: Function, name: &str) {
    set_attribute_value(function, name, 0);
}

/// The function neither reads nor writes memory.
pub fn set_without_memory(function: Function) {
    const NONE: u64 = 0;
    set_attribute_value(function, "memory", NONE);
}

fn set_attribute_value(function: Function, name: &str, value: u64) {
    let kind = attribute_kind(name);
    let attribute = LLVMCreateEnumAttribute(context_of(function), kind, value);
    LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute);
}

pub fn remove_attribute(function: Function, name: &str) {
    LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute_kind(name));
}

pub fn remove_call_attribute(call: Value, name: &str) {
    LLVMRemoveCallSiteEnumAttribute(checked(call), FUNCTION_ATTRIBUTES, attribute_kind(name));
}

fn context_of(value: impl Into<Value>) -> Context {
    LLVMGetTypeContext(type_of(value.into()))
}

/// Attaches metadata without content to an instruction.
pub fn mark(instruction: Value, name: &str) {
    let context = context_of(instruction);
    // SAFETY: a node without operands.
    let empty = unsafe { LLVMMDNodeInContext2(context, std::ptr::null(), 0) };
    let node = LLVMMetadataAsValue(context, empty);
    LLVMSetMetadata(checked(instruction), metadata_kind(context, name), node);
}

pub fn is_marked(instruction: Value, name: &str) -> bool {
    let kind = metadata_kind(context_of(instruction), name);
    LLVMGetMetadata(checked(instruction), kind).is_some()
}

fn metadata_kind(context: Context, name: &str) -> c_uint {
    // SAFETY: pointer and length are those of the name, which LLVM copies.
    unsafe { LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32) }
}

/// The type of the memory in which a parameter is passed by value.
pub fn by_value_type(function: Function, parameter: u32) -> Option<Type> {
    let attribute = LLVMGetEnumAttributeAtIndex(function, parameter + 1, attribute_kind("byval"));
    attribute.map(|attribute: Attribute| LLVMGetTypeAttributeValue(attribute))
}

pub fn call_by_value_type(call: Value, argument: u32) -> Option<Type> {
    let kind = attribute_kind("byval");
    let attribute = LLVMGetCallSiteEnumAttribute(checked(call), argument + 1, kind);
    attribute.map(|attribute| LLVMGetTypeAttributeValue(attribute))
}
