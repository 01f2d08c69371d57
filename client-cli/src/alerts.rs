//! Alerts a user who is not watching the client, with a bell, the window title or a desktop
//! notification.

use clap::ValueEnum;

use crate::text;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Alert {
    #[value(help = text!("value-alerts-bell"))]
    Bell,
    /// The title of the terminal window while something waits for the user.
    #[value(help = text!("value-alerts-title"))]
    Title,
    /// A desktop notification (OSC 9), which only some terminals show.
    #[value(help = text!("value-alerts-desktop"))]
    Desktop,
    /// A desktop notification (OSC 777), for terminals that do not support OSC 9.
    #[value(name = "desktop-777", help = text!("value-alerts-desktop-777"))]
    Desktop777,
    /// No alert.
    #[value(help = text!("value-alerts-none"))]
    None,
}

/// The configured alerts, and the state that they last reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alerts {
    ways: Vec<Alert>,
    told: Option<String>,
}

impl Alerts {
    pub fn new(ways: Vec<Alert>) -> Alerts {
        Alerts { ways, told: None }
    }

    /// Returns the bytes to write to the terminal at the start. They save the title of the
    /// window.
    pub fn start(&self) -> &'static str {
        if self.ways.contains(&Alert::Title) { "\x1b[22;0t\x1b]0;Flagfall\x07" } else { "" }
    }

    /// Returns the bytes to write to the terminal at the end. They restore the title of the
    /// window.
    pub fn end(&self) -> &'static str {
        if self.ways.contains(&Alert::Title) { "\x1b[23;0t" } else { "" }
    }

    /// Returns the bytes to write to the terminal when `waiting` changes. Empty if `waiting` has
    /// not changed.
    ///
    /// If the user is at the keyboard, only the title changes.
    pub fn tell(&mut self, waiting: Option<String>, is_at_keyboard: bool) -> String {
        if waiting == self.told {
            return String::new();
        }
        let mut bytes = String::new();
        for way in &self.ways {
            match (way, &waiting) {
                (Alert::Title, Some(text)) => {
                    bytes.push_str(&format!("\x1b]0;{}\x07", text!("window-title", alert = text)));
                }
                (Alert::Title, None) => bytes.push_str("\x1b]0;Flagfall\x07"),
                (Alert::Bell, Some(_)) if !is_at_keyboard => bytes.push('\x07'),
                (Alert::Desktop, Some(text)) if !is_at_keyboard => {
                    bytes.push_str(&format!("\x1b]9;{}\x07", text!("notification", alert = text)));
                }
                (Alert::Desktop777, Some(text)) if !is_at_keyboard => {
                    bytes.push_str(&format!("\x1b]777;notify;Flagfall;{text}\x07"));
                }
                (Alert::Bell | Alert::Desktop | Alert::Desktop777 | Alert::None, _) => {}
            }
        }
        self.told = waiting;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_come_once_and_are_quiet_while_keys_are_pressed() {
        let mut alerts = Alerts::new(vec![Alert::Bell, Alert::Title, Alert::Desktop]);
        let turn = || Some("Your turn".to_owned());
        assert_eq!(alerts.tell(None, false), "");
        assert_eq!(
            alerts.tell(turn(), false),
            "\x07\x1b]0;Your turn - Flagfall\x07\x1b]9;Flagfall: Your turn\x07"
        );
        assert_eq!(alerts.tell(turn(), false), "");
        assert_eq!(alerts.tell(None, false), "\x1b]0;Flagfall\x07");
        assert_eq!(alerts.tell(turn(), true), "\x1b]0;Your turn - Flagfall\x07");
        let mut other = Alerts::new(vec![Alert::Desktop777]);
        assert_eq!(other.tell(turn(), false), "\x1b]777;notify;Flagfall;Your turn\x07");
        let mut none = Alerts::new(Vec::new());
        assert_eq!((none.start(), none.tell(turn(), false), none.end()), ("", String::new(), ""));
    }
}
