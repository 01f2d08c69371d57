//! Words for clocks and time spans.

use flagfall_protocol::Time;

use crate::text;

/// Parses a clock: `10+5` (minutes, and seconds per move), `10`, `90s+2`, `10d5` (minutes, and
/// free seconds at the start of each turn), `3days` (per move), `none`.
pub fn parse_time(text: &str) -> Result<Time, String> {
    let text = text.trim().to_lowercase();
    let text = text.as_str();
    let error = || text!("not-a-time", text);
    if matches!(text, "none" | "unlimited" | "no") {
        return Ok(Time::Unlimited {});
    }
    if let Some(days) = text.strip_suffix("days").or_else(|| text.strip_suffix("day")) {
        let days = days.trim().parse().map_err(|_| error())?;
        return Ok(Time::Correspondence { days });
    }
    let base_of = |base: &str| match base.strip_suffix('s') {
        Some(seconds) => seconds.parse::<u32>().ok(),
        None => base.parse::<u32>().ok().and_then(|minutes| minutes.checked_mul(60)),
    };
    let seconds_of = |text: &str| text.strip_suffix('s').unwrap_or(text).parse::<u32>().ok();
    let time = if let Some((base, free)) = text.split_once('d') {
        base_of(base).zip(seconds_of(free)).map(|(base_s, free_s)| Time::Delay { base_s, free_s })
    } else {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let both = base_of(base).zip(seconds_of(increment));
        both.map(|(base_s, increment_s)| Time::Fischer { base_s, increment_s })
    };
    time.ok_or_else(error)
}

pub fn check_time(time: Time) -> Result<(), String> {
    if time.is_allowed() {
        return Ok(());
    }
    let shown = self::time(time);
    let (min_s, max_min) = (*Time::BASE_S.start(), Time::BASE_S.end() / 60);
    Err(match time {
        Time::Correspondence { .. } => {
            text!("time-bounds-days", time = shown, min = *Time::DAYS.start(), max = *Time::DAYS.end())
        }
        Time::Delay { .. } => {
            let (free_min, free_max) = (*Time::FREE_S.start(), *Time::FREE_S.end());
            text!("time-bounds-delay", time = shown, min_s, max_min, free_min, free_max)
        }
        Time::Fischer { .. } | Time::Unlimited {} => {
            let (increment_min, increment_max) = (*Time::INCREMENT_S.start(), *Time::INCREMENT_S.end());
            text!("time-bounds-increment", time = shown, min_s, max_min, increment_min, increment_max)
        }
    })
}

/// Formats a clock setting as people write it.
pub fn time(time: Time) -> String {
    match time {
        Time::Unlimited {} => text!("time-unlimited"),
        Time::Fischer { base_s, increment_s } => format!("{}+{increment_s}", base(base_s)),
        Time::Delay { base_s, free_s } => format!("{}d{free_s}", base(base_s)),
        Time::Correspondence { days: 1 } => "1day".to_owned(),
        Time::Correspondence { days } => format!("{days}days"),
    }
}

/// Formats the base time in minutes if possible, otherwise in seconds.
fn base(base_s: u32) -> String {
    if base_s.is_multiple_of(60) { (base_s / 60).to_string() } else { format!("{base_s}s") }
}

/// Formats remaining time: `1:02:03`, `9:41`, and with tenths in the last ten seconds.
pub fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    if ms == 0 {
        "0:00".to_owned()
    } else if seconds < 10 {
        format!("0:{:02}.{}", seconds, ms % 1000 / 100)
    } else if seconds < 3600 {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    } else if seconds < 24 * 3600 {
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    } else {
        text!("duration-days", days = seconds / (24 * 3600), hours = seconds / 3600 % 24)
    }
}

/// Formats a time span in minutes or hours: `5 minutes`, `24 hours`.
pub fn span(ms: u64) -> String {
    let minutes = ms.div_ceil(60_000);
    match minutes {
        0..120 => text!("duration-minutes", minutes),
        _ => text!("duration-hours", hours = (minutes + 30) / 60),
    }
}

/// Formats a time span in seconds or minutes: `30 seconds`, `2 minutes`.
pub fn seconds(ms: u64) -> String {
    let seconds = ms.div_ceil(1_000);
    if seconds < 120 {
        text!("duration-seconds", seconds)
    } else {
        text!("duration-minutes", minutes = seconds.div_ceil(60))
    }
}
