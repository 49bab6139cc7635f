//! Functions of C++'s standard libraries that make text of numbers or write memory, by their mangled names: GNU's
//! libstdc++, and LLVM's libc++, in whose headers `std::format` and `std::print` end in `to_chars`.

use lostbits_abi::conversion::Conversion;

use super::conversions::Printed;
use crate::ir::Value;

pub const TO_STRING: &str = "_ZNSt7__cxx119to_stringE";

/// `basic_ostream<char>` is abbreviated by the mangling of libstdc++'s; streams of wide characters are spelt out.
const STREAMS: [&str; 4] = [
    "_ZNSo",
    "_ZNSt13basic_ostreamIwSt11char_traitsIwEE",
    "_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE",
    "_ZNSt3__113basic_ostreamIwNS_11char_traitsIwEEE",
];

/// Whether all numbers that are given become text: `ostream << x`, `to_chars`, `to_string`.
pub fn makes_text(name: &str) -> bool {
    const CONVERSIONS: [&str; 6] = [
        "_ZSt8to_chars",
        "_ZNSt3__18to_charsE",
        TO_STRING,
        "_ZNSt7__cxx1110to_wstringE",
        "_ZNSt3__19to_stringE",
        "_ZNSt3__110to_wstringE",
    ];
    CONVERSIONS.iter().any(|start| name.starts_with(start))
        || member_of_stream(name)
            .is_some_and(|member| member.starts_with("lsE") || member.starts_with("9_M_insertI"))
}

/// Where a stream's `ios_base` has its precision and flags.
#[derive(Clone, Copy)]
pub struct StreamLayout {
    pub precision: u64,
    pub flags: u64,
}

pub const LIBSTDCXX: StreamLayout = StreamLayout {
    precision: 8,
    flags: 24,
};
const LIBCXX: StreamLayout = StreamLayout {
    precision: 16,
    flags: 8,
};

/// How a function of these prints a number.
pub fn printed(name: &str, arguments: &[Value]) -> Option<Printed> {
    if !makes_text(name) {
        return None;
    }
    let is_libcxx = name.starts_with("_ZNSt3__1");
    if member_of_stream(name).is_some() {
        let layout = if is_libcxx { LIBCXX } else { LIBSTDCXX };
        let stream = *arguments.first()?;
        return Some(Printed::Stream { stream, layout });
    }
    if !name.contains("8to_chars") {
        return Some(Printed::As(Conversion::DEFAULT_FIXED));
    }
    Some(match arguments {
        [_, _, _, format, digits] => Printed::CharsFormat {
            format: *format,
            digits: *digits,
        },
        _ => Printed::As(Conversion::SHORTEST),
    })
}

/// `ostream::write`, with a pointer and a size behind the stream.
pub fn writes_memory(name: &str) -> bool {
    member_of_stream(name) == Some("5writeEPKcl")
}

fn member_of_stream(name: &str) -> Option<&str> {
    STREAMS.iter().find_map(|stream| name.strip_prefix(stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_are_known() {
        for name in [
            "_ZNSolsEd",
            "_ZNSo9_M_insertIdEERSoT_",
            "_ZNSt13basic_ostreamIwSt11char_traitsIwEE9_M_insertIdEERS2_T_",
            "_ZSt8to_charsPcS_d",
            "_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEd",
            "_ZNSt3__113basic_ostreamIwNS_11char_traitsIwEEElsEd",
            "_ZNSt3__18to_charsEPcS0_dNS_12chars_formatEi",
            "_ZNSt3__19to_stringEd",
            "_ZNSt7__cxx1110to_wstringEd",
        ] {
            assert!(makes_text(name), "{name}");
            assert!(!writes_memory(name), "{name}");
        }
        for name in [
            "_ZNSo5writeEPKcl",
            "_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE5writeEPKcl",
        ] {
            assert!(writes_memory(name), "{name}");
            assert!(!makes_text(name), "{name}");
        }
    }

    #[test]
    fn reading_and_moving_is_no_output() {
        for name in [
            "_ZNSi10_M_extractIdEERSiRT_",
            "_ZNSo5seekpElSt12_Ios_Seekdir",
            "_ZNSt3__14stodERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPm",
            "_ZNSt3__113basic_istreamIcNS_11char_traitsIcEEErsERd",
        ] {
            assert!(!makes_text(name) && !writes_memory(name), "{name}");
        }
    }
}
