//! Sums and differences with a term that is shifted on the way: one pass instead of two, on processors that can shift without
//! touching the carry (BMI2).

use core::arch::{
    asm,
    x86_64::{_addcarry_u64, _subborrow_u64},
};

use super::limbs::fresh;

/// A term that is shifted down by 1 to 63 bits, and so longer by a limb.
#[derive(Clone, Copy)]
pub struct Shifted<'a> {
    pub limbs: &'a [u64],
    pub bits: u32,
}

/// out[..] = a[..] ± the shifted term's limbs from `$first` on, all of them; gives what is carried.
macro_rules! combined {
    ($(#[$doc:meta])* $name:ident $one:ident $rows:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name(
            self,
            out: *mut u64,
            a: *const u64,
            first: usize,
            mut carry: u8,
        ) -> u8 {
            let (from, last) = (self.limbs.as_ptr(), self.limbs.len());
            let mut at = 0;
            unsafe {
                if first == 0 {
                    let lowest = fresh(from) << (64 - self.bits);
                    carry = $one(carry, fresh(a), lowest, &mut *out);
                    at = 1;
                }
                let count = last - (first + at);
                if count > 0 {
                    let (out, a) = (out.add(at), a.add(at));
                    carry = $rows(out, a, from.add(first + at - 1), count, self.bits, carry);
                    at += count;
                }
                let highest = fresh(from.add(last - 1)) >> self.bits;
                $one(carry, fresh(a.add(at)), highest, &mut *out.add(at))
            }
        }
    };
}

impl Shifted<'_> {
    combined! {
        /// Adds the term's limbs from `first` on to as many of `a`.
        add_to add_one add_rows
    }

    combined! {
        /// Subtracts them.
        subtract_from subtract_one subtract_rows
    }
}

#[inline(always)]
fn add_one(carry: u8, a: u64, b: u64, out: &mut u64) -> u8 {
    _addcarry_u64(carry, a, b, out)
}

#[inline(always)]
fn subtract_one(borrow: u8, a: u64, b: u64, out: &mut u64) -> u8 {
    _subborrow_u64(borrow, a, b, out)
}

/// out[i] = a[i] ± (b[i] and b[i + 1], shifted), first one by one, then by four.
macro_rules! rows {
    ($name:ident $(, $step:literal)*) => {
        #[inline(always)]
        unsafe fn $name(
            out: *mut u64,
            a: *const u64,
            b: *const u64,
            count: usize,
            bits: u32,
            carry: u8,
        ) -> u8 {
            let carried: u64;
            unsafe {
                asm!(
                    "mov {low}, [{b}]",
                    "xor {at:e}, {at:e}",
                    // The carry becomes the processor's.
                    "add {x:l}, 255",
                    "jrcxz 3f",
                    "2:",
                    "mov {high}, [{b} + 8 * {at} + 8]",
                    "shrx {x}, {low}, {down}",
                    "shlx {y}, {high}, {up}",
                    "lea {x}, [{x} + {y}]",
                    "mov {y}, [{a} + 8 * {at}]",
                    $($step,)*
                    "mov [{out} + 8 * {at}], {y}",
                    "mov {low}, {high}",
                    "lea {at}, [{at} + 1]",
                    "dec rcx",
                    "jnz 2b",
                    "3:",
                    "mov rcx, {quads}",
                    // A short jump does not reach the end.
                    "jrcxz 6f",
                    "jmp 4f",
                    "6:",
                    "jmp 5f",
                    "4:",
                    "mov {high}, [{b} + 8 * {at} + 8]",
                    "shrx {x}, {low}, {down}",
                    "shlx {y}, {high}, {up}",
                    "lea {x}, [{x} + {y}]",
                    "mov {y}, [{a} + 8 * {at}]",
                    $($step,)*
                    "mov [{out} + 8 * {at}], {y}",
                    "mov {low}, [{b} + 8 * {at} + 16]",
                    "shrx {x}, {high}, {down}",
                    "shlx {y}, {low}, {up}",
                    "lea {x}, [{x} + {y}]",
                    "mov {y}, [{a} + 8 * {at} + 8]",
                    $($step,)*
                    "mov [{out} + 8 * {at} + 8], {y}",
                    "mov {high}, [{b} + 8 * {at} + 24]",
                    "shrx {x}, {low}, {down}",
                    "shlx {y}, {high}, {up}",
                    "lea {x}, [{x} + {y}]",
                    "mov {y}, [{a} + 8 * {at} + 16]",
                    $($step,)*
                    "mov [{out} + 8 * {at} + 16], {y}",
                    "mov {low}, [{b} + 8 * {at} + 32]",
                    "shrx {x}, {high}, {down}",
                    "shlx {y}, {low}, {up}",
                    "lea {x}, [{x} + {y}]",
                    "mov {y}, [{a} + 8 * {at} + 24]",
                    $($step,)*
                    "mov [{out} + 8 * {at} + 24], {y}",
                    "lea {at}, [{at} + 4]",
                    "dec rcx",
                    "jnz 4b",
                    "5:",
                    "setc {x:l}",
                    "movzx {x:e}, {x:l}",
                    a = in(reg) a,
                    b = in(reg) b,
                    out = in(reg) out,
                    down = in(reg) u64::from(bits),
                    up = in(reg) u64::from(64 - bits),
                    quads = in(reg) count / 4,
                    inout("rcx") count % 4 => _,
                    x = inout(reg) u64::from(carry) => carried,
                    y = out(reg) _,
                    low = out(reg) _,
                    high = out(reg) _,
                    at = out(reg) _,
                    options(nostack)
                );
            }
            carried as u8
        }
    };
}

rows!(add_rows, "adc {y}, {x}");
rows!(subtract_rows, "sbb {y}, {x}");
