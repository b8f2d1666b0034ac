//! Polynomials with integer coefficients, and their factors.

use std::fmt;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::lift::{balanced_residues, extend_residues, residue};
use super::modular::{PrimeModulus, modular_gcd, primes_descending};

/// A polynomial with integer coefficients, lowest power first; the last coefficient is not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Polynomial(Vec<BigInt>);

impl Polynomial {
    /// Creates a polynomial from its coefficients, lowest power first; trailing zeros are removed.
    #[must_use]
    pub fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// Returns the coefficients, lowest power first.
    #[must_use]
    pub fn coefficients(&self) -> &[BigInt] {
        &self.0
    }

    /// Returns the degree; 0 for the zero polynomial.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// Returns true for the zero polynomial.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the product with x^`power`.
    #[must_use]
    pub fn shifted(&self, power: usize) -> Self {
        let zeros = std::iter::repeat_n(BigInt::from(0), power);
        Self::new(zeros.chain(self.coefficients().iter().cloned()).collect())
    }

    /// Returns the product.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::default();
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    /// Returns the quotient if `divisor` divides the polynomial with integer coefficients, else `None`.
    #[must_use]
    pub fn divide_exactly(&self, divisor: &Self) -> Option<Self> {
        let lead = divisor.0.last()?;
        if self.is_zero() {
            return Some(Self::default());
        }
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); (self.0.len() + 1).checked_sub(divisor.0.len())?];
        for place in (0..quotient.len()).rev() {
            let (factor, left) = rest[place + divisor.0.len() - 1].div_rem(lead);
            if !left.is_zero() {
                return None;
            }
            if factor.is_zero() {
                continue;
            }
            for (i, b) in divisor.0.iter().enumerate() {
                rest[place + i] -= &factor * b;
            }
            quotient[place] = factor;
        }
        rest.iter().all(Zero::is_zero).then(|| Self::new(quotient))
    }

    /// Returns the derivative.
    #[must_use]
    pub fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, a)| a * i).collect())
    }

    /// Returns the polynomial divided by the greatest common divisor of its coefficients, with a positive
    /// leading coefficient.
    #[must_use]
    pub fn primitive_part(&self) -> Self {
        let Some(last) = self.0.last() else { return self.clone() };
        let mut content = self.0.iter().fold(BigInt::zero(), |content, a| content.gcd(a));
        if last.is_negative() {
            content = -content;
        }
        Self(self.0.iter().map(|a| a / &content).collect())
    }

    /// Returns the polynomial, negated if its lowest non-zero coefficient is negative.
    #[must_use]
    pub fn with_positive_lowest_coefficient(self) -> Self {
        match self.0.iter().find(|a| !a.is_zero()) {
            Some(lowest) if lowest.is_negative() => Self(self.0.into_iter().map(|a| -a).collect()),
            _ => self,
        }
    }

    /// Returns the polynomial with its coefficients in reverse order; its roots are the inverses of the
    /// non-zero roots.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self::new(self.0.iter().rev().cloned().collect())
    }

    /// Returns the primitive greatest common divisor, computed modulo primes, lifted to integers and checked
    /// by division. Cost O(degree^2) for each prime, and one prime for each 61 bits of the coefficients; one
    /// prime if the polynomials are coprime.
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        let (a, b) = (self.primitive_part(), other.primitive_part());
        let (Some(lead), Some(other_lead)) = (a.0.last(), b.0.last()) else {
            return if a.is_zero() { b } else { a };
        };
        // The monic divisor times this number has integer coefficients.
        let lead = lead.gcd(other_lead);
        let (mut joined, mut product) = (Vec::<BigInt>::new(), BigInt::one());
        for modulus in primes_descending() {
            let scale = residue(&lead, modulus);
            if scale == 0 {
                continue;
            }
            let mut found = modular_gcd(a.residues(modulus), b.residues(modulus), modulus);
            if found.len() == 1 {
                break;
            }
            found.iter_mut().for_each(|c| *c = modulus.mul(*c, scale));
            // Modulo a prime the common divisor may have a higher degree than over the integers, never a
            // lower one.
            match joined.len() {
                0 => {}
                length if found.len() > length => continue,
                length if found.len() == length => {}
                _ => joined.clear(),
            }
            if joined.is_empty() {
                (joined, product) = (vec![BigInt::zero(); found.len()], BigInt::one());
            }
            let before = balanced_residues(&joined, &product);
            extend_residues(&mut joined, &product, &found, modulus);
            product *= modulus.prime();
            let lifted = balanced_residues(&joined, &product);
            if lifted == before {
                let divisor = Self::new(lifted).primitive_part();
                if a.divide_exactly(&divisor).is_some() && b.divide_exactly(&divisor).is_some() {
                    return divisor;
                }
            }
        }
        Self::from([1])
    }

    /// Returns the square-free polynomial with the same roots, each of multiplicity 1.
    #[must_use]
    pub fn radical(&self) -> Self {
        let common = self.gcd(&self.derivative());
        if common.degree() == 0 {
            return self.clone();
        }
        self.divide_exactly(&common).expect("the gcd divides the polynomial")
    }

    /// Returns the coefficients modulo a prime, without trailing zeros.
    fn residues(&self, modulus: PrimeModulus) -> Vec<u64> {
        let mut residues: Vec<u64> = self.0.iter().map(|a| residue(a, modulus)).collect();
        while residues.last() == Some(&0) {
            residues.pop();
        }
        residues
    }

    /// Returns the value at `x`.
    #[must_use]
    pub fn evaluate(&self, x: &BigInt) -> BigInt {
        self.0.iter().rev().fold(BigInt::zero(), |value, a| value * x + a)
    }

    /// Returns the polynomial as text in the given variable, lowest power first.
    #[must_use]
    pub fn format_in(&self, variable: &str) -> String {
        let mut text = String::new();
        for (power, a) in self.0.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            let (sign, size) = (a.sign() == Sign::Minus, a.abs());
            text += match (text.is_empty(), sign) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor = if power > 0 && size.is_one() { String::new() } else { size.to_string() };
            text += &match power {
                0 => factor,
                _ => {
                    let times = if factor.is_empty() { "" } else { "*" };
                    let power = if power == 1 { String::new() } else { format!("^{power}") };
                    format!("{factor}{times}{variable}{power}")
                }
            };
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format_in("x"))
    }
}

impl<const N: usize> From<[i64; N]> for Polynomial {
    fn from(coefficients: [i64; N]) -> Self {
        Self::new(coefficients.into_iter().map(BigInt::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_gcd_and_derivative_of_products() {
        let (a, b, c) =
            (Polynomial::from([-1, 2, 3]), Polynomial::from([1, 0, -5, 7]), Polynomial::from([2, 1]));
        let product = a.multiply(&b);
        assert_eq!(product.divide_exactly(&b), Some(a.clone()));
        assert_eq!(product.divide_exactly(&c), None);
        assert_eq!(product.gcd(&b.multiply(&c)), b);
        assert_eq!(a.gcd(&c), Polynomial::from([1]));
        assert_eq!(product.multiply(&b).radical().primitive_part(), product.primitive_part());
        assert_eq!((b.evaluate(&2.into()), b.derivative()), (37.into(), Polynomial::from([0, -10, 21])));
    }

    #[test]
    fn display_writes_lowest_power_first() {
        assert_eq!(Polynomial::from([1, -6, 0, -1, 12]).to_string(), "1 - 6*x - x^3 + 12*x^4");
        assert_eq!(Polynomial::from([0, -1]).format_in("z"), "-z");
        assert_eq!(Polynomial::default().to_string(), "0");
        assert_eq!(Polynomial::from([2, 4, -6]).primitive_part(), Polynomial::from([-1, -2, 3]));
    }
}
