//! Faster inner routines for GMP.
//!
//! GMP selects its inner routines by the processor's model. Models newer than GMP itself get generic ones, which take up to
//! twice as long. This module gives such processors what GMP selects for Intel's Broadwell, if they have the instructions.
//! Each entry of GMP's table is recognised by the generic routine it holds.

use crate::arithmetic::has_adx;

/// Entries of GMP's table; there are at least this many.
const PLACES: usize = 36;

macro_rules! routines {
    ($($everywhere:ident $better:ident)*) => {
        unsafe extern "C" {
            static mut __gmpn_cpuvec: [usize; PLACES];
            fn __gmpn_cpuvec_init();
            $(fn $everywhere(); fn $better();)*
        }

        fn routines() -> impl Iterator<Item = (usize, usize)> {
            [$(($everywhere as *const () as usize, $better as *const () as usize)),*].into_iter()
        }
    };
}

routines! {
    __gmpn_add_n_x86_64 __gmpn_add_n_coreihwl
    __gmpn_addmul_1_x86_64 __gmpn_addmul_1_coreibwl
    __gmpn_addmul_2_fat __gmpn_addmul_2_coreihwl
    __gmpn_divrem_1_x86_64 __gmpn_divrem_1_coreisbr
    __gmpn_lshift_x86_64 __gmpn_lshift_coreisbr
    __gmpn_mul_1_x86_64 __gmpn_mul_1_coreibwl
    __gmpn_mul_basecase_fat __gmpn_mul_basecase_coreibwl
    __gmpn_mullo_basecase_fat __gmpn_mullo_basecase_coreibwl
    __gmpn_rshift_x86_64 __gmpn_rshift_coreisbr
    __gmpn_sqr_basecase_fat __gmpn_sqr_basecase_coreibwl
    __gmpn_sub_n_x86_64 __gmpn_sub_n_coreihwl
    __gmpn_submul_1_x86_64 __gmpn_submul_1_coreihwl
}

/// Call once, before any arithmetic.
pub fn choose() {
    if !has_adx() {
        return;
    }
    // SAFETY: `__gmpn_cpuvec` has at least PLACES words, all of them function pointers. `start::ensure_started` calls this
    // once, before any thread uses GMP. The routines replaced and their replacements have the same types.
    unsafe {
        __gmpn_cpuvec_init();
        let table = (&raw mut __gmpn_cpuvec).cast::<usize>();
        for place in (0..PLACES).map(|index| table.add(index)) {
            if let Some((_, better)) = routines().find(|(everywhere, _)| *place == *everywhere) {
                *place = better;
            }
        }
    }
}
