//! The types of generated programs.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Real {
    Float,
    Double,
    LongDouble,
}

impl Real {
    pub const ALL: [Real; 3] = [Real::Float, Real::Double, Real::LongDouble];

    pub fn c(self) -> &'static str {
        match self {
            Real::Float => "float",
            Real::Double => "double",
            Real::LongDouble => "long double",
        }
    }

    /// The letter of the type in the names of the prelude's functions.
    pub fn letter(self) -> char {
        match self {
            Real::Float => 'f',
            Real::Double => 'd',
            Real::LongDouble => 'l',
        }
    }

    /// The suffix of the C library's functions.
    pub fn library_suffix(self) -> &'static str {
        match self {
            Real::Float => "f",
            Real::Double => "",
            Real::LongDouble => "l",
        }
    }

    pub fn literal_suffix(self) -> &'static str {
        match self {
            Real::Float => "f",
            Real::Double => "",
            Real::LongDouble => "L",
        }
    }
}

#[derive(Clone, Debug)]
pub enum FieldType {
    Real(Real),
    Array(Real, usize),
    Struct(usize),
    Integer(&'static str),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub r#type: FieldType,
}

#[derive(Clone, Debug)]
pub struct StructType {
    pub name: String,
    /// The way to each floating-point member, nested ones included: `.inner.x[1]`.
    pub leaves: Vec<(String, Real)>,
    pub nested: bool,
}

/// A variable or member that can be read and assigned.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub r#type: Real,
    pub name: String,
}

/// An array whose length is a power of two, so that an index is masked into it.
#[derive(Clone, Debug)]
pub struct Array {
    pub r#type: Real,
    pub name: String,
    pub length: usize,
    pub constant: bool,
}

#[derive(Clone, Debug)]
pub struct Aggregate {
    pub r#type: usize,
    pub name: String,
}

/// What a piece of the program can name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub scalars: Vec<Scalar>,
    pub arrays: Vec<Array>,
    pub aggregates: Vec<Aggregate>,
    /// Complex variables, as their real type and name.
    pub complexes: Vec<Scalar>,
    /// Integers from 0 to a few thousand that only loops change.
    pub indices: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    Real(Real),
    Struct(usize),
    StructPointer(usize),
    /// The least number of elements.
    Array(Real, usize),
    OutReal(Real),
    Complex(Real),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Real(Real),
    Struct(usize),
    Complex(Real),
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub outcome: Outcome,
    /// Statements one call executes, roughly.
    pub cost: u64,
    pub is_static: bool,
}
