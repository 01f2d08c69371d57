use flagfall_board::Side;

/// One of the three audiences of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(from = "Audience", into = "Audience"))]
#[cfg_attr(feature = "serde", schemars(rename = "Audience", description = "How a client sees a game."))]
pub enum Viewer {
    /// A player, who can see the ranks of their own pieces.
    Player(Side),
    /// A spectator, who can see only what both players can see.
    Public,
}

impl Viewer {
    /// The three audiences.
    pub const ALL: [Viewer; 3] = [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public];

    /// True if the viewer is the player of this side.
    pub fn is_side(self, side: Side) -> bool {
        self == Viewer::Player(side)
    }

    /// The viewer's side, if the viewer is a player.
    pub fn side(self) -> Option<Side> {
        match self {
            Viewer::Player(side) => Some(side),
            Viewer::Public => None,
        }
    }
}

/// A [`Viewer`] as a single word, for messages and records.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Audience {
    /// The player with the red pieces.
    Red,
    /// The player with the blue pieces.
    Blue,
    /// A spectator, who can see only what both players can see.
    Public,
}

#[cfg(feature = "serde")]
impl From<Viewer> for Audience {
    fn from(viewer: Viewer) -> Audience {
        match viewer {
            Viewer::Player(Side::Red) => Audience::Red,
            Viewer::Player(Side::Blue) => Audience::Blue,
            Viewer::Public => Audience::Public,
        }
    }
}

#[cfg(feature = "serde")]
impl From<Audience> for Viewer {
    fn from(audience: Audience) -> Viewer {
        match audience {
            Audience::Red => Viewer::Player(Side::Red),
            Audience::Blue => Viewer::Player(Side::Blue),
            Audience::Public => Viewer::Public,
        }
    }
}
