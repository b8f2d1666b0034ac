//! Text form of the set of finished units of work. `10:942` means ten units; each hexadecimal digit
//! stands for four units, the lowest unit in the lowest bit. A set bit is a finished unit.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub fn serialize<S: Serializer>(done: &[bool], to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{}:{}", done.len(), to_hex(done)))
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<bool>, D::Error> {
    let text = String::deserialize(from)?;
    let read = || {
        let (units, digits) = text.split_once(':')?;
        from_hex(digits, units.parse().ok()?)
    };
    read().ok_or_else(|| D::Error::custom("its list of units is malformed"))
}

fn to_hex(done: &[bool]) -> String {
    let digit = |units: &[bool]| units.iter().rev().fold(0, |digit, &done| digit << 1 | u32::from(done));
    done.chunks(4).filter_map(|units| char::from_digit(digit(units), 16)).collect()
}

fn from_hex(text: &str, units: usize) -> Option<Vec<bool>> {
    if text.len() != units.div_ceil(4) {
        return None;
    }
    let mut done = Vec::with_capacity(units + 3);
    for digit in text.chars() {
        let digit = digit.to_digit(16)?;
        done.extend((0..4).map(|bit| digit >> bit & 1 == 1));
    }
    let rest = done.split_off(units);
    (!rest.contains(&true)).then_some(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_hex_packs_four_units_into_digit() {
        let done: Vec<bool> = (0..10).map(|i| i % 3 == 0).collect();
        let text = to_hex(&done);
        assert_eq!(text, "942");
        assert_eq!(from_hex(&text, 10).unwrap(), done);
        assert!(
            from_hex("94f", 10).is_none() && from_hex("94", 10).is_none() && from_hex("9g2", 10).is_none()
        );
    }

    #[test]
    fn list_round_trips_with_length() {
        #[derive(serde::Serialize, Deserialize)]
        struct List(#[serde(with = "super")] Vec<bool>);
        for len in 0..20 {
            let done: Vec<bool> = (0..len).map(|i| i * i % 5 == 1).collect();
            let text = serde_json::to_string(&List(done.clone())).unwrap();
            assert_eq!(serde_json::from_str::<List>(&text).unwrap().0, done);
        }
        assert!(serde_json::from_str::<List>("\"9:942\"").is_err(), "a bit too many");
        assert!(serde_json::from_str::<List>("\"942\"").is_err(), "no length");
    }
}
