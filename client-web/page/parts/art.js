// Pieces outside of the board: in trays, tables and titles.

import { drawPiece } from "../board/pieces.js";
import { settings } from "../state.js";
import { h, useEffect, useRef } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Side} Side */

/** @param {{ side: Side, identity: string, labeled?: boolean }} props */
export function PieceArt({ side, identity, labeled = false }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { numbering, print } = settings.value;
  useEffect(() => {
    host.current?.replaceChildren(drawPiece({ side, identity, moved: false, revealed: false, labeled }, { numbering, print }));
  }, [side, identity, labeled, numbering, print]);
  return h("span", { ref: host, class: "piece-art", "aria-hidden": "true" });
}
