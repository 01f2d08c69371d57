//! Recognizes requests from this server's own page, and reads their session cookie.
//!
//! A browser sends the cookie even if a page of another site causes the request. So the server
//! uses the cookie only if the browser says that a page of this server sent the request: with
//! `Origin`, or with `Sec-Fetch-Site` if there is no `Origin`. A page on another port of the same
//! host is not the server's own page, although browsers also send the cookie with its requests.

use std::net::IpAddr;

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use flagfall_base::identity::Token;
use flagfall_base::origin::Origin;
use flagfall_services::settings::Settings;

/// The time for which a browser keeps the cookie after the last visit, in seconds: one year.
const KEPT_S: u32 = 365 * 24 * 60 * 60;

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// A request from this server's own page.
#[derive(Clone, Debug)]
pub(crate) struct OwnPage {
    pub(crate) cookie: SessionCookie,
    /// The token in the cookie, which has not been checked yet.
    pub(crate) token: Option<Token>,
}

/// The error if a page of a foreign origin sends a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ForeignPage;

/// The origin of a request, as the browser reports it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SentBy {
    Own,
    /// A page of another origin that the operator allows. It must send a token.
    Allowed,
    Foreign,
    /// The request names no page. It may come from a program, or from a person who typed the
    /// address.
    Unknown,
}

impl OwnPage {
    /// Returns the session cookie of a request if this server's own page sent the request.
    pub(crate) fn find(
        settings: &Settings,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Result<Option<OwnPage>, ForeignPage> {
        let Some(own) = own_origin(settings, peer, headers) else { return Ok(None) };
        let cookie = SessionCookie::of(&own);
        match sent_by(&own, &settings.allowed_origins, headers) {
            SentBy::Own => {
                let token = cookie.token(headers);
                Ok(Some(OwnPage { cookie, token }))
            }
            SentBy::Foreign if cookie.values(headers).next().is_some() => Err(ForeignPage),
            SentBy::Allowed | SentBy::Foreign | SentBy::Unknown => Ok(None),
        }
    }
}

/// Returns the origin of this server's page.
///
/// Without `--public-url`, the origin is derived from the header `Host`. An attacker could point a
/// domain name of their own at this server and so control that header (DNS rebinding). Therefore
/// the name must be a loopback name, or the request must come over HTTPS through a proxy. HTTPS
/// needs a certificate for the name.
fn own_origin(settings: &Settings, peer: IpAddr, headers: &HeaderMap) -> Option<Origin> {
    if let Some(public) = &settings.public_url {
        return Some(public.clone());
    }
    let is_https = settings.proxies.is_https(peer, headers);
    let host = headers.get(HOST)?.to_str().ok()?;
    let origin = Origin::of_host(is_https, host).ok()?;
    (is_https || origin.is_loopback()).then_some(origin)
}

fn sent_by(own: &Origin, allowed: &[Origin], headers: &HeaderMap) -> SentBy {
    match page_origin(headers) {
        Ok(None) => {
            let site = headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes);
            if site == Some(b"same-origin") { SentBy::Own } else { SentBy::Unknown }
        }
        Ok(Some(origin)) if origin == *own => SentBy::Own,
        Ok(Some(origin)) if allowed.contains(&origin) => SentBy::Allowed,
        Ok(Some(_)) | Err(ForeignPage) => SentBy::Foreign,
    }
}

/// Returns the origin of the page that sent a request. `None` if the request names no page. An
/// error if it names several, or one without an address.
pub(crate) fn page_origin(headers: &HeaderMap) -> Result<Option<Origin>, ForeignPage> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return Ok(None) };
    let (Ok(origin), None) = (origin.to_str(), origins.next()) else { return Err(ForeignPage) };
    origin.parse().map(Some).map_err(|_| ForeignPage)
}

/// The session cookie for an origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SessionCookie {
    name: String,
    is_secure: bool,
}

impl SessionCookie {
    /// Browsers send a `__Host-` cookie only to the host that set it, over HTTPS. Without TLS,
    /// servers on different ports of a host share cookies, so the port is part of the name.
    fn of(origin: &Origin) -> SessionCookie {
        let is_secure = origin.is_https();
        let name =
            if is_secure { "__Host-flagfall".to_owned() } else { format!("flagfall-{}", origin.port()) };
        SessionCookie { name, is_secure }
    }

    /// Returns the values of all cookies of this name in a request.
    fn values<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let pairs = cookies.flat_map(|cookies| cookies.split(';'));
        let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == self.name).map(|(_, value)| value)
    }

    /// Returns the token in the cookie. If there are several cookies of this name, returns
    /// `None`, because at least one of them is not from this server.
    fn token(&self, headers: &HeaderMap) -> Option<Token> {
        let mut values = self.values(headers);
        let value = values.next()?;
        if values.next().is_some() { None } else { value.parse().ok() }
    }

    /// Returns the value of `Set-Cookie` that stores this token in the browser for a year.
    pub(crate) fn set(&self, token: &Token) -> Option<HeaderValue> {
        self.header(&token.expose(), KEPT_S)
    }

    /// Returns the value of `Set-Cookie` that removes the cookie from the browser.
    pub(crate) fn clear(&self) -> Option<HeaderValue> {
        self.header("", 0)
    }

    /// Makes a cookie that no script can read and that browsers do not send for requests from
    /// other sites.
    fn header(&self, value: &str, seconds: u32) -> Option<HeaderValue> {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = &self.name;
        let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn token() -> Token {
        Token::from_bytes([7; 32])
    }

    /// Calls `OwnPage::find` for a request with these headers.
    fn find(settings: &Settings, rows: &[(&'static str, &str)]) -> Result<Option<OwnPage>, ForeignPage> {
        let mut headers = HeaderMap::new();
        for (name, value) in rows {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        OwnPage::find(settings, PEER, &headers)
    }

    fn has_session(found: Result<Option<OwnPage>, ForeignPage>) -> bool {
        found.unwrap().is_some_and(|page| page.token == Some(token()))
    }

    #[test]
    fn the_cookie_counts_for_the_own_page_alone() {
        let settings =
            Settings { allowed_origins: vec!["https://a.example".parse().unwrap()], ..Settings::default() };
        let cookie = format!("theme=dark; flagfall-7171={}", token().expose());
        let row = |more: &[(&'static str, &str)]| {
            let rows = [("host", "127.0.0.1:7171"), ("cookie", cookie.as_str())];
            find(&settings, &[&rows, more].concat())
        };
        assert!(has_session(row(&[("origin", "http://127.0.0.1:7171")])));
        assert!(has_session(row(&[("sec-fetch-site", "same-origin")])));
        // A page on another port or with another scheme is not the server's own page.
        for origin in ["http://127.0.0.1:7272", "https://127.0.0.1:7171", "http://127.0.0.1", "null"] {
            assert_eq!(row(&[("origin", origin)]).unwrap_err(), ForeignPage, "{origin}");
            let both = [("origin", origin), ("sec-fetch-site", "same-origin")];
            assert_eq!(row(&both).unwrap_err(), ForeignPage, "{origin}");
        }
        let two = [("origin", "http://127.0.0.1:7171"), ("origin", "https://evil.example")];
        assert_eq!(row(&two).unwrap_err(), ForeignPage);
        // A page of an allowed origin must send a token. Without `Origin`, the request may come
        // from a person who typed the address.
        assert!(row(&[("origin", "https://a.example")]).unwrap().is_none());
        assert!(row(&[]).unwrap().is_none());
        for site in ["none", "same-site", "cross-site"] {
            assert!(row(&[("sec-fetch-site", site)]).unwrap().is_none(), "{site}");
        }
        // Without the cookie, a request from a foreign page is harmless, so it is not refused.
        let bare = [("host", "127.0.0.1:7171"), ("origin", "https://evil.example")];
        assert!(find(&settings, &bare).unwrap().is_none());
    }

    #[test]
    fn a_name_that_may_lead_here_from_a_foreign_page_has_no_sessions() {
        let settings = Settings::default();
        for (host, is_own) in [
            ("localhost:7171", true),
            ("[::1]:7171", true),
            ("evil.example:7171", false),
            ("192.168.0.1:7171", false),
        ] {
            let origin = format!("http://{host}");
            let found = find(&settings, &[("host", host), ("origin", &origin)]).unwrap();
            assert_eq!(found.is_some(), is_own, "{host}");
        }
    }

    #[test]
    fn behind_tls_the_cookie_is_bound_to_its_host() {
        let mut settings = Settings::default();
        let cookie = format!("__Host-flagfall={}", token().expose());
        let rows = [
            ("host", "play.example.org"),
            ("origin", "https://play.example.org"),
            ("x-forwarded-proto", "https"),
            ("cookie", cookie.as_str()),
        ];
        assert!(find(&settings, &rows).unwrap().is_none(), "a stranger is no proxy");
        settings.proxies.ranges = vec!["127.0.0.1".parse().unwrap()];
        assert!(has_session(find(&settings, &rows)));
        let settings =
            Settings { public_url: Some("https://play.example.org".parse().unwrap()), ..Settings::default() };
        let rows = [("host", "10.0.0.7:7171"), rows[1], rows[3]];
        assert!(has_session(find(&settings, &rows)), "the public address is the own one, whatever Host says");
        let other = [("host", "127.0.0.1:7171"), ("origin", "http://127.0.0.1:7171"), rows[2]];
        assert_eq!(find(&settings, &other).unwrap_err(), ForeignPage);
    }

    #[test]
    fn of_two_cookies_none_is_believed() {
        let header = |cookies: &str| {
            let rows = [("host", "localhost:80"), ("origin", "http://localhost"), ("cookie", cookies)];
            find(&Settings::default(), &rows).unwrap().unwrap().token
        };
        let text = token().expose();
        assert_eq!(header(&format!("flagfall-80={text}")), Some(token()));
        assert_eq!(header(&format!("flagfall-80={text}; flagfall-80={text}")), None);
        for cookies in ["flagfall-80=", "flagfall-80", "flagfall-8080=x", "Flagfall-80=x", ";;="] {
            assert_eq!(header(cookies), None, "{cookies}");
        }
    }

    #[test]
    fn a_cookie_is_for_the_browser_alone_and_hides_in_debug() {
        let plain = SessionCookie::of(&"http://localhost:7171".parse().unwrap());
        let set = plain.set(&token()).unwrap();
        let expected = format!(
            "flagfall-7171={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict",
            token().expose()
        );
        assert_eq!(set.to_str().unwrap(), expected);
        assert!(!format!("{set:?}").contains(&token().expose()));
        let secure = SessionCookie::of(&"https://play.example.org".parse().unwrap());
        let cleared = "__Host-flagfall=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(secure.clear().unwrap().to_str().unwrap(), cleared);
    }
}
