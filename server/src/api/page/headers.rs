//! The security headers of every answer from the listener for players.

use axum::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};

/// Allows only the page's own files. Forbids inline scripts and styles, and forbids other pages
/// from showing this page in a frame. Trusted Types keep text from becoming markup or script; the
/// only exception is the policy for the address of the service worker.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types flagfall-sw";

/// The headers and their values. `client-web/tests/play/security.test.js` checks them on every
/// kind of answer.
pub(crate) const SECURITY_HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), ""),
];

pub(crate) fn secure(headers: &mut HeaderMap) {
    for (name, value) in &SECURITY_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_allows_no_other_origin_and_nothing_inline() {
        for foreign in ["http", "unsafe", "*", "data:", "blob:", "nonce"] {
            assert!(!POLICY.contains(foreign), "{foreign}");
        }
        let mut headers = HeaderMap::new();
        secure(&mut headers);
        assert_eq!(headers.len(), SECURITY_HEADERS.len());
    }
}
