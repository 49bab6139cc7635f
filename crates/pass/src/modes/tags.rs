//! Tag words as shadows: how they are kept, moved and united. What sets a tag is a mode's matter:
//! [`Carry`] never really does, and shows the price of the bare machinery; `watch` does.
//!
//! A word has the width of its value (of the 64-bit significand for x87), so that vectors of words have
//! the shape of the values' vectors, and is kept in memory together with the value's bits in a single
//! plane; see [`lostbits_abi::tag`]. Integers that hold floating-point bits carry words undecoded, since
//! their bits may belong to several values.

use lostbits_abi::{
    functions, kind::FpKind, mode::Mode, ops::Op, tag, variables, watch::WatchLimits,
};

use crate::{
    builder::{self, Builder},
    carry::{
        Check, Decoded, Domain, FunctionInstrumenter, Guarding, LeafShadow, Observation, Operation,
        Preparation, Shadow, ShadowFormat, ShadowRules,
    },
    ir::{self, Opcode, Type, TypeKind, Value},
    prepare::processor::Features,
    shape::{self, Leaf},
};

/// What a mode adds to carried tags.
pub trait TagRules {
    const MODE: Mode;
    /// See [`Domain::guarding`].
    const GUARDING: Option<Guarding> = None;
    /// See [`Preparation::opens_complex_functions`].
    const OPENS_COMPLEX_FUNCTIONS: bool = false;

    /// The tag words of an operation's result, and whatever else is to be seen to.
    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow;
}

/// Mode `carry`: a result is tagged if an operand is, sums may be tagged by a word of the runtime's, and
/// decisions on tagged values are counted. The word is zero, but the optimiser does not know: so the
/// tags that a real mode would have to carry are carried, without any use.
pub struct Carry;

impl TagRules for Carry {
    const MODE: Mode = Mode::Carry;

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        match operation.op {
            Op::Add | Op::Sub | Op::Fma | Op::MulAdd => with_source(cx, operation),
            Op::Compare | Op::ToSigned | Op::ToUnsigned => with_sink(cx, operation),
            _ => union_of_operands(cx, operation),
        }
    }
}

fn with_source(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let instruction = operation.instruction;
    let zero = std::mem::offset_of!(WatchLimits, near) as u64;
    let i64 = cx.builder.types.i64;
    let source = cx.runtime_word(variables::WATCH_LIMITS, zero, i64, instruction);
    let mut shadow = union_of_operands(cx, operation);
    let builder = cx.builder;
    for component in shadow.iter_mut().flatten() {
        let word = ir::type_of(*component);
        let lane = builder.resize_unsigned(source, shape::scalar(word));
        *component = builder.or(*component, builder.broadcast(lane, word));
    }
    shadow
}

fn with_sink(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let builder = cx.builder;
    let words = operation.operands.iter().map(|(_, _, tag)| tag[0]);
    if let Some(word) = words.reduce(|a, b| builder.or(a, b)) {
        let (_, value, _) = operation.operands[0];
        let tagged = builder.differ(word, builder::null(ir::type_of(word)));
        let value = bits(builder, value);
        cx.check(tag_check(operation.site, tagged, [value, value], word));
    }
    union_of_operands(cx, operation)
}

/// Reports to the runtime that an operation with these operands' bits was seen with a tag.
pub fn tag_check(site: u32, flags: Value, values: [Value; 2], tag: Value) -> Check {
    Check {
        site,
        flags,
        report: functions::WATCH_REPORT,
        values: vec![values[0], values[1], tag],
        nans_are_equal: None,
    }
}

/// The domain of a mode that carries tags.
pub struct Tags<Rules>(pub Rules);

impl<Rules: TagRules> Domain for Tags<Rules> {
    fn mode(&self) -> Mode {
        Rules::MODE
    }

    fn guarding(&self) -> Option<Guarding> {
        Rules::GUARDING
    }
}

impl<Rules: TagRules> ShadowFormat for Tags<Rules> {
    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![word_type(builder, leaf)]
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        vec![builder::null(word_type(builder, ir::type_of(value)))]
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![word_type(builder, leaf)]
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        let bits = bits(builder, value);
        vec![match ir::is_null(shadow[0]) {
            true => bits,
            false => builder.xor(bits, shadow[0]),
        }]
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        let word = builder.xor(bits(builder, value), cells[0]);
        let shadow = vec![checked(builder, ir::type_of(value), word)];
        Decoded {
            shadow,
            valid: None,
        }
    }
}

impl<Rules: TagRules> ShadowRules for Tags<Rules> {
    fn bitcast(&self, builder: &Builder, _: Value, shadow: &[Value], to: Type) -> LeafShadow {
        let word = builder.bitcast(shadow[0], word_type(builder, to));
        vec![checked(builder, to, word)]
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        let opcode = ir::opcode(instruction);
        let result = ir::type_of(instruction);
        let (_, first) = &operands[0];
        let moved = match (opcode, operands) {
            (Opcode::LLVMTrunc | Opcode::LLVMZExt, _) => builder.cast(opcode, first[0], result),
            (Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAnd, [(0, _)]) => {
                builder.binary(opcode, first[0], ir::operand(instruction, 1))
            }
            // Setting or flipping bits (of the sign, most likely) leaves the word as it is.
            (_, [_]) => first[0],
            (_, [_, (_, second), ..]) => builder.or(first[0], second[0]),
            (_, []) => unreachable!("an operand carries bits"),
        };
        vec![moved]
    }

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        self.0.operate(cx, operation)
    }
}

impl<Rules: TagRules> Observation for Tags<Rules> {
    fn marks_entered(&self, op: Op) -> bool {
        Rules::MODE == Mode::Watch && op.is_discrete()
    }
}

impl<Rules: TagRules> Preparation for Tags<Rules> {
    fn processor_features(&self) -> Option<Features> {
        Rules::GUARDING.map(|_| Features::Vectors)
    }

    fn opens_complex_functions(&self) -> bool {
        Rules::OPENS_COMPLEX_FUNCTIONS
    }
}

/// A result that is tagged if any operand is.
pub fn union_of_operands(cx: &FunctionInstrumenter, operation: &Operation) -> Shadow {
    let builder = cx.builder;
    let any_operand = |leaf: &Leaf| {
        let word = word_type(builder, leaf.ty);
        let words = operation
            .operands
            .iter()
            .map(|(_, _, tag)| reshaped(builder, tag[0], word));
        vec![
            words
                .reduce(|a, b| builder.or(a, b))
                .unwrap_or_else(|| builder::null(word)),
        ]
    };
    cx.leaves_of(operation.instruction)
        .iter()
        .map(any_operand)
        .collect()
}

/// The integer type of a value's word: integers are their own.
pub fn word_type(builder: &Builder, leaf: Type) -> Type {
    let scalar = shape::scalar(leaf);
    let width = match shape::fp_kind(scalar) {
        Some(FpKind::X87) => 64,
        Some(kind) => kind.storage_bits(),
        None => ir::int_width(scalar),
    };
    builder.types.shaped(builder.types.int(width), leaf)
}

/// The word of a tag that comes from `site` alone, in every lane.
pub fn word_of_site(word: Type, site: u32) -> Value {
    let width = ir::int_width(shape::scalar(word));
    builder::splat(word, tag::signature(width) | tag::set_of_site(site, width))
}

/// The bits that identify a value: all of them, or an x87 value's significand.
pub fn bits(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    if ir::type_kind(ty) == TypeKind::LLVMX86_FP80TypeKind {
        let all = builder.bitcast(value, builder.types.int(80));
        return builder.resize_unsigned(all, builder.types.i64);
    }
    builder.bitcast(value, word_type(builder, ty))
}

/// Keeps a word only where it has the signature: it may have been stored with another value.
fn checked(builder: &Builder, leaf: Type, word: Value) -> Value {
    if shape::fp_kind(leaf).is_none() {
        return checked_integer(builder, word);
    }
    let ty = word_type(builder, leaf);
    let has_it = has_signature(builder, word);
    builder.and(word, builder.resize_mask(has_it, ty))
}

fn has_signature(builder: &Builder, word: Value) -> Value {
    let ty = ir::type_of(word);
    let width = ir::int_width(shape::scalar(ty));
    let signature = builder.and(word, builder::splat(ty, !tag::set_mask(width)));
    builder.equal(signature, builder::splat(ty, tag::signature(width)))
}

/// The bits of an integer may be those of one double, or of several narrower values each tagged or not.
/// Pieces of less than a double are taken for what they are.
fn checked_integer(builder: &Builder, word: Value) -> Value {
    let ty = ir::type_of(word);
    let bits = shape::lanes(ty) * ir::int_width(shape::scalar(ty));
    if !bits.is_multiple_of(64) {
        return word;
    }
    let types = builder.types;
    let in_lanes =
        |value, width: u32| builder.bitcast(value, types.vector(types.int(width), bits / width));
    let doubles = in_lanes(word, 64);
    let mut kept = builder.resize_mask(has_signature(builder, doubles), ir::type_of(doubles));
    for width in [32, 16] {
        let narrow = in_lanes(word, width);
        let narrow_type = ir::type_of(narrow);
        let zero = builder.equal(narrow, builder::null(narrow_type));
        let fits = builder.or(zero, has_signature(builder, narrow));
        let fits = in_lanes(builder.resize_mask(fits, narrow_type), 64);
        let all = builder.equal(fits, builder::all_ones(ir::type_of(fits)));
        kept = builder.or(kept, builder.resize_mask(all, ir::type_of(doubles)));
    }
    builder.bitcast(builder.and(doubles, kept), ty)
}

/// A word in the width and number of lanes of another type: a scalar is tagged if any lane was.
pub fn reshaped(builder: &Builder, word: Value, to: Type) -> Value {
    let from = ir::type_of(word);
    if from == to {
        return word;
    }
    if shape::lanes(from) == shape::lanes(to) && is_vector(from) == is_vector(to) {
        return resized(builder, word, to);
    }
    let scalar = match is_vector(from) {
        true => builder.intrinsic("llvm.vector.reduce.or", &[from], &[word]),
        false => word,
    };
    let scalar = resized(builder, scalar, shape::scalar(to));
    match is_vector(to) {
        false => scalar,
        true => {
            let lane = builder::null(builder.types.i32);
            let one_lane = builder.insert_element(builder::null(to), scalar, lane);
            builder.shuffle(one_lane, one_lane, &vec![0; shape::lanes(to) as usize])
        }
    }
}

/// A word in another width: the other signature, the set folded where there are fewer buckets.
fn resized(builder: &Builder, word: Value, to: Type) -> Value {
    let from = ir::type_of(word);
    if from == to {
        return word;
    }
    let (from_width, to_width) = (
        ir::int_width(shape::scalar(from)),
        ir::int_width(shape::scalar(to)),
    );
    let tagged = builder.differ(word, builder::null(from));
    let set = builder.and(word, builder::splat(from, tag::set_mask(from_width)));
    let mut folded = set;
    let mut shift = tag::buckets(to_width);
    while shift < tag::buckets(from_width) {
        folded = builder.or(folded, builder.shift_right(set, u64::from(shift)));
        shift += tag::buckets(to_width);
    }
    let folded = builder.resize_unsigned(folded, to);
    let set = builder.and(folded, builder::splat(to, tag::set_mask(to_width)));
    let word = builder.or(set, builder::splat(to, tag::signature(to_width)));
    builder.and(word, builder.resize_mask(tagged, to))
}

fn is_vector(ty: Type) -> bool {
    ir::type_kind(ty) == TypeKind::LLVMVectorTypeKind
}
