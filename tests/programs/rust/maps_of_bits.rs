// Doubles as keys by their bits, ordered maps by total order, byte conversions, hashing, unsafe
// unions and transmutes.
use std::collections::{BTreeMap, HashMap, VecDeque};

#[derive(PartialEq, Clone, Copy)]
struct Ordered(f64);
impl Eq for Ordered {}
impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[repr(C)]
union Bits {
    number: f64,
    halves: [f32; 2],
    bytes: [u8; 8],
}

fn main() {
    let seed: f64 = std::hint::black_box(0.11);
    let mut counts: HashMap<u64, f64> = HashMap::new();
    let mut ordered: BTreeMap<Ordered, f32> = BTreeMap::new();
    for i in 0..120 {
        let key = ((i as f64 * seed).sin() * 10.0).round() / 10.0;
        *counts.entry(key.to_bits()).or_insert(seed) += i as f64 / 3.0;
        *ordered.entry(Ordered(-key)).or_default() += key as f32 * 0.1;
    }
    for (Ordered(key), sum) in &ordered {
        println!(
            "{key:+} {:08x} {:016x}",
            sum.to_bits(),
            (counts[&(-key).to_bits()] * 1.1).to_bits()
        );
    }
    let mut wire: VecDeque<u8> = VecDeque::new();
    for i in 0..20 {
        wire.extend((seed * i as f64).exp().to_le_bytes());
        wire.extend((seed as f32 / (i + 1) as f32).to_be_bytes());
    }
    let mut sum = 0.0;
    while !wire.is_empty() {
        let double: Vec<u8> = wire.drain(..8).collect();
        let single: Vec<u8> = wire.drain(..4).collect();
        sum = sum / 2.0
            + f64::from_le_bytes(double.try_into().unwrap())
                * f64::from(f32::from_be_bytes(single.try_into().unwrap()));
        println!("{:016x}", sum.to_bits());
    }
    let mut bits = Bits { number: sum };
    // SAFETY: every bit pattern is a value of each field.
    unsafe {
        bits.halves[0] = seed as f32;
        println!("{:e} {:?}", bits.number * 3.0, bits.bytes);
        bits.bytes[7] ^= 0x80;
        println!("{:e}", bits.number / 3.0);
        let pair: [u32; 2] = std::mem::transmute(bits.number + 1.0);
        println!("{pair:?}");
    }
}
