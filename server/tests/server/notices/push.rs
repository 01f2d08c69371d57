//! Notices to browsers, over a push service on loopback.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, PublicKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use ring::signature::{self, ECDSA_P256_SHA256_FIXED};

use super::*;

const AUTH: [u8; 16] = [7; 16];

/// A browser that subscribes to notices and decrypts them. Its key can be used only once.
struct Browser {
    private: EphemeralPrivateKey,
    public: PublicKey,
    listener: TcpListener,
}

struct Message {
    head: String,
    body: Vec<u8>,
}

impl Message {
    fn field(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head))
    }
}

struct Len(usize);

impl KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[&[u8]]) -> [u8; N] {
    let mut key = [0; N];
    let extracted = Salt::new(HKDF_SHA256, salt).extract(secret);
    extracted.expand(info, Len(N)).unwrap().fill(&mut key).unwrap();
    key
}

impl Browser {
    async fn open() -> Browser {
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let public = private.compute_public_key().unwrap();
        Browser { private, public, listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    fn endpoint(&self) -> String {
        format!("http://{}/send/ann", self.listener.local_addr().unwrap())
    }

    fn subscription(&self) -> Value {
        json!({ "endpoint": self.endpoint(), "p256dh": BASE64.encode(&self.public), "auth": BASE64.encode(AUTH) })
    }

    /// Answers the next request with this status.
    async fn take(&self, status: &str) -> Message {
        in_time("a message to the push service", async {
            let (mut stream, _) = self.listener.accept().await.unwrap();
            let (mut head, mut body) = (Vec::new(), Vec::new());
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            body.resize(length.parse().unwrap(), 0);
            stream.read_exact(&mut body).await.unwrap();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            Message { head, body }
        })
        .await
    }

    fn is_quiet(&self) -> bool {
        futures_util::FutureExt::now_or_never(self.listener.accept()).is_none()
    }

    fn decrypt(self, body: &[u8]) -> Value {
        let (salt, server) = (&body[..16], &body[21..86]);
        assert_eq!((&body[16..21], body[20]), (&[0, 0, 16, 0, 65][..], 65));
        let other = UnparsedPublicKey::new(&ECDH_P256, server);
        let public = self.public.as_ref().to_vec();
        agree_ephemeral(self.private, &other, |shared| {
            let secret: [u8; 32] = derive(&AUTH, shared, &[b"WebPush: info\0", &public, server]);
            let key: [u8; 16] = derive(salt, &secret, &[b"Content-Encoding: aes128gcm\0"]);
            let nonce = derive(salt, &secret, &[b"Content-Encoding: nonce\0"]);
            let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
            let mut record = body[86..].to_vec();
            let nonce = Nonce::assume_unique_for_key(nonce);
            let text = key.open_in_place(nonce, Aad::empty(), &mut record).unwrap();
            serde_json::from_slice(text.strip_suffix(&[2]).unwrap()).unwrap()
        })
        .unwrap()
    }
}

/// Checks that the server with this key has signed a message for the push service at `origin`.
fn check_signature(message: &Message, key: &str, origin: &str) {
    let (token, sent_key) =
        message.field("authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(sent_key, key);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let decode = |text: &str| BASE64.decode(text).unwrap();
    signature::UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(key))
        .verify(signed.as_bytes(), &decode(signature))
        .unwrap();
    let claims: Value = serde_json::from_slice(&decode(signed.split_once('.').unwrap().1)).unwrap();
    assert_eq!(claims["aud"], origin);
}

impl Pair {
    async fn settle_pushes(&self) {
        self.house.run_jobs("turn_due").await;
        self.house.run_jobs("pushes").await;
    }

    async fn exported(&self) -> Value {
        self.ask("GET", "/api/account", Value::Null).await.json()["push"].clone()
    }
}

#[tokio::test]
async fn a_browser_gets_one_encrypted_notice_a_turn_until_it_is_gone() {
    let mut pair = Pair::new(Reach::Private).await;
    let browser = Browser::open().await;
    let key = pair.ask("GET", "/api/push", Value::Null).await.json()["key"].as_str().unwrap().to_owned();
    for _ in 0..2 {
        let done = pair.ask("POST", "/api/push", browser.subscription()).await;
        assert_eq!(done.status, 204, "{}", done.body);
    }
    assert_eq!(pair.exported().await[0]["service"], "127.0.0.1");
    assert_eq!(pair.exported().await.as_array().unwrap().len(), 1, "it is the same browser");
    let game = pair.begin().await;
    let ((), failed) = tokio::join!(pair.settle_pushes(), browser.take("503 Away"));
    pair.settle_pushes().await;
    assert!(browser.is_quiet(), "not at once");
    pair.house.later(3 * 3_600_000);
    let ((), message) = tokio::join!(pair.settle_pushes(), browser.take("201 Created"));
    assert!(message.head.starts_with("POST /send/ann HTTP/1.1"), "{}", message.head);
    assert_eq!(message.field("content-encoding"), "aes128gcm");
    assert_eq!(message.field("topic"), game.to_string());
    assert!((1..=3 * 86_400).contains(&message.field("ttl").parse::<u64>().unwrap()));
    check_signature(&message, &key, browser.endpoint().trim_end_matches("/send/ann"));
    assert_ne!(failed.body, message.body, "each has a key of its own");
    pair.settle_pushes().await;
    assert!(browser.is_quiet(), "one notice for one turn");
    // If the push service says that the browser is gone, the subscription ends.
    pair.deploy(game).await;
    tokio::join!(pair.settle_pushes(), browser.take("410 Gone"));
    assert_eq!(pair.exported().await, Value::Null);
    pair.act(0, game, 0, moving("a4a5")).await;
    pair.act(1, game, 1, moving("j7j6")).await;
    pair.settle_pushes().await;
    assert!(browser.is_quiet());
    assert_eq!(browser.decrypt(&message.body), json!({ "game": game, "kind": "your_turn" }));
}

#[tokio::test]
async fn browsers_belong_to_accounts_are_few_and_go_with_the_account() {
    let pair = Pair::new(Reach::Private).await;
    let browser = Browser::open().await;
    let one = |number: usize| {
        let mut one = browser.subscription();
        one["endpoint"] = json!(format!("https://push.example/{number}"));
        one
    };
    for number in 0..7 {
        assert_eq!(pair.ask("POST", "/api/push", one(number)).await.status, 204);
    }
    assert_eq!(pair.exported().await.as_array().unwrap().len(), 5);
    let gone = json!({ "endpoint": "https://push.example/6" });
    assert_eq!(pair.ask("DELETE", "/api/push", gone).await.status, 204);
    assert_eq!(pair.exported().await.as_array().unwrap().len(), 4);
    let mut wrong = one(9);
    wrong["p256dh"] = json!(BASE64.encode([4; 65]));
    assert_eq!(pair.ask("POST", "/api/push", wrong).await.status, 400, "this is no point");
    let (_, _, guest) = pair.house.guest("eve").await;
    let refused = pair.house.ask("POST", "/api/push", &guest, &one(9).to_string()).await;
    assert_eq!(refused.json()["code"], "account_expected");
    let deleted = pair.ask("DELETE", "/api/account", json!({ "password": "correct horse battery" })).await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    let left = pair.house.store.scan(Key::new("push/".to_owned()).unwrap(), None, 9).await.unwrap();
    assert!(left.is_empty());
    let strict = Pair::new(Reach::Public).await;
    for endpoint in ["http://push.example/1", "https://127.0.0.1/1", "https://10.0.0.1/1"] {
        let mut one = browser.subscription();
        one["endpoint"] = json!(endpoint);
        let refused = strict.ask("POST", "/api/push", one).await;
        assert_eq!(
            (refused.status, refused.json()["code"].as_str()),
            (400, Some("bad_webhook")),
            "{endpoint}"
        );
    }
}
