// Pieces outside of the board: in trays, tables and titles.

import { drawPiece } from "../board/pieces.js";
import { h, useEffect, useRef } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Side} Side */

/** @param {{ side: Side, identity: string, labeled?: boolean }} props */
export function PieceArt({ side, identity, labeled = false }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    host.current?.replaceChildren(drawPiece({ side, identity, moved: false, revealed: false, labeled }));
  }, [side, identity, labeled]);
  return h("span", { ref: host, class: "piece-art", "aria-hidden": "true" });
}
