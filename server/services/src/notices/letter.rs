//! The mails that the server sends, as plain text and as HTML.
//!
//! A mail names games, rulesets, players and deadlines. It is written from [`TurnNews`], which
//! does not contain a view of a game, so it cannot reveal anything about pieces.

use std::sync::LazyLock;

use flagfall_board::{GameId, Stamp};
use flagfall_protocol::MailLanguage;
use flagfall_rules::Ruleset;
use flagfall_words::{Language, Words, args};
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};

const HOUR_MS: u64 = 3_600_000;

const fn files(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[include_str!("../../words/en/mail.ftl")],
        Language::Russian => &[include_str!("../../words/ru/mail.ftl")],
    }
}

/// Returns the texts for mails, and for the pages that links in mails open.
pub fn mail_words(language: MailLanguage) -> &'static Words {
    static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::in_language(Language::English, files));
    static RUSSIAN: LazyLock<Words> = LazyLock::new(|| Words::in_language(Language::Russian, files));
    match language {
        MailLanguage::En => &ENGLISH,
        MailLanguage::Ru => &RUSSIAN,
    }
}

/// The data in a mail about a game in which it is the player's turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TurnNews {
    pub(super) game: GameId,
    pub(super) opponent: String,
    pub(super) ruleset: String,
    pub(super) is_deploying: bool,
    pub(super) deadline: Option<u64>,
}

/// A mail without its sender and its recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Letter {
    subject: String,
    blocks: Vec<Block>,
    /// The URL at which a single request ends these mails (RFC 8058).
    unsubscribe: Option<String>,
}

/// A paragraph of a mail.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Block {
    Text(String),
    Link { text: String, url: String },
}

/// Returns the mail that asks the owner of an address to confirm it.
pub(super) fn confirmation(language: MailLanguage, name: &str, server: &str, url: String) -> Letter {
    let words = mail_words(language);
    let host = host_of(server);
    Letter {
        subject: words.format("mail-confirm-subject", &args! { "host" => host }),
        blocks: vec![
            Block::Text(words.format("mail-confirm-text", &args! { "name" => name, "host" => host })),
            Block::Link { text: words.text("mail-confirm-link"), url },
            Block::Text(words.text("mail-confirm-other")),
        ],
        unsubscribe: None,
    }
}

/// Returns the mail that tells a player in which games it is their turn.
pub(super) fn turns(
    language: MailLanguage,
    name: &str,
    server: &str,
    unsubscribe: String,
    news: &[TurnNews],
    now: Stamp,
) -> Letter {
    let words = mail_words(language);
    let subject = match news {
        [one] => words.format(
            "mail-turn-subject",
            &args! { "opponent" => one.opponent.as_str(), "ruleset" => title(words, &one.ruleset) },
        ),
        _ => words.format("mail-turns-subject", &args! { "count" => news.len() }),
    };
    let mut blocks = vec![Block::Text(words.format("mail-turns-hello", &args! { "name" => name }))];
    for one in news {
        let id = if one.is_deploying { "mail-turn-deploy" } else { "mail-turn" };
        let args = args! { "opponent" => one.opponent.as_str(), "ruleset" => title(words, &one.ruleset) };
        let mut text = words.format(id, &args);
        if let Some(deadline) = one.deadline {
            let hours = deadline.saturating_sub(now.0) / HOUR_MS;
            let until = Stamp(deadline).utc();
            let args = args! { "days" => hours / 24, "hours" => hours % 24, "until" => until };
            text = format!("{text} {}", words.format("mail-turn-left", &args));
        }
        blocks.push(Block::Text(text));
        let url = format!("{server}/game/{}", one.game);
        blocks.push(Block::Link { text: words.text("mail-turn-link"), url });
    }
    let args = args! { "name" => name, "host" => host_of(server) };
    blocks.push(Block::Text(words.format("mail-turns-foot", &args)));
    blocks.push(Block::Link { text: words.text("mail-unsubscribe-link"), url: unsubscribe.clone() });
    Letter { subject, blocks, unsubscribe: Some(unsubscribe) }
}

/// Returns the title of a ruleset, or its id if this server does not know the ruleset.
fn title(words: &Words, ruleset: &str) -> String {
    Ruleset::find(ruleset).map_or_else(|| ruleset.to_owned(), |ruleset| words.ruleset_title(ruleset))
}

fn host_of(server: &str) -> &str {
    server.split_once("://").map_or(server, |(_, host)| host)
}

impl Letter {
    fn text(&self) -> String {
        let block = |block: &Block| match block {
            Block::Text(text) => text.clone(),
            Block::Link { text, url } => format!("{text}:\r\n{url}"),
        };
        self.blocks.iter().map(block).collect::<Vec<_>>().join("\r\n\r\n") + "\r\n"
    }

    fn html(&self, language: MailLanguage) -> String {
        let block = |block: &Block| match block {
            Block::Text(text) => format!("<p>{}</p>", escaped(text)),
            Block::Link { text, url } => {
                format!("<p><a href=\"{}\">{}</a></p>", escaped(url), escaped(text))
            }
        };
        let body = self.blocks.iter().map(block).collect::<Vec<_>>().join("\r\n");
        let (code, title) = (language_code(language), escaped(&self.subject));
        format!(
            "<!doctype html>\r\n<html lang=\"{code}\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\r\n<body>\r\n{body}\r\n</body></html>\r\n"
        )
    }

    /// Returns the mail as it is sent. `None` if it cannot be written.
    pub(super) fn message(&self, language: MailLanguage, from: &Mailbox, to: Address) -> Option<Vec<u8>> {
        let header =
            |name, value: &str| HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned());
        let id = format!("<{}@{}>", flagfall_base::random::random_code().ok()?, from.email.domain());
        let mut builder = Message::builder()
            .from(from.clone())
            .to(Mailbox::new(None, to))
            .subject(self.subject.clone())
            .message_id(Some(id))
            .date_now()
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(url) = &self.unsubscribe {
            builder = builder
                .raw_header(header("List-Unsubscribe", &format!("<{url}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let parts = MultiPart::alternative_plain_html(self.text(), self.html(language));
        Some(builder.multipart(parts).ok()?.formatted())
    }
}

/// Returns the code of a language, as in the attribute `lang`.
pub fn language_code(language: MailLanguage) -> &'static str {
    match language {
        MailLanguage::En => "en",
        MailLanguage::Ru => "ru",
    }
}

/// Escapes text for HTML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(opponent: &str, deadline: Option<u64>) -> TurnNews {
        TurnNews {
            game: GameId::from_random([7; 12]),
            opponent: opponent.to_owned(),
            ruleset: "pbm".to_owned(),
            is_deploying: false,
            deadline,
        }
    }

    #[test]
    fn every_text_exists_in_both_languages() {
        let [english, russian] = [Language::English, Language::Russian].map(files);
        flagfall_tests::check_translation(
            english,
            russian,
            [flagfall_words::ENGLISH, flagfall_words::RUSSIAN],
        );
        for (language, files) in [(MailLanguage::En, english), (MailLanguage::Ru, russian)] {
            let words = mail_words(language);
            for (id, text) in flagfall_tests::format_all(files, |id, args| words.try_format(id, args)) {
                assert!(!text.is_empty() && !text.contains('{'), "{id}: {text}");
            }
        }
    }

    #[test]
    fn a_mail_tells_the_game_the_time_left_and_how_to_end_the_mails() {
        let unsubscribe = "https://play.example.org/mail/unsubscribe/p/s".to_owned();
        let of = |news: &[TurnNews], language| {
            turns(language, "ann", "https://play.example.org", unsubscribe.clone(), news, Stamp(0))
        };
        let one = of(&[news("bob", Some(53 * HOUR_MS))], MailLanguage::En);
        assert_eq!(one.subject, "Your turn against bob: Play by mail");
        let text = one.text();
        for part in [
            "ann, it is your turn:",
            "Play by mail against bob: your move. Time left: 2 days 5 h, until 1970-01-03 05:00 UTC.",
            "Open the game:\r\nhttps://play.example.org/game/",
            "https://play.example.org/mail/unsubscribe/p/s",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let two = of(&[news("bob", None), news("<i>", None)], MailLanguage::Ru);
        assert_eq!(two.subject, "Ваш ход в 2 партиях");
        assert!(two.html(MailLanguage::Ru).contains("соперник &lt;i&gt;"), "{}", two.html(MailLanguage::Ru));
        let from = "Flagfall <mail@example.org>".parse().unwrap();
        let sent = two.message(MailLanguage::Ru, &from, "ann@example.org".parse().unwrap()).unwrap();
        // Unfold long headers.
        let sent = String::from_utf8(sent).unwrap().replace("\r\n ", " ").replace(":  ", ": ");
        assert!(sent.is_ascii(), "{sent}");
        for header in [
            "To: ann@example.org\r\n",
            "List-Unsubscribe: <https://play.example.org/mail/unsubscribe/p/s>\r\n",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Content-Type: multipart/alternative;",
        ] {
            assert!(sent.contains(header), "{header} in {sent}");
        }
    }
}
