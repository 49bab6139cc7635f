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

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Numbers {
        #[serde(with = "super")]
        one: f64,
        #[serde(with = "super::many")]
        many: Vec<f64>,
        #[serde(with = "super::optional")]
        optional: Option<f64>,
        #[serde(with = "super::optional")]
        none: Option<f64>,
        #[serde(with = "super::single")]
        single: f32,
    }

    #[test]
    fn numbers_that_json_cannot_write_survive_a_file() {
        let odd = [
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -0.0,
            0.1,
            5e-324,
        ];
        for number in odd {
            let text = serde_json::to_string(&Numbers {
                one: number,
                many: odd.to_vec(),
                optional: Some(number),
                none: None,
                single: number as f32,
            });
            let read: Numbers = serde_json::from_str(&text.unwrap()).unwrap();
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(read.one.to_bits(), number.to_bits());
            assert_eq!(bits(&read.many), bits(&odd));
            assert_eq!(read.optional.map(f64::to_bits), Some(number.to_bits()));
            assert!(read.none.is_none());
            assert_eq!(read.single.to_bits(), (number as f32).to_bits());
        }
    }
}
