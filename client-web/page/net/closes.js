// What a close code says about trying again.

/** @param {number} code @returns {"again" | "slower" | "never"} */
export function verdict(code) {
  if (code === 1013 || code === 4003) return "slower";
  if ([1002, 1003, 1007, 1008, 1009].includes(code) || (code >= 4100 && code < 4200)) return "never";
  return "again";
}

/**
 * Why the page does not try again: a key of its words.
 * @param {number} code
 */
export function fatalReason(code) {
  switch (code) {
    case 4100: case 4101: return "logged_out";
    case 4102: return "old_page";
    case 4103: return "account_closed";
    case 4105: return "too_many_tabs";
    default: return "broken_line";
  }
}

/** The pause before a try, with jitter. @param {number} failures @param {"again" | "slower" | "never"} how @param {number} random */
export function pauseBefore(failures, how, random) {
  const full = how === "slower" ? 5_000 : failures <= 0 ? 0 : Math.min(5_000, 100 * 2 ** (failures - 1));
  return full * (0.5 + random / 2);
}
