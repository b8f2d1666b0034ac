//! Polynomials with integer coefficients, and their factors.
//!
//! [`factors`] splits off powers of x, cyclotomic polynomials (Phi_1 to Phi_120) and repeated factors. The
//! rest is not factored further, so a reported factor need not be irreducible.

use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::modular_arithmetic::{
    PrimeModulus, balanced_residues, extend_residues, modular_gcd, primes_descending, residue,
};

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

    /// Returns the product of this polynomial and x^`power`.
    #[must_use]
    pub fn shifted(&self, power: usize) -> Self {
        let zeros = std::iter::repeat_n(BigInt::from(0), power);
        Self::new(zeros.chain(self.coefficients().iter().cloned()).collect())
    }

    /// Returns the product of this polynomial and `other`.
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

    /// Returns the quotient of this polynomial and `divisor`, or `None` if the division leaves a
    /// remainder or the quotient has coefficients that are not integers.
    #[must_use]
    pub fn divide_exactly(&self, divisor: &Self) -> Option<Self> {
        let lead = divisor.0.last()?;
        if self.is_zero() {
            return Some(Self::default());
        }
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); (self.0.len() + 1).checked_sub(divisor.0.len())?];
        for position in (0..quotient.len()).rev() {
            let (factor, left) = rest[position + divisor.0.len() - 1].div_rem(lead);
            if !left.is_zero() {
                return None;
            }
            if factor.is_zero() {
                continue;
            }
            for (i, b) in divisor.0.iter().enumerate() {
                rest[position + i] -= &factor * b;
            }
            quotient[position] = factor;
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

    /// Returns the greatest common divisor of this polynomial and `other`, with coprime
    /// coefficients. It is computed modulo primes, lifted to integers and checked by division. Cost
    /// O(degree^2) for each prime, and one prime for each 61 bits of the coefficients; one prime if
    /// the polynomials are coprime.
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

    /// Returns the coefficients modulo a prime, lowest power first, without zeros at the end.
    fn residues(&self, modulus: PrimeModulus) -> Vec<u64> {
        let mut residues: Vec<u64> = self.0.iter().map(|a| residue(a, modulus)).collect();
        while residues.last() == Some(&0) {
            residues.pop();
        }
        residues
    }

    /// Returns the polynomial as text in the given variable, lowest power first.
    #[must_use]
    pub fn format_in(&self, variable: &str) -> String {
        let unit = |power: usize| match power {
            0 => String::new(),
            1 => variable.to_owned(),
            _ => format!("{variable}^{power}"),
        };
        format_sum(self.0.iter().enumerate().map(|(power, a)| (a.clone(), unit(power))))
    }
}

/// Returns a sum as text. Each term is a coefficient and what it multiplies: nothing for a constant. Terms whose
/// coefficient is 0 are left out.
#[must_use]
pub fn format_sum(terms: impl IntoIterator<Item = (BigInt, String)>) -> String {
    let mut text = String::new();
    for (a, unit) in terms.into_iter().filter(|(a, _)| !a.is_zero()) {
        text += match (text.is_empty(), a.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = a.abs();
        text += &match (unit.is_empty(), size.is_one()) {
            (true, _) => size.to_string(),
            (false, true) => unit,
            (false, false) => format!("{size}*{unit}"),
        };
    }
    if text.is_empty() { "0".to_owned() } else { text }
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

/// Highest index n of the cyclotomic polynomials Phi_n that are tried.
const MAX_CYCLOTOMIC_INDEX: usize = 120;

/// A factor and its multiplicity.
pub type Factor = (Polynomial, usize);

/// Returns factors of a non-zero polynomial. Their product is the polynomial, up to a constant
/// factor. The lowest coefficient of each factor is positive.
#[must_use]
pub fn factors(polynomial: &Polynomial) -> Vec<Factor> {
    let mut found: Vec<Factor> = Vec::new();
    let mut rest = polynomial.primitive_part();
    let mut take = |rest: &mut Polynomial, factor: &Polynomial| {
        let mut times = 0;
        while rest.degree() >= factor.degree() {
            let Some(quotient) = rest.divide_exactly(factor) else { break };
            (*rest, times) = (quotient, times + 1);
        }
        if times > 0 {
            found.push((factor.clone(), times));
        }
    };
    take(&mut rest, &Polynomial::from([0, 1]));
    let mut cyclotomic: Vec<Polynomial> = Vec::new();
    for n in 1..=MAX_CYCLOTOMIC_INDEX {
        let mut coefficients = vec![0.into(); n + 1];
        (coefficients[0], coefficients[n]) = ((-1).into(), 1.into());
        let mut next = Polynomial::new(coefficients);
        for (d, divisor) in (1..n).zip(&cyclotomic).filter(|(d, _)| n % d == 0) {
            next = next.divide_exactly(divisor).unwrap_or_else(|| panic!("x^{n} - 1 has the factor of {d}"));
        }
        if next.degree() <= rest.degree() {
            // The sign that makes the constant coefficient 1, as in denominators.
            let sign = if n == 1 { Polynomial::from([1, -1]) } else { next.clone() };
            take(&mut rest, &sign);
        }
        cyclotomic.push(next);
    }
    if rest.degree() > 0 {
        found.extend(
            square_free_factors(&rest)
                .into_iter()
                .map(|(factor, times)| (factor.with_positive_lowest_coefficient(), times)),
        );
    }
    found
}

/// Returns square-free factors of a polynomial, each with its multiplicity (Yun's algorithm).
fn square_free_factors(polynomial: &Polynomial) -> Vec<Factor> {
    let whole = || vec![(polynomial.clone(), 1)];
    let derivative = polynomial.derivative();
    let common = polynomial.gcd(&derivative);
    if common.degree() == 0 {
        return whole();
    }
    let (Some(mut left), Some(slope)) =
        (polynomial.divide_exactly(&common), derivative.divide_exactly(&common))
    else {
        return whole();
    };
    let mut found = Vec::new();
    let mut rest = subtract(&slope, &left.derivative());
    for times in 1.. {
        if left.degree() == 0 {
            break;
        }
        let factor = if rest.is_zero() { left.primitive_part() } else { left.gcd(&rest) };
        if factor.degree() > 0 {
            found.push((factor.clone(), times));
        }
        let (Some(next), Some(slope)) = (left.divide_exactly(&factor), rest.divide_exactly(&factor)) else {
            return whole();
        };
        rest = subtract(&slope, &next.derivative());
        left = next;
    }
    found
}

fn subtract(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let longest = a.coefficients().len().max(b.coefficients().len());
    let at = |p: &Polynomial, i: usize| p.coefficients().get(i).cloned().unwrap_or_default();
    Polynomial::new((0..longest).map(|i| at(a, i) - at(b, i)).collect())
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
        assert_eq!(b.derivative(), Polynomial::from([0, -10, 21]));
    }

    #[test]
    fn display_writes_lowest_power_first() {
        assert_eq!(Polynomial::from([1, -6, 0, -1, 12]).to_string(), "1 - 6*x - x^3 + 12*x^4");
        assert_eq!(Polynomial::from([0, -1]).format_in("z"), "-z");
        assert_eq!(Polynomial::default().to_string(), "0");
        assert_eq!(Polynomial::from([2, 4, -6]).primitive_part(), Polynomial::from([-1, -2, 3]));
    }

    #[test]
    fn factors_multiply_to_the_polynomial() {
        let parts: [Polynomial; 4] = [[1, -1].into(), [1, 1].into(), [1, -6, 0, 8].into(), [1, 1, 5].into()];
        let power =
            |p: &Polynomial, times: usize| (1..times).fold(p.clone(), |product, _| product.multiply(p));
        let times = [3, 1, 2, 1];
        let product = parts.iter().zip(times).fold(Polynomial::from([0, 0, 1]), |product, (part, times)| {
            product.multiply(&power(part, times))
        });
        let mut found = factors(&product);
        found.sort();
        let mut expected: Vec<Factor> = parts.iter().cloned().zip(times).collect();
        expected.push(([0, 1].into(), 2));
        expected.sort();
        assert_eq!(found, expected);
        assert_eq!(factors(&[3, 6].into()), [([1, 2].into(), 1)]);
        assert_eq!(factors(&[0, -3, 5].into()), [([0, 1].into(), 1), ([3, -5].into(), 1)]);
    }
}
