//! Records of games: checking them, and exchanging them with other programs.
