// Looks over a page in another language.

/** @typedef {import("playwright-core").Page} Page */

/**
 * What is wrong on a page: words that are not in its language, and boxes that are narrower than
 * what is in them or leave the screen.
 * @param {Page} page @param {string} foreign A pattern of words of another language.
 * @param {string[]} known Words that stay as they are in every language.
 */
export function faultsOf(page, foreign, known) {
  return page.evaluate(({ foreign, known }) => {
    /** @type {string[]} */
    const faults = [];
    const isShown = (/** @type {Element} */ element) => element.checkVisibility() && !element.closest(".aloud, noscript, [hidden]");
    /** @param {string} text @param {string} where */
    const read = (text, where) => {
      const rest = known.reduce((rest, word) => rest.replaceAll(word, " "), text);
      const words = rest.match(new RegExp(foreign, "giu"))?.filter((word) => word.length > 2);
      if (words && words.length > 0) faults.push(`words in ${where}: ${words.join(" ")}`);
    };
    for (const element of document.body.querySelectorAll("*")) {
      if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
      const where = `${element.localName}.${element.getAttribute("class") ?? ""}`;
      // Codes are the same in every language.
      for (const node of element.childNodes) if (node.nodeType === 3 && element.localName !== "code") read(node.nodeValue ?? "", where);
      for (const name of ["aria-label", "placeholder", "title", "alt"]) read(element.getAttribute(name) ?? "", `${where} ${name}`);
      if (!(element instanceof HTMLElement) || !isShown(element) || element.closest(".board-host, .panel-body, .scrolls")) continue;
      const box = element.getBoundingClientRect();
      // What only screen readers read is one pixel wide.
      if (box.width <= 1) continue;
      if (box.right > innerWidth + 1 || box.left < -1) faults.push(`${where} leaves the screen: ${box.left} to ${box.right}, ${element.textContent?.slice(0, 60)}`);
      const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && getComputedStyle(element).display !== "inline";
      if (isCut && !["SELECT", "INPUT"].includes(element.tagName)) faults.push(`${where} bursts: ${element.scrollWidth} in ${element.clientWidth}, ${element.textContent?.slice(0, 60)}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
    return faults;
  }, { foreign, known });
}
