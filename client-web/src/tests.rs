//! Checks that the embedded files are the files in the folder, both plain and after
//! decompression.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::*;

fn checkout() -> Folder {
    Folder::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_file_of_the_page_is_embedded_as_it_is() {
    let folder = checkout();
    let embedded: BTreeSet<String> = assets().map(str::to_owned).collect();
    assert_eq!(embedded, folder.assets().unwrap());
    assert!(embedded.contains("main.js") && embedded.contains("page.css") && embedded.contains("looks.css"));
    assert!(!embedded.iter().any(|path| path.ends_with(".d.ts") || path == "index.html"));
    for path in assets() {
        let plain = folder.asset(path).unwrap().unwrap();
        assert!(asset(path).unwrap().plain == plain, "{path} is stale");
    }
    for page in pages() {
        let document = folder.index(page, hash()).unwrap();
        assert!(index(page).unwrap().plain == document.as_bytes(), "the document of {page} is stale");
    }
}

#[test]
fn compressed_forms_unpack_to_the_file_and_are_smaller() {
    let documents = pages().filter_map(index);
    for asset in assets().filter_map(asset).chain(documents) {
        if let Some(packed) = asset.brotli {
            let mut plain = Vec::new();
            brotli::BrotliDecompress(&mut &packed[..], &mut plain).unwrap();
            assert!(plain == asset.plain && packed.len() < plain.len());
        }
        if let Some(packed) = asset.gzip {
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(packed).read_to_end(&mut plain).unwrap();
            assert!(plain == asset.plain && packed.len() < plain.len());
        }
    }
    assert!(asset("main.js").unwrap().brotli.is_some() && asset("page.css").unwrap().gzip.is_some());
}

#[test]
fn style_sheets_lose_their_comments_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["page.css", "looks.css"] {
        let mut sent = std::str::from_utf8(asset(name).unwrap().plain).unwrap();
        let mut written = &*fs::read_to_string(root.join("page").join(name)).unwrap();
        while let Some((rules, rest)) = written.split_once("/*") {
            sent = sent.strip_prefix(rules).unwrap();
            written = rest.split_once("*/").unwrap().1;
        }
        assert_eq!(sent, written, "{name}");
        assert!(!sent.contains("*/"), "{name}");
    }
}

#[test]
fn the_texts_of_a_language_are_one_file_and_one_with_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["en", "en-more", "ru", "ru-more"] {
        let sent = std::str::from_utf8(asset(&format!("words/{name}.ftl")).unwrap().plain).unwrap();
        let mut lines = sent.lines();
        for folder in ["../shared/words", "words"] {
            let entries = fs::read_dir(root.join(folder).join(name)).unwrap();
            let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            files.retain(|file| name != "en" || !file.ends_with("rulesets.ftl"));
            files.sort();
            for file in files {
                for line in fs::read_to_string(&file).unwrap().lines().filter(|line| !line.starts_with('#')) {
                    if !line.is_empty() {
                        let sent = lines.next().unwrap_or_default();
                        assert_eq!(sent.trim_start(), line.trim_start(), "{}", file.display());
                        assert_eq!(
                            sent.starts_with(' '),
                            line.starts_with(' '),
                            "{}: {line}",
                            file.display()
                        );
                    }
                }
            }
        }
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn a_text_that_a_language_lacks_follows_in_english() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("page/index.html", "<html lang=\"en\" data-languages=\"LANGUAGES\"><head></head>");
    write("page/pages/home.js", "");
    write("words/en/page.ftl", "a = A\nb =\n    { $count ->\n       *[other] B = b\n    }\nc = C\n");
    write("words/en-more/pages.ftl", "d = D\n");
    write("words/xx/page.ftl", "c = Ç\na = Á\n");
    let folder = Folder::new(root.path());
    let text = |path: &str| String::from_utf8(folder.asset(path).unwrap().unwrap()).unwrap();
    let b = "b =\n { $count ->\n *[other] B = b\n }\n";
    assert_eq!(text("words/xx.ftl"), format!("c = Ç\na = Á\n### en\n{b}"));
    assert_eq!(text("words/xx-more.ftl"), "### en\nd = D\n");
    assert!(!text("words/en.ftl").contains("###"));
    let document = folder.index("home", "dev").unwrap();
    assert!(document.starts_with("<html lang=\"en\" data-languages=\"en xx\"><head>"), "{document}");
}

#[test]
fn the_list_of_files_names_every_other_asset() {
    let list = std::str::from_utf8(asset("files.txt").unwrap().plain).unwrap();
    let files: Vec<&str> = list.lines().collect();
    assert!(files.contains(&"main.js") && files.contains(&"words/en.ftl"), "{list}");
    assert!(files.iter().all(|file| *file != "files.txt" && asset(file).is_some()), "{list}");
    assert_eq!(files.len() + 1, checkout().assets().unwrap().len());
}

#[test]
fn a_document_names_this_build_and_what_its_page_needs() {
    for page in pages() {
        let document = std::str::from_utf8(index(page).unwrap().plain).unwrap();
        assert!(!document.contains("HASH"), "{document}");
        let folder = format!("\"/assets/{}/", hash());
        let named = document.split(folder.as_str()).skip(1);
        let named: Vec<&str> = named.map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(named.iter().all(|path| asset(path).is_some()), "{named:?}");
        assert_eq!(named.iter().collect::<BTreeSet<_>>().len(), named.len(), "{page} names something twice");
        for path in ["main.js", "route.js", &format!("pages/{page}.js")] {
            assert!(named.contains(&path), "{page} does not name {path}: {named:?}");
        }
    }
    let needs = |page: &str| String::from_utf8_lossy(index(page).unwrap().plain).contains("board/board.js");
    assert!(needs("game") && !needs("home"), "only a game needs the board");
}

#[test]
fn the_hash_is_that_of_a_folder_and_changes_with_its_files() {
    assert_eq!(hash().len(), 16);
    assert!(hash().bytes().all(|byte| byte.is_ascii_hexdigit()));
    let tags: BTreeSet<&str> = assets().filter_map(asset).map(|asset| asset.tag).collect();
    assert_eq!(tags.len(), assets().count(), "files that differ have tags that differ");
    assert!(tags.iter().all(|tag| tag.starts_with("W/\"") && tag.ends_with('"')));
}

#[test]
fn nothing_outside_the_folder_is_an_asset() {
    let folder = checkout();
    for path in [
        "../Cargo.toml",
        "/etc/passwd",
        "",
        ".",
        "pages",
        "pages/../main.js",
        "index.html",
        "words/../main.js",
    ] {
        assert!(asset(path).is_none() && folder.asset(path).unwrap().is_none(), "{path}");
    }
}

#[test]
fn a_folder_is_read_anew_each_time() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("page/index.html", "<head><script src=\"/assets/HASH/main.js\"></script></head><body>");
    write("page/main.js", "import { a } from \"./a.js\";\n");
    write("page/a.js", "export const a = 1;\n");
    write("page/pages/home.js", "import \"../a.js\";\n");
    write("page/vendor/library.d.ts", "export {};\n");
    write("words/en/page.ftl", "# About a.\na = A\n    # sign\n");
    write("words/en-more/pages.ftl", "b = B\n");
    let folder = Folder::new(root.path());
    let assets: Vec<String> = folder.assets().unwrap().into_iter().collect();
    assert_eq!(
        assets,
        ["a.js", "files.txt", "main.js", "pages/home.js", "words/en-more.ftl", "words/en.ftl"]
    );
    assert_eq!(folder.asset("words/en.ftl").unwrap().unwrap(), b"a = A\n # sign\n");
    assert_eq!(folder.asset("words/en-more.ftl").unwrap().unwrap(), b"b = B\n");
    assert_eq!(
        folder.index("home", "dev").unwrap(),
        "<head><script src=\"/assets/dev/main.js\"></script>\
         <link rel=\"modulepreload\" href=\"/assets/dev/pages/home.js\">\n\
         <link rel=\"modulepreload\" href=\"/assets/dev/a.js\">\n</head><body>"
    );
    write("page/a.js", "export const a = 2;\n");
    assert_eq!(folder.asset("a.js").unwrap().unwrap(), b"export const a = 2;\n");
    assert!(folder.root_file("sw.js", "dev").unwrap().is_none());
    write("page/sw.js", "const ASSETS = \"/assets/HASH/\";\n");
    assert_eq!(folder.root_file("sw.js", "dev").unwrap().unwrap(), "const ASSETS = \"/assets/dev/\";\n");
    assert!(!folder.assets().unwrap().contains("sw.js"));
    assert!(folder.root_file("main.js", "dev").unwrap().is_none());
    write("page/a.js", "export const a = 2;\nimport \"./b.js\";\n");
    let error = folder.index("home", "dev").unwrap_err().to_string();
    assert!(error.starts_with("a.js: line 2 imports"), "{error}");
    assert!(folder.index("nowhere", "dev").is_err());
    assert!(matches!(media_type("a.exe"), Err(PageError::UnknownType(_))));
}
