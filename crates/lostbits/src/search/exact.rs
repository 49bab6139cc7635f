//! Numbers in saved results, as the bits of their doubles: JSON has no infinity, and decimals may round.

use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer, N: Copy + Into<f64>>(
    value: &N,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64((*value).into().to_bits())
}

pub fn deserialize<'de, D: Deserializer<'de>, N: From<f64>>(
    deserializer: D,
) -> Result<N, D::Error> {
    u64::deserialize(deserializer).map(|bits| f64::from_bits(bits).into())
}

pub mod many {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer, N: Copy + Into<f64>>(
        values: &[N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| (*value).into().to_bits()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>, N: From<f64>>(
        deserializer: D,
    ) -> Result<Vec<N>, D::Error> {
        let bits = Vec::<u64>::deserialize(deserializer)?;
        let number = |bits| f64::from_bits(bits).into();
        Ok(bits.into_iter().map(number).collect())
    }
}

pub mod optional {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer, N: Copy + Into<f64>>(
        value: &Option<N>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value
            .map(|value| value.into().to_bits())
            .serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, N: From<f64>>(
        deserializer: D,
    ) -> Result<Option<N>, D::Error> {
        let bits = Option::<u64>::deserialize(deserializer)?;
        Ok(bits.map(|bits| f64::from_bits(bits).into()))
    }
}

pub mod single {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(value.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        u32::deserialize(deserializer).map(f32::from_bits)
    }
}
