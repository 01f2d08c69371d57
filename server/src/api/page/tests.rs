//! Tests of documents and assets: status, caching, compressed forms.

use std::fs;
use std::path::Path;

use axum::body::to_bytes;
use axum::http::HeaderValue;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, VARY,
};

use super::*;

fn head(response: &Response, name: HeaderName) -> Option<&str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

fn asking(name: HeaderName, value: &str) -> HeaderMap {
    HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
}

async fn text(response: Response) -> String {
    String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn addresses_answer_the_page_and_again_only_if_it_changed() {
    for path in ["/", "/play", "/challenge", "/game/d290kyvg7ctb", "/@/ann", "/rules/classic"] {
        let shown = Page::Embedded.open(path, &HeaderMap::new()).await.unwrap();
        assert_eq!(shown.status(), 200, "{path}");
        assert_eq!(head(&shown, CONTENT_TYPE), Some("text/html; charset=utf-8"));
        assert_eq!(head(&shown, CACHE_CONTROL), Some("no-cache"));
        assert_eq!(head(&shown, VARY), Some("accept-encoding"));
        let known = asking(IF_NONE_MATCH, head(&shown, ETAG).unwrap());
        let unchanged = Page::Embedded.open(path, &known).await.unwrap();
        assert_eq!((unchanged.status().as_u16(), text(unchanged).await.as_str()), (304, ""), "{path}");
        assert!(text(shown).await.contains("rel=\"modulepreload\""));
    }
}

#[tokio::test]
async fn unknown_addresses_answer_the_page_with_404() {
    for path in ["/nothing", "/game/short", "/play/", "/index.html", "/.well-known/nothing"] {
        let shown = Page::Embedded.open(path, &asking(IF_NONE_MATCH, "*")).await.unwrap();
        assert_eq!((shown.status().as_u16(), head(&shown, CACHE_CONTROL)), (404, Some("no-store")), "{path}");
        assert_eq!(head(&shown, ETAG), None);
        assert!(text(shown).await.contains("pages/unknown.js"));
    }
}

#[tokio::test]
async fn assets_of_this_build_are_kept_for_good_and_come_compressed() {
    let build = flagfall_page::hash();
    for (accepted, encoding) in [("gzip, br", Some("br")), ("gzip", Some("gzip")), ("identity", None)] {
        let asked = asking(ACCEPT_ENCODING, accepted);
        let asset = Page::Embedded.asset(build, "main.js", &asked).await.unwrap();
        assert_eq!(asset.status(), 200);
        assert_eq!(head(&asset, CONTENT_TYPE), Some("text/javascript; charset=utf-8"));
        assert_eq!(head(&asset, CACHE_CONTROL), Some("public, max-age=31536000, immutable"));
        assert_eq!(head(&asset, VARY), Some("accept-encoding"));
        assert_eq!(head(&asset, CONTENT_ENCODING), encoding);
    }
    for (other, path) in
        [("0123456789abcdef", "main.js"), ("dev", "main.js"), (build, "nothing.js"), (build, "")]
    {
        assert!(Page::Embedded.asset(other, path, &HeaderMap::new()).await.is_none(), "{other} {path}");
    }
    assert!(
        Page::Embedded.root_file("sw.js", &HeaderMap::new()).await.is_none_or(|file| file.status() == 200)
    );
}

#[tokio::test]
async fn a_folder_is_served_fresh_on_each_request() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (path, text) in [
        ("page/index.html", "<head><script src=\"/assets/HASH/main.js\"></script></head>"),
        ("page/main.js", "// one"),
        ("page/pages/home.js", ""),
        ("page/sw.js", "\"/assets/HASH/\""),
        ("words/en/page.ftl", "a = A"),
    ] {
        write(path, text);
    }
    let page = Page::new(&PageSettings { folder: Some(root.path().to_owned()), ..PageSettings::default() });
    let none = HeaderMap::new();
    let shown = page.open("/", &none).await.unwrap();
    assert_eq!((shown.status().as_u16(), head(&shown, CACHE_CONTROL)), (200, Some("no-store")));
    assert!(text(shown).await.contains("/assets/dev/pages/home.js"));
    for content in ["// one", "// two"] {
        write("page/main.js", content);
        let asset = page.asset("dev", "main.js", &none).await.unwrap();
        assert_eq!((head(&asset, CACHE_CONTROL), head(&asset, ETAG)), (Some("no-store"), None));
        assert_eq!(text(asset).await, content);
    }
    assert_eq!(text(page.asset("dev", "words/en.ftl", &none).await.unwrap()).await, "a = A\n");
    assert_eq!(text(page.root_file("sw.js", &none).await.unwrap()).await, "\"/assets/dev/\"");
    assert!(page.asset(flagfall_page::hash(), "main.js", &none).await.is_none());
    assert!(page.asset("dev", "../words/en/page.ftl", &none).await.is_none());
    let broken = page.open("/play", &none).await.unwrap();
    assert_eq!(broken.status(), 500);
    assert!(text(broken).await.contains(&Path::new("pages").join("play.js").display().to_string()));
}

#[tokio::test]
async fn without_a_page_nothing_is_answered() {
    let page = Page::new(&PageSettings { is_off: true, folder: Some("client-web".into()) });
    assert!(!page.is_served());
    assert!(page.open("/", &HeaderMap::new()).await.is_none());
    assert!(page.asset(flagfall_page::hash(), "main.js", &HeaderMap::new()).await.is_none());
    assert!(page.root_file("sw.js", &HeaderMap::new()).await.is_none());
}
