use flagfall_board::{ChipColor, Rank, RankSet, Side, Square, SquareSet, Stamp};
use flagfall_rules::secret::{SecretRecord, StruckRecord, from_record};
use flagfall_rules::{EndReason, Fate, Laid};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const SEATS: PerSide<&str> = PerSide::new("0fxm529wdncz", "m0wftb3r0p6t");
const UUID: &str = "01933ae1-7c0e-7d52-9b1c-0242ac120002";
const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";

fn square(text: &str) -> Square {
    text.parse().unwrap()
}

fn event(record: SecretRecord) -> Event {
    from_record(record).unwrap()
}

fn moved() -> SecretRecord {
    SecretRecord::Moved {
        side: Side::Blue,
        from: square("p9"),
        to: square("p10"),
        proves: RankSet::ALL,
        strike: None,
        labels: false,
        laid: None,
    }
}

fn stamp(player: &str, cmd_id: &str) -> CommandStamp<'static> {
    CommandStamp {
        player: player.to_owned().into(),
        cmd_id: cmd_id.to_owned().into(),
        fingerprint: u64::MAX - 1,
    }
}

/// Returns the body in form 2.
fn body(command: Option<&CommandStamp<'_>>, lag_ms: u32, event: &Event) -> Vec<u8> {
    encode(Form::Binary, SEATS, command, lag_ms, event).unwrap().into_exposed()
}

fn read(bytes: &[u8]) -> Result<LogEntry, EntryError> {
    decode(&SecretBytes::new(bytes.to_vec()), SEATS)
}

fn check_round_trip(form: Form, command: Option<&CommandStamp<'_>>, lag_ms: u32, event: &Event) {
    let body = encode(form, SEATS, command, lag_ms, event).unwrap();
    let read = decode(&body, SEATS).unwrap();
    assert!(read.event == *event);
    assert_eq!((read.command.as_ref(), read.lag_ms), (command, lag_ms));
}

/// Returns one event of every kind, each with the last part of its expected body in form 2. This
/// part consists of the lag and the event.
fn kinds() -> Vec<(SecretRecord, &'static str)> {
    let part = |rank, fate, shown| StruckRecord { rank, fate, shown };
    let strike = [part(Rank::Marshal, Fate::Advances, true), part(Rank::Spy, Fate::Leaves, false)];
    let side = Side::Blue;
    let (from, to) = (square("b1"), square("a2"));
    let proves = RankSet::only(Rank::Scout);
    let laid = Laid::new([square("c1"), square("d1")].into_iter().collect(), ChipColor::Green);
    let still =
        SecretRecord::Moved { side, from, to, proves: RankSet::ALL, strike: None, labels: false, laid: None };
    vec![
        (still, "00 00 01 01 10 00"),
        (
            SecretRecord::Moved { side, from, to, proves, strike: None, labels: false, laid },
            "00 01 01 01 10 f73f 00 01 02 02 03 03",
        ),
        (
            SecretRecord::Moved { side, from, to, proves, strike: Some(strike), labels: true, laid: None },
            "00 01 01 01 10 f73f 01 0b 01 01 02 02 00 01 00",
        ),
        (
            SecretRecord::Struck { side, from, to, proves, owes: PerSide::new(false, true) },
            "00 02 01 01 10 f73f 00 01",
        ),
        (SecretRecord::Chosen { side: Side::Red, rank: Rank::Phoenix }, "00 03 00 0c"),
        (SecretRecord::Removed { side, square: square("p10") }, "00 04 01 9f"),
        (
            SecretRecord::Placed {
                side,
                square: to,
                rank: Rank::Bomb,
                is_labeled: true,
                color: Some(ChipColor::Yellow),
            },
            "00 05 01 10 01 01 01 01",
        ),
        (SecretRecord::Colored { side, square: to, color: ChipColor::Blue }, "00 06 01 10 02"),
        (
            SecretRecord::Deployed { side, setup: "9B.F".into(), salt: [7; 32], is_change: true },
            "00 07 01 04 39422e46 0707070707070707070707070707070707070707070707070707070707070707 01",
        ),
        (
            SecretRecord::Started { commitments: PerSide::new(None, Some([9; 32])) },
            "00 08 00 01 0909090909090909090909090909090909090909090909090909090909090909",
        ),
        (SecretRecord::DrawOffered { side }, "00 09 01"),
        (SecretRecord::DrawDeclined { side: Side::Red }, "00 0a 00"),
        (SecretRecord::Paused { since: Stamp(300) }, "00 0b ac02"),
        (SecretRecord::Resumed { since: None }, "00 0c 00"),
        (SecretRecord::Resumed { since: Some(Stamp(5)) }, "00 0c 01 05"),
        (
            SecretRecord::Ended { winner: Some(side), reason: EndReason::Resigned },
            "00 0d 01 01 08 72657369676e6564",
        ),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_kind_of_event_keeps_its_bytes_for_good() {
    for (record, text) in kinds() {
        let event = event(record);
        let bytes = body(None, 0, &event);
        assert_eq!(hex(&bytes), format!("0200{}", text.replace(' ', "")), "{event:?}");
        assert!(read(&bytes).unwrap().event == event);
    }
}

#[test]
fn commands_keep_their_bytes_for_good() {
    let event = event(SecretRecord::DrawOffered { side: Side::Red });
    let bytes = |player: &str, cmd_id: &str| hex(&body(Some(&stamp(player, cmd_id)), 300, &event));
    let uuid = UUID.replace('-', "");
    assert_eq!(bytes(SEATS.red, UUID), format!("020100{uuid}feffffffffffffffac020900"));
    assert_eq!(bytes(SEATS.blue, "m-7"), "020201036d2d37feffffffffffffffac020900");
    assert_eq!(bytes("eve", "m-7"), "02020203657665036d2d37feffffffffffffffac020900");
}

#[test]
fn a_plain_move_takes_at_most_36_bytes_with_its_command_and_12_without() {
    let event = event(moved());
    // The maximum, because lag compensation is at most one second.
    let lag_ms = 1_000;
    assert!(body(Some(&stamp(SEATS.blue, UUID)), lag_ms, &event).len() <= 36);
    assert!(body(None, lag_ms, &event).len() <= 12);
    let scout = SecretRecord::Moved {
        side: Side::Red,
        from: square("a1"),
        to: square("a9"),
        proves: RankSet::only(Rank::Scout),
        strike: None,
        labels: false,
        laid: None,
    };
    let scout = self::event(scout);
    assert!(body(Some(&stamp(SEATS.red, UUID)), lag_ms, &scout).len() <= 36);
    assert!(body(None, lag_ms, &scout).len() <= 12);
}

#[test]
fn no_ply_takes_more_than_72_bytes_with_its_command() {
    let command = stamp(SEATS.blue, &"x".repeat(36));
    for (record, _) in kinds() {
        if !matches!(record, SecretRecord::Deployed { .. } | SecretRecord::Started { .. }) {
            let event = event(record);
            assert!(body(Some(&command), 1_000, &event).len() <= 72, "{event:?}");
        }
    }
}

#[test]
fn ids_come_back_byte_for_byte_and_only_canonical_uuids_are_short() {
    let event = event(moved());
    let length = |cmd_id: &str| {
        let command = stamp(SEATS.red, cmd_id);
        check_round_trip(Form::Binary, Some(&command), 0, &event);
        body(Some(&command), 0, &event).len()
    };
    let short = length(UUID);
    for other in [
        UUID.to_uppercase(),
        UUID.replace("7c0e", "7C0e"),
        UUID.replace('-', ""),
        UUID.replace("-7c0e-", "7c0e--"),
        UUID.replace("0002", "000g"),
        UUID.replace("0002", "000"),
    ] {
        assert_eq!(length(&other), short + 1 + other.len() - 16, "{other}");
    }
    assert!(length("x") < short);
    for wrong in ["", &"x".repeat(37)] {
        let command = stamp(SEATS.red, wrong);
        assert!(encode(Form::Binary, SEATS, Some(&command), 0, &event).is_err(), "{wrong}");
    }
}

#[test]
fn an_entry_has_one_encoding() {
    let plain = event(moved());
    let seated = body(Some(&stamp(SEATS.red, "m-7")), 1, &plain);
    let other = encode(Form::Binary, PerSide::new("x", "y"), Some(&stamp(SEATS.red, "m-7")), 1, &plain);
    let stranger = other.unwrap().into_exposed();
    assert!(read(&seated).is_ok());
    assert!(read(&stranger).is_err(), "a seated player is written as a seat");
    let same = PerSide::new(SEATS.red, SEATS.red);
    let blue = body(Some(&stamp(SEATS.blue, "m-7")), 1, &plain);
    assert!(decode(&SecretBytes::new(blue), same).is_err(), "who has both seats is written as Red");
    for (text, why) in [
        ("0200 00 00 01 01 10 00 00", "trailing bytes"),
        ("0200 8000 00 01 01 10 00", "a longer number"),
        ("0200 00 8000 01 01 10 00", "a longer tag"),
        ("0200 00 01 01 01 10 00 00 00", "a plain move in the variant for others"),
        ("0200 00 00 01 01 a0 00", "a square that no board has"),
        ("0200 00 00 01 01 10 8040", "a rank that does not exist"),
        ("0200 00 00 02 01 10 00", "a third side"),
        ("0200 00 0e", "an unknown kind"),
        ("0203 00 00 01 01 10 00", "an unknown kind of command"),
        ("0200 00 01 01 01 10 00 00 01 02 03 02 03", "chips out of order"),
        ("0200 00 01 01 01 10 00 00 01 00 03", "no chips"),
        ("0200 00 01 01 01 10 00 00 01 02 02 12 13 03", "chips on no line"),
        ("0200 00 0d 01 01 08 72657369676e6565", "an unknown reason"),
        ("0200 00 0d 00 02 08 72657369676e6564", "neither a winner nor none"),
        (
            "0200 00 07 01 04 39622e46 0707070707070707070707070707070707070707070707070707070707070707 01",
            "a rank in lower case",
        ),
        ("02", "nothing"),
    ] {
        let digits = text.replace(' ', "");
        let bytes: Vec<u8> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect();
        assert!(read(&bytes).is_err(), "{why}");
    }
}

#[test]
fn a_newer_form_is_named() {
    for form in 3..9 {
        let body = SecretBytes::new(vec![form, 0, 0]);
        assert_eq!(decode(&body, SEATS).unwrap_err(), EntryError::NewerForm(form));
        assert_eq!(decode_header::<String>(&body).unwrap_err(), EntryError::NewerForm(form));
    }
    for bytes in [&b""[..], b"\0", b"\x01", b"\t{}", b" "] {
        assert_eq!(read(bytes).unwrap_err(), EntryError::Form);
    }
}

#[test]
fn version_0_1_reads_form_1() {
    let command = stamp("p1", "c-1");
    let event = event(SecretRecord::Moved {
        side: Side::Red,
        from: square("a4"),
        to: square("a5"),
        proves: [Rank::Spy, Rank::Scout].into_iter().collect(),
        strike: None,
        labels: false,
        laid: Laid::new(SquareSet::only(square("a5")), ChipColor::Red),
    });
    let body = encode(Form::Json, SEATS, Some(&command), 250, &event).unwrap();
    let text = std::str::from_utf8(body.expose()).unwrap();
    assert_eq!(
        text,
        r#"{"cmd":{"p":"p1","c":"c-1","f":18446744073709551614},"lag":250,"ev":{"t":"moved","side":"red","from":"a4","to":"a5","proves":["spy","scout"],"laid":[["a5"],"red"]}}"#
    );
    let header = encode_header(&"header").unwrap();
    assert_eq!(header.expose(), br#"{"open":"header"}"#);
    assert_eq!(decode_header::<String>(&header).unwrap(), "header");
}

#[test]
fn damaged_bodies_are_refused_without_a_word_of_their_content() {
    let event = event(SecretRecord::Deployed {
        side: Side::Red,
        setup: SETUP.into(),
        salt: [3; 32],
        is_change: false,
    });
    for form in [Form::Json, Form::Binary] {
        let bytes = encode(form, SEATS, None, 0, &event).unwrap().into_exposed();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] = b'\x01';
            for damaged in [&damaged[..], &bytes[..at]] {
                if let Err(error) = read(damaged) {
                    assert!(!error.to_string().contains('9'));
                }
            }
        }
    }
    for text in ["", "{}", "[]", "null", r#"{"ev":{"t":"teleported"}}"#, r#"{"open":null,"ev":null}"#] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
        assert!(decode_header::<String>(&SecretBytes::new(text.into())).is_err(), "{text}");
    }
}

fn commands() -> impl Strategy<Value = Option<CommandStamp<'static>>> {
    let player = prop_oneof![Just(SEATS.red.to_owned()), Just(SEATS.blue.to_owned()), "[a-z0-9]{0,12}"];
    let uuid = any::<u128>().prop_map(|bits| uuid::Uuid::from_u128(bits).to_string());
    let cmd_id = prop_oneof![uuid, "[-_0-9a-zA-Z]{1,36}", "[-0-9a-f]{36}"];
    let stamp = (player, cmd_id, any::<u64>()).prop_map(|(player, cmd_id, fingerprint)| CommandStamp {
        player: player.into(),
        cmd_id: cmd_id.into(),
        fingerprint,
    });
    proptest::option::of(stamp)
}

fn events() -> impl Strategy<Value = Event> {
    let square = || (0..Square::LIMIT).prop_map(|index| Square::from_index(index).unwrap());
    let step = (select(&Side::BOTH), square(), square(), 1..=RankSet::ALL.bits());
    let fate = || select(&[Fate::Stays, Fate::Advances, Fate::Leaves]);
    let part = || (select(&Rank::ALL), fate(), any::<bool>());
    let laid = (square(), select(&ChipColor::ALL))
        .prop_map(|(square, color)| Laid::new(SquareSet::only(square), color));
    let strike = (part(), part(), any::<bool>());
    let moves = (step, proptest::option::of(strike), proptest::option::of(laid)).prop_map(
        |((side, from, to, proves), strike, laid)| {
            event(SecretRecord::Moved {
                side,
                from,
                to,
                proves: RankSet::from_bits(proves).unwrap(),
                labels: strike.is_some_and(|(_, _, labels)| labels),
                strike: strike.map(|(attacker, defender, _)| {
                    [attacker, defender].map(|(rank, fate, shown)| StruckRecord { rank, fate, shown })
                }),
                laid: laid.flatten(),
            })
        },
    );
    let kinds: Vec<Event> = kinds().into_iter().map(|(record, _)| event(record)).collect();
    prop_oneof![select(kinds), moves]
}

proptest! {
    #[test]
    fn what_was_written_is_read(command in commands(), lag_ms: u32, event in events()) {
        for form in [Form::Json, Form::Binary] {
            check_round_trip(form, command.as_ref(), lag_ms, &event);
        }
    }

    #[test]
    fn what_is_read_is_written_with_the_same_bytes(
        command in commands(),
        event in events(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..4),
        more in proptest::collection::vec(any::<u8>(), 0..3),
    ) {
        let mut bytes = body(command.as_ref(), 7, &event);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.extend(more);
        if bytes[0] == 2 && let Ok(entry) = read(&bytes) {
            prop_assert_eq!(hex(&body(entry.command.as_ref(), entry.lag_ms, &entry.event)), hex(&bytes));
        }
    }
}
