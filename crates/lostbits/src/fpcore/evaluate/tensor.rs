//! Values: numbers and tensors of numbers.

use super::Stop;

#[derive(Clone, PartialEq, Debug)]
pub enum Value<N> {
    Number(N),
    /// Row by row.
    Tensor {
        shape: Vec<usize>,
        elements: Vec<N>,
    },
}

impl<N: Clone> Value<N> {
    pub fn number(self) -> Result<N, Stop> {
        match self {
            Value::Number(number) => Ok(number),
            Value::Tensor { .. } => Err(Stop::Shape),
        }
    }

    /// The same shape with each number converted.
    pub fn mapped<M>(&self, to: impl Fn(&N) -> Result<M, Stop>) -> Result<Value<M>, Stop> {
        Ok(match self {
            Value::Number(number) => Value::Number(to(number)?),
            Value::Tensor { shape, elements } => Value::Tensor {
                shape: shape.clone(),
                elements: elements.iter().map(to).collect::<Result<_, Stop>>()?,
            },
        })
    }

    pub fn shape(&self) -> &[usize] {
        match self {
            Value::Number(_) => &[],
            Value::Tensor { shape, .. } => shape,
        }
    }

    pub fn into_elements(self) -> Vec<N> {
        match self {
            Value::Number(number) => vec![number],
            Value::Tensor { elements, .. } => elements,
        }
    }

    /// Values of one shape side by side, under a new first dimension.
    pub fn stack(parts: Vec<Value<N>>, leading: Vec<usize>) -> Result<Value<N>, Stop> {
        let inner = parts
            .first()
            .map_or(Vec::new(), |part| part.shape().to_vec());
        if parts.iter().any(|part| part.shape() != inner) {
            return Err(Stop::Shape);
        }
        Ok(Value::Tensor {
            shape: [leading, inner].concat(),
            elements: parts.into_iter().flat_map(Value::into_elements).collect(),
        })
    }

    /// The part that the leading indices select.
    pub fn part(&self, indices: &[usize]) -> Result<Value<N>, Stop> {
        let Value::Tensor { shape, elements } = self else {
            return Err(Stop::Shape);
        };
        if indices.len() > shape.len() {
            return Err(Stop::Shape);
        }
        let (leading, rest) = shape.split_at(indices.len());
        let mut offset = 0;
        for (index, size) in indices.iter().zip(leading) {
            if index >= size {
                return Err(Stop::Index);
            }
            offset = offset * size + index;
        }
        let length: usize = rest.iter().product();
        let part = &elements[offset * length..(offset + 1) * length];
        Ok(match rest {
            [] => Value::Number(part[0].clone()),
            _ => Value::Tensor {
                shape: rest.to_vec(),
                elements: part.to_vec(),
            },
        })
    }
}
