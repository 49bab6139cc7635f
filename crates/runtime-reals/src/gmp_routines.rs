//! GMP takes its innermost routines by the model of the processor, and for models that are newer than itself the ones that run
//! everywhere, which take up to twice as long. Here such processors get what GMP takes for their forerunners (Intel's Broadwell),
//! if they have the instructions. Which place in GMP's table a routine has is told by what stands there.

use crate::arithmetic::has_two_chains;

/// The places in GMP's table, at least.
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

/// To be called once, before anything is computed.
pub fn choose() {
    if !has_two_chains() {
        return;
    }
    // SAFETY: the table has as many places, and nobody else uses it yet.
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
