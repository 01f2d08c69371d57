//! Rating ranges as people write and read them.

use flagfall_protocol::{RatingRange, RatingWish};

use crate::{text, words};

/// Parses `1400-1600`, `1400-`, `-1600`, `+-200` and `-100+300`.
pub fn parse_range(text: &str) -> Result<RatingWish, String> {
    let error = || text!("not-a-range", text);
    let points = |digits: &str| digits.parse::<u32>().map_err(|_| error());
    let end = |digits: &str| if digits.is_empty() { Ok(None) } else { points(digits).map(Some) };
    if let Some(around) = text.strip_prefix("+-").or_else(|| text.strip_prefix('±')) {
        let around = Some(points(around)?);
        return Ok(RatingWish::Around { below: around, above: around });
    }
    if let Some((below, above)) = text.split_once('+') {
        let below = match below.strip_prefix('-') {
            Some(below) => Some(points(below)?),
            None if below.is_empty() => None,
            None => return Err(error()),
        };
        return Ok(RatingWish::Around { below, above: Some(points(above)?) });
    }
    match text.split_once('-') {
        Some((min, max)) if !(min.is_empty() && max.is_empty()) => {
            let (min, max) = (end(min)?, end(max)?);
            if min.zip(max).is_some_and(|(min, max)| min > max) {
                return Err(error());
            }
            Ok(RatingWish::Between { min, max })
        }
        Some(_) | None => Err(error()),
    }
}

/// Describes, as a sentence, which opponents may accept the player's own offer.
pub fn only(wish: RatingWish) -> String {
    match wish {
        RatingWish::Between { min, max } => {
            let (range, min, max) = words::rating_range(Some(RatingRange { min, max }));
            text!("only-rated", range, min, max)
        }
        RatingWish::Around { below: Some(below), above: Some(above) } if below == above => {
            text!("only-within", points = below)
        }
        RatingWish::Around { below: Some(below), above: Some(above) } => text!("only-between", below, above),
        RatingWish::Around { below: Some(points), above: None } => text!("only-below", points),
        RatingWish::Around { below: None, above } => text!("only-above", points = above.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn between(min: Option<u32>, max: Option<u32>) -> RatingWish {
        RatingWish::Between { min, max }
    }

    const fn around(below: Option<u32>, above: Option<u32>) -> RatingWish {
        RatingWish::Around { below, above }
    }

    #[test]
    fn ranges_are_read_as_people_write_them() {
        for (text, wish) in [
            ("1400-1600", between(Some(1_400), Some(1_600))),
            ("1400-", between(Some(1_400), None)),
            ("-1600", between(None, Some(1_600))),
            ("+-200", around(Some(200), Some(200))),
            ("±200", around(Some(200), Some(200))),
            ("-100+300", around(Some(100), Some(300))),
            ("+300", around(None, Some(300))),
        ] {
            assert_eq!(parse_range(text), Ok(wish), "{text}");
        }
    }

    #[test]
    fn an_offer_shows_its_rating_range() {
        let said = |text: &str| only(parse_range(text).unwrap());
        assert_eq!(said("1400-1600"), "Your offer is open only to players rated 1400 to 1600.");
        assert_eq!(said("+-200"), "Your offer is open only to players within 200 points of your rating.");
        assert_eq!(
            said("-100+300"),
            "Your offer is open only to players rated from 100 points below you to 300 points above you."
        );
    }

    #[test]
    fn invalid_ranges_are_refused_with_an_example() {
        for text in ["", "-", "+", "+-", "1400", "a-b", "1400-1600-1800", "--1600", "100+200", "-+5", "1e3-"]
        {
            assert!(parse_range(text).is_err(), "{text}");
        }
        let refusal = parse_range("strong").unwrap_err();
        assert!(refusal.to_string().contains("1400-1600"), "{refusal}");
    }
}
