//! [`factors`] splits off powers of x, cyclotomic polynomials (Phi_1 to Phi_120) and repeated factors. The
//! rest is not factored further, so a reported factor need not be irreducible.

use super::polynomial::Polynomial;

/// Highest index n of the cyclotomic polynomials Phi_n that are tried.
const MAX_CYCLOTOMIC_INDEX: usize = 120;

/// A factor and its multiplicity.
pub type Factor = (Polynomial, usize);

/// Returns factors of a non-zero polynomial; their product is the polynomial up to a constant. The lowest
/// coefficient of each factor is positive.
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

/// Splits a polynomial into powers of square-free factors (Yun's algorithm).
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
