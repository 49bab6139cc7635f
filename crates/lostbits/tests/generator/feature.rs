//! What a generated program can contain; counted, so that a test can demand that each occurs often.

macro_rules! features {
    ($($name:ident),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Feature { $($name),* }
        impl Feature {
            pub const ALL: &[Feature] = &[$(Feature::$name),*];
        }
    };
}

features! {
    Float, Double, LongDouble, Half, Complex, VectorType,
    GlobalArray, StackArray, HeapArray, VariableLengthArray, ConstantTable,
    VectorisableLoop, ReductionLoop, Stencil, NestedLoop, WhileLoop, DoLoop, Goto, Switch, BranchOnComparison,
    StructByValue, StructReturned, StructByPointer, NestedStructCopy, ArrayOfStructs, TaggedUnion, UnionPun,
    ExternCall, StaticCall, FunctionPointer, Recursion, VariadicCall, VariadicStruct, Callback, OutParameter,
    IntegerToFp, FpToInteger, FormatConversion, BitTrick, SwapThroughIntegers,
    Ternary, MinMax, SignOperation, Fma, Rounding, Library, LibraryOutParameter, Classification, TextConversion,
    Memcpy, Memmove, Memset, Realloc, Volatile, StaticLocal, Atomic,
}
