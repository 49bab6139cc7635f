//! Moves loads down to where their values are used first.
//!
//! A vectoriser that works on several vectors at once loads all of them, then multiplies all of them, and so on. With a
//! shadow of three words beside each value there are not registers enough for that, and the checks between the
//! operations keep the back end from putting them in another order itself. (Moving arithmetic as well gained nothing
//! more.)
//!
//! Only within a block, and over nothing that may write.

use std::collections::HashSet;

use crate::ir::{self, Block, Function, Value};

/// So far ahead is looked, so that large blocks do not take long.
const FAR: usize = 256;

pub fn delay_loads(function: Function) {
    for block in ir::blocks(function) {
        delay_loads_in(block);
    }
}

fn delay_loads_in(block: Block) {
    // From below: what is used first by a load has moved already.
    let loads = ir::instructions(block).into_iter().rev();
    for load in loads.filter(|instruction| ir::is_plain_load(*instruction)) {
        if let Some(user) = first_user(load) {
            ir::move_before(load, user);
        }
    }
}

/// The first instruction further down in the block that uses a load, if the load can be moved there.
fn first_user(load: Value) -> Option<Value> {
    let users: HashSet<Value> = ir::uses(load).into_iter().collect();
    let mut at = load;
    for _ in 0..FAR {
        at = ir::next_in_block(at)?;
        if users.contains(&at) {
            return Some(at);
        }
        if ir::may_write(at) {
            return None;
        }
    }
    None
}
