//! Carries shadows beside the values of one function: through SSA, memory, arguments and returns, for
//! any domain.
//!
//! Blocks are visited in an order in which definitions come before uses; behind each instruction that
//! makes a floating-point value its shadow is made. Shadows of phis are made first and completed last.
//! Blocks are split only when everything else is done, so that a block keeps its identity meanwhile.
//!
//! What cannot be followed gets a fresh shadow and a site that says why ([`FunctionInstrumenter::lose`]).

mod atomics;
mod bits;
mod calls;
mod checks;
mod describe;
mod detour;
mod domain;
mod extrema;
mod fortran;
mod guard;
mod guarded_region;
mod integers;
mod known_functions;
mod lending;
mod library;
mod markers;
mod memory;
mod operations;
mod scaling;
mod size;
mod sorting;
mod variadic;

use std::{
    any::{Any, TypeId},
    collections::HashMap,
};

use lostbits_abi::{
    kind::FpKind,
    ops::Op,
    site::{Lost, Note, What},
    variables::RuntimeVariable,
};

pub use self::{
    checks::Check,
    domain::*,
    guard::{Alarm, Alarming},
};
use self::{checks::Checks, guard::Guards};
use crate::{
    builder::Builder,
    ir::{self, Block, Function, Layout, Opcode, Type, Value},
    module::ModuleInstrumenter,
    mutants::{self, Mutant},
    shape::{self, Leaf},
    sites::Description,
};

pub struct FunctionInstrumenter<'a> {
    pub builder: &'a Builder,
    module: &'a mut ModuleInstrumenter,
    domain: &'a dyn Domain,
    layout: Layout,
    pub function: Function,
    shadows: HashMap<Value, Shadow>,
    /// Shadows of integers that were asked for; none where their bits carry nothing.
    bits: HashMap<Value, Option<LeafShadow>>,
    /// Phis with the shadows that are phis too.
    phis: Vec<(Value, Shadow)>,
    checks: Checks,
    slots: calls::Slots,
    /// Words of the runtime's that were read when the function was entered.
    runtime_words: HashMap<(&'static str, u64), Value>,
    detours: Vec<detour::Detour>,
    /// Anchors with the values that replace them.
    anchors: Vec<(Value, Value)>,
    guards: Guards,
    /// Marks in the source, and the comparisons that they speak of.
    markers: Vec<Value>,
    converging: HashMap<Value, Value>,
    /// Copies that are replaced by their operands at the end.
    copies: Vec<Value>,
    /// Where blocks that were split end now.
    tails: HashMap<Block, Block>,
    totals: Option<Value>,
    sizes: size::Sizes,
    /// What the domain keeps for this function, by its type.
    extensions: HashMap<TypeId, Box<dyn Any>>,
}

impl<'a> FunctionInstrumenter<'a> {
    pub fn new(
        builder: &'a Builder,
        module: &'a mut ModuleInstrumenter,
        domain: &'a dyn Domain,
        layout: Layout,
        function: Function,
    ) -> FunctionInstrumenter<'a> {
        FunctionInstrumenter {
            builder,
            module,
            domain,
            layout,
            function,
            shadows: HashMap::new(),
            bits: HashMap::new(),
            phis: Vec::new(),
            checks: Checks::default(),
            slots: calls::Slots::default(),
            runtime_words: HashMap::new(),
            detours: Vec::new(),
            anchors: Vec::new(),
            guards: Guards::default(),
            markers: Vec::new(),
            converging: HashMap::new(),
            copies: Vec::new(),
            tails: HashMap::new(),
            sizes: size::Sizes::default(),
            totals: None,
            extensions: HashMap::new(),
        }
    }

    pub fn instrument(mut self) {
        if !self.domain.has_shadows() {
            return self.observe_operations();
        }
        self.split_invoke_edges();
        self.register_function();
        let blocks = ir::reverse_postorder(self.function);
        let program: Vec<Vec<Value>> = blocks
            .iter()
            .map(|block| ir::instructions(*block))
            .collect();
        self.sizes = size::Sizes::of(self.function, &blocks, &program);
        let domain = self.domain;
        if let Some(storage) = domain.storage() {
            storage.enter_function(&mut self);
        }
        self.find_markers(&program);
        self.note_reassociation(&program);
        self.note_folding(&program);
        self.receive_arguments();
        for block in &blocks {
            self.open_phis(*block);
        }
        for instruction in program.iter().flatten() {
            self.visit(*instruction);
        }
        self.close_phis();
        domain.finish_function(&mut self);
        if let Some(storage) = domain.storage() {
            storage.leave_function(&mut self);
        }
        self.guard_regions(&blocks, &program);
        self.emit_detours();
        self.emit_checks();
        self.resolve_anchors();
        self.remove_markers();
    }

    fn visit(&mut self, instruction: Value) {
        use Opcode::*;
        let domain = self.domain;
        domain.observe_instruction(self, instruction);
        match ir::opcode(instruction) {
            LLVMPHI => {}
            LLVMFCmp if self.is_marked(instruction) => {}
            LLVMLoad => self.visit_load(instruction),
            LLVMStore => self.visit_store(instruction),
            LLVMCall | LLVMInvoke | LLVMCallBr => self.visit_call(instruction),
            LLVMRet => self.visit_return(instruction),
            LLVMSelect => self.visit_select(instruction),
            LLVMFreeze => self.visit_freeze(instruction),
            LLVMExtractElement => self.visit_extract_element(instruction),
            LLVMInsertElement => self.visit_insert_element(instruction),
            LLVMShuffleVector => self.visit_shuffle(instruction),
            LLVMExtractValue => self.visit_extract_value(instruction),
            LLVMInsertValue => self.visit_insert_value(instruction),
            LLVMBitCast => self.visit_bitcast(instruction),
            LLVMAtomicRMW => self.stop_tracking(instruction, Lost::Atomic),
            LLVMAtomicCmpXchg => self.visit_exchange(instruction),
            _ => self.visit_operation(instruction),
        }
    }

    // ---- shadows of values ----

    pub fn leaves_of(&self, value: Value) -> Vec<Leaf> {
        shape::leaves(self.layout, ir::type_of(value))
    }

    /// The shadow of any value that has leaves.
    pub fn shadow(&self, value: Value) -> Shadow {
        match self.shadows.get(&value) {
            Some(shadow) => shadow.clone(),
            // A constant, or something no shadow was made for (in unreachable code).
            None => self.fresh(value),
        }
    }

    /// The shadow of a scalar or vector.
    fn leaf_shadow(&self, value: Value) -> LeafShadow {
        self.shadow(value)
            .into_iter()
            .next()
            .expect("scalars and vectors have one leaf")
    }

    /// A fresh shadow, made at the builder's position.
    pub fn fresh(&self, value: Value) -> Shadow {
        let fresh = |leaf: &Leaf| {
            let member = self.builder.member(value, &leaf.path);
            self.domain.fresh(self.builder, member)
        };
        self.leaves_of(value).iter().map(fresh).collect()
    }

    pub fn set(&mut self, value: Value, shadow: Shadow) {
        self.shadows.insert(value, shadow);
    }

    /// The value goes on with a fresh shadow, and the site says why.
    fn stop_tracking(&mut self, instruction: Value, why: Lost) {
        let leaves = self.leaves_of(instruction);
        let Some(first) = leaves.first() else { return };
        let site = self.site(instruction, What::Lost(why), first, "");
        self.count(ir::parent_block(instruction), site, 1);
        self.after(instruction);
        let fresh = self.fresh(instruction);
        self.set(instruction, fresh);
    }

    pub fn site(&mut self, instruction: Value, what: What, leaf: &Leaf, callee: &str) -> u32 {
        let description = Description {
            what,
            kind: Some(leaf.kind),
            lanes: shape::lanes(leaf.ty),
            callee,
            note: None,
        };
        self.described_site(instruction, description)
    }

    fn described_site(&mut self, instruction: Value, description: Description) -> u32 {
        let what = description.what;
        let site = self
            .module
            .sites
            .at(instruction, self.function, description);
        self.describe(instruction, what, site);
        site
    }

    /// The site of an instruction that has no value of its own in any format.
    pub fn site_of_double(&mut self, instruction: Value, what: What, note: &str) -> u32 {
        let description = Description {
            what,
            kind: Some(FpKind::Double),
            lanes: 1,
            callee: note,
            note: None,
        };
        self.module
            .sites
            .at(instruction, self.function, description)
    }

    /// What the function's module has once.
    pub fn module(&self) -> &ModuleInstrumenter {
        self.module
    }

    /// The number of the module's first site among those of all modules, at the builder's position.
    pub fn load_first_site(&self) -> Value {
        self.module.load_first_site(self.builder)
    }

    /// The address of a site's totals, at the builder's position; for domains that loaded the totals at the entry.
    pub fn totals_of(&mut self, site: u32) -> Value {
        let totals = self.totals.expect("loaded when the function is entered");
        self.module.site_totals(self.builder, totals, site)
    }

    /// The address of the module's totals, loaded when the function is entered. Moves the builder.
    pub fn totals(&mut self) -> Value {
        if let Some(totals) = self.totals {
            return totals;
        }
        self.builder
            .before(ir::first_insertion_point(ir::entry(self.function)));
        let totals = self.module.load_totals(self.builder);
        self.totals = Some(totals);
        totals
    }

    /// A site beside the one of `operation`, with a note.
    pub fn note_site(&mut self, operation: &Operation, note: Note) -> u32 {
        let (_, value, _) = operation.operands[0];
        let leaf = &self.leaves_of(value)[0];
        let description = Description {
            what: What::Operation(operation.op),
            kind: Some(leaf.kind),
            lanes: shape::lanes(leaf.ty),
            callee: "",
            note: Some(note),
        };
        self.described_site(operation.instruction, description)
    }

    /// A site at the location of `operation`, for another operation that is a part of it.
    pub fn site_beside(&mut self, operation: &Operation, part: Op) -> u32 {
        let (_, value, _) = operation.operands[0];
        let leaf = &self.leaves_of(value)[0];
        self.site(operation.instruction, What::Operation(part), leaf, "")
    }

    /// The placeholder for the table of sites until it is written; see [`ModuleInstrumenter::rows`].
    pub fn rows(&mut self) -> Value {
        self.module.rows(self.builder)
    }

    /// A word of a variable of the runtime, as it was when the function was entered; where shadow code
    /// is guarded, as it is. Leaves the builder behind `instruction`, or there where it is.
    pub fn runtime_word(
        &mut self,
        variable: RuntimeVariable,
        offset: u64,
        ty: Type,
        instruction: Value,
    ) -> Value {
        if self.is_guarded() {
            let address = self
                .builder
                .offset(self.builder.runtime_variable(variable), offset);
            return self.builder.load_constant(ty, address, 4);
        }
        let known = self.runtime_words.get(&(variable.symbol, offset)).copied();
        let word = known.unwrap_or_else(|| {
            self.builder
                .before(ir::first_insertion_point(ir::entry(self.function)));
            let address = self
                .builder
                .offset(self.builder.runtime_variable(variable), offset);
            self.builder.load(ty, address, 4)
        });
        self.runtime_words.insert((variable.symbol, offset), word);
        self.after(instruction);
        word
    }

    /// The domain's state of type `T` for this function; new where there was none.
    pub fn extension<T: Default + 'static>(&mut self) -> &mut T {
        self.extensions
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Box::new(T::default()))
            .downcast_mut()
            .expect("extensions are stored by their type")
    }

    /// The same, where the domain has used it before.
    pub fn existing_extension<T: 'static>(&self) -> Option<&T> {
        self.extensions.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Puts the builder where the result of `instruction` is first available.
    pub fn after(&self, instruction: Value) {
        match ir::opcode(instruction) {
            Opcode::LLVMInvoke => {
                let block = ir::normal_destination(instruction);
                self.builder.before(ir::first_insertion_point(block));
            }
            _ => self.builder.after(instruction),
        }
    }

    // ---- instructions that choose or move whole values ----

    /// Applies one construction to the components of one value's shadow.
    fn map(&mut self, result: Value, source: Value, make: impl Fn(&Builder, Value) -> Value) {
        if self.leaves_of(result).is_empty() {
            return;
        }
        self.builder.after(result);
        let each = |leaf: LeafShadow| leaf.into_iter().map(|v| make(self.builder, v)).collect();
        let shadow = self.shadow(source).into_iter().map(each).collect();
        self.set(result, shadow);
    }

    /// Applies one construction to the components of two values' shadows, pair by pair.
    fn zip(
        &mut self,
        result: Value,
        a: Value,
        b: Value,
        make: impl Fn(&Builder, Value, Value) -> Value,
    ) {
        if self.leaves_of(result).is_empty() {
            return;
        }
        self.builder.after(result);
        let pair = |(a, b): (LeafShadow, LeafShadow)| {
            a.into_iter()
                .zip(b)
                .map(|(a, b)| make(self.builder, a, b))
                .collect()
        };
        let shadow = self
            .shadow(a)
            .into_iter()
            .zip(self.shadow(b))
            .map(pair)
            .collect();
        self.set(result, shadow);
    }

    fn visit_select(&mut self, select: Value) {
        if self.visit_extremum(select) {
            return;
        }
        let condition = ir::operand(select, 0);
        let (yes, no) = match mutants::is_active(Mutant::SelectSwapped) {
            true => (2, 1),
            false => (1, 2),
        };
        self.zip(
            select,
            ir::operand(select, yes),
            ir::operand(select, no),
            |builder, a, b| builder.select(condition, a, b),
        );
    }

    fn visit_freeze(&mut self, freeze: Value) {
        self.map(freeze, ir::operand(freeze, 0), |builder, value| {
            builder.freeze(value)
        });
    }

    fn visit_extract_element(&mut self, extract: Value) {
        let index = ir::operand(extract, 1);
        self.map(extract, ir::operand(extract, 0), |builder, vector| {
            builder.extract_element(vector, index)
        });
    }

    fn visit_insert_element(&mut self, insert: Value) {
        let index = ir::operand(insert, 2);
        self.zip(
            insert,
            ir::operand(insert, 0),
            ir::operand(insert, 1),
            |builder, vector, element| match mutants::is_active(Mutant::LaneNotInserted) {
                true => vector,
                false => builder.insert_element(vector, element, index),
            },
        );
    }

    fn visit_shuffle(&mut self, shuffle: Value) {
        let mask = ir::shuffle_mask(shuffle);
        self.zip(
            shuffle,
            ir::operand(shuffle, 0),
            ir::operand(shuffle, 1),
            |builder, a, b| builder.shuffle(a, b, &mask),
        );
    }

    fn visit_extract_value(&mut self, extract: Value) {
        if self.leaves_of(extract).is_empty() {
            return;
        }
        let aggregate = ir::operand(extract, 0);
        let indices = ir::indices(extract);
        let leaves = shape::member_leaves(self.layout, ir::type_of(aggregate), &indices);
        self.builder.after(extract);
        let shadow = self.shadow(aggregate)[leaves].to_vec();
        self.set(extract, shadow);
    }

    fn visit_insert_value(&mut self, insert: Value) {
        if self.leaves_of(insert).is_empty() {
            return;
        }
        let (aggregate, member) = (ir::operand(insert, 0), ir::operand(insert, 1));
        let leaves =
            shape::member_leaves(self.layout, ir::type_of(aggregate), &ir::indices(insert));
        self.builder.after(insert);
        let mut shadow = self.shadow(aggregate);
        if !leaves.is_empty() {
            shadow.splice(leaves, self.shadow(member));
        }
        self.set(insert, shadow);
    }

    // ---- phis ----

    fn open_phis(&mut self, block: Block) {
        let mut opened = Vec::new();
        for phi in ir::instructions(block)
            .into_iter()
            .take_while(|at| ir::is_phi(*at))
        {
            let open = |leaf: &Leaf| self.open_phi(leaf.ty, block);
            let shadow: Shadow = self.leaves_of(phi).iter().map(open).collect();
            if !shadow.is_empty() {
                self.set(phi, shadow.clone());
                opened.push((phi, shadow));
            }
        }
        if let Some(storage) = self.domain.storage().filter(|_| !opened.is_empty()) {
            self.builder.before(ir::first_insertion_point(block));
            for ((phi, _), exact_if_extraction) in
                opened.iter().zip(storage.copy_phis(self, &opened))
            {
                self.set(*phi, exact_if_extraction);
            }
        }
        self.phis.extend(opened);
    }

    fn open_phi(&self, leaf: Type, block: Block) -> LeafShadow {
        let components = self.domain.components(self.builder, leaf);
        components
            .into_iter()
            .map(|ty| self.builder.phi(ty, block))
            .collect()
    }

    fn close_phis(&mut self) {
        for (phi, shadow) in std::mem::take(&mut self.phis) {
            for (value, block) in ir::incoming(phi) {
                self.builder.before(ir::terminator(block));
                let sources = match mutants::is_active(Mutant::PhiIsExact) {
                    true => self.fresh(value),
                    false => self.shadow(value),
                };
                for (leaf, source) in shadow.iter().zip(sources) {
                    close_phi(leaf, &source, block);
                }
            }
        }
    }
}

fn close_phi(phi: &[Value], source: &[Value], block: Block) {
    for (phi, source) in phi.iter().zip(source) {
        ir::add_incoming(*phi, *source, block);
    }
}
