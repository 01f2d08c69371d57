//! Compares two sessions that differ only in a secret.
//!
//! A viewer must have been sent the same bytes in both sessions, except for values that are
//! opaque by design.

use super::findings::{Fault, Findings, Paired};

/// Everything one viewer was sent in one session.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The viewer's name.
    pub viewer: String,
    /// The texts in order, without pings, which depend on time.
    pub texts: Vec<String>,
    /// Values that are random by design: ids, tokens, names.
    pub opaque: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct PairLog {
    /// The exchanged secret, for the report.
    pub name: String,
    /// The pair's ruleset.
    pub ruleset: &'static str,
    /// The number of kills of the pair's servers during the compared part.
    pub kills: usize,
    /// True if a session had an unplanned disturbance. Later messages are not compared.
    pub is_cut: bool,
    /// The side that has the secret: Red 0, Blue 1.
    pub hider: usize,
    /// The stream of a client that may see the secret, in each session.
    pub secrets: [Stream; 2],
    /// The streams of the other viewers, in each session.
    pub sessions: [Vec<Stream>; 2],
}

pub(crate) fn check_pair(pair: &PairLog, findings: &mut Findings) {
    let figures = findings.by_ruleset.entry(pair.ruleset).or_default();
    figures.add(Paired {
        pairs: 1,
        kills: pair.kills as u64,
        cut: u64::from(pair.is_cut),
        ..Paired::default()
    });
    let [one, other] = pair.secrets.each_ref().map(|stream| {
        let texts = stream.texts.iter();
        texts.map(|text| veiled(text, &stream.opaque)).collect::<Vec<String>>()
    });
    // Some secrets are revealed only at the end.
    if one == other && !pair.is_cut {
        // The side with the secret must see a difference. Otherwise, the comparison would prove
        // nothing.
        findings.fault(Fault::SecretByte, format!("{}: both sessions have the same secret", pair.name));
    }
    let [one, other] = &pair.sessions;
    if one.len() != other.len() || one.is_empty() {
        findings.fault(Fault::SecretByte, format!("{}: sessions of different viewers", pair.name));
    }
    for (one, other) in one.iter().zip(other) {
        findings.paired += 1;
        if one.texts.len() != other.texts.len() {
            let what = format!(
                "{}, {}: {} and {} messages",
                pair.name,
                one.viewer,
                one.texts.len(),
                other.texts.len()
            );
            findings.fault(Fault::SecretByte, what);
        }
        for (left, right) in one.texts.iter().zip(&other.texts) {
            let bytes = left.len() as u64;
            findings.paired_bytes += bytes;
            let (left, right) = (veiled(left, &one.opaque), veiled(right, &other.opaque));
            let differing = u64::from(left != right);
            let figures = findings.by_ruleset.entry(pair.ruleset).or_default();
            figures.add(Paired { messages: 1, bytes, differing, ..Paired::default() });
            if differing > 0 {
                findings
                    .fault(Fault::SecretByte, format!("{}, {}:\n  {left}\n  {right}", pair.name, one.viewer));
            }
        }
    }
}

/// Replaces every opaque value in the text with a placeholder: the given values, hashes, salts,
/// times and request ids.
fn veiled(text: &str, opaque: &[String]) -> String {
    let mut text = without_signature(text);
    for (number, value) in opaque.iter().enumerate().filter(|(_, value)| !value.is_empty()) {
        text = text.replace(value.as_str(), &format!("#{number}"));
    }
    let mut veiled = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let run = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        if run == 0 {
            veiled.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let word = &rest[..run];
        let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_hash = word.len() == 64 && is_hex;
        let is_request = word.len() == 16 && is_hex && veiled.ends_with(r#""request":""#);
        let is_moment =
            word.len() == 13 && word.starts_with('1') && word.bytes().all(|byte| byte.is_ascii_digit());
        veiled.push_str(if is_hash {
            "#hash"
        } else if is_request {
            "#request"
        } else if is_moment {
            "#moment"
        } else {
            word
        });
        rest = &rest[run..];
    }
    veiled
}

/// The text of a record without the server's signature.
///
/// The signature covers the game's id and times, so it always differs between the sessions. It is
/// added shortly after the end, so an earlier record does not have it. The leak tests check that
/// the signature reveals no hidden ranks, by computing the digests of both sessions.
fn without_signature(text: &str) -> String {
    const START: &str = r#","signature":{"#;
    let Some((before, rest)) = text.split_once(START) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once('}') else { return text.to_owned() };
    format!("{before}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_compared_without_its_signature() {
        let signed = r#"{"game":"a","signature":{"key":"0a","value":"0b"},"events":[]}"#;
        assert_eq!(veiled(signed, &[]), r#"{"game":"a","events":[]}"#);
        assert_eq!(veiled(r#"{"events":[]}"#, &[]), r#"{"events":[]}"#);
    }

    #[test]
    fn opaque_values_are_veiled_and_nothing_else() {
        let hash = "ab".repeat(32);
        let text = format!(r#"{{"id":"game1","at":1790000000000,"salt":"{hash}","ply":13}}"#);
        let expected = r##"{"id":"#0","at":#moment,"salt":"#hash","ply":13}"##;
        assert_eq!(veiled(&text, &["game1".to_owned()]), expected);
        let refused = r#"{"code":"0123456789abcdef","request":"0123456789abcdef"}"#;
        assert_eq!(veiled(refused, &[]), r##"{"code":"0123456789abcdef","request":"#request"}"##);
    }
}
