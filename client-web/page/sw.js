// Keeps the page on the device, so that it opens without the server: the whole build, the rules,
// the player's saved deployments and the records that were looked at. Nothing else of the API.
//
// The server puts the folder of the build in the place of HASH, so that each build has a worker
// of its own.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const BUILD = "/assets/HASH/";
/** What is kept besides builds. */
const READ = "read";
/** How many records are kept. */
const RECORDS = 50;
/** Answers of the API that are kept for later. */
const KEPT = [/^\/api\/rulesets$/, /^\/api\/me\/deployments$/, /^\/api\/games\/[0-9a-z]{12}\/record$/];

worker.addEventListener("install", (event) => event.waitUntil(keepBuild()));
worker.addEventListener("activate", (event) => event.waitUntil(tidy()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  if (request.mode === "navigate") event.respondWith(pageFor(request));
  else if (url.pathname.startsWith("/assets/")) {
    event.respondWith(fileFor(request));
    const language = url.pathname.startsWith(BUILD) ? languageOf(url.pathname.slice(BUILD.length)) : undefined;
    if (language) event.waitUntil(keepTexts(language));
  }
  else if (KEPT.some((kept) => kept.test(url.pathname))) event.respondWith(latest(request, url));
});
worker.addEventListener("push", (event) => event.waitUntil(tellTurn(event.data)));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

async function keepBuild() {
  const files = (await (await fetch(`${BUILD}files.txt`)).text()).split("\n").filter(Boolean);
  const cache = await caches.open(BUILD);
  const fresh = (/** @type {string} */ address) => new Request(address, { cache: "no-cache" });
  await (await caches.open(READ)).add(fresh("/api/rulesets"));
  await cache.addAll(["/", ...files.filter(isPreferred).map((file) => BUILD + file)].map(fresh));
  await worker.skipWaiting();
}

/** Forgets all builds but this one and the one before it, which open tabs may still use. */
async function tidy() {
  const builds = (await caches.keys()).filter((name) => name !== READ);
  const others = builds.filter((name) => name !== BUILD);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** A page comes from the server; without it, from this build. @param {Request} request */
async function pageFor(request) {
  try {
    return await fetch(request);
  } catch {
    return (await (await caches.open(BUILD)).match("/")) ?? Response.error();
  }
}

/** Files of a build never change. @param {Request} request */
async function fileFor(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** Keeps the texts of a language that was chosen in the settings. @param {string} language */
async function keepTexts(language) {
  const cache = await caches.open(BUILD);
  const files = [language, `${language}-more`].map((name) => `${BUILD}words/${name}.ftl`);
  const isKept = await Promise.all(files.map((file) => cache.match(file)));
  await cache.addAll(files.filter((_, index) => !isKept[index]));
}

/** The language of a file of texts. @param {string} file */
function languageOf(file) {
  return /^words\/(.+?)(?:-more)?\.ftl$/.exec(file)?.[1];
}

/** False for texts in a language that the browser does not prefer: they are kept when they are read. @param {string} file */
function isPreferred(file) {
  const language = languageOf(file);
  const preferred = worker.navigator.languages.map((tag) => tag.toLowerCase()).flatMap((tag) => [tag, tag.split("-")[0]]);
  return !language || language === "en" || preferred.includes(language);
}

/** What the server says now; without it, what it said last. @param {Request} request @param {URL} url */
async function latest(request, url) {
  const cache = await caches.open(READ);
  try {
    const answer = await fetch(request);
    if (answer.status === 200) {
      await cache.put(request, answer.clone());
      if (url.pathname.endsWith("/record")) await dropRecords(cache);
    }
    return answer;
  } catch {
    return (await cache.match(request)) ?? Response.error();
  }
}

/** Drops the oldest records. @param {Cache} cache */
async function dropRecords(cache) {
  const records = (await cache.keys()).filter(({ url }) => new URL(url).pathname.endsWith("/record"));
  await Promise.all(records.slice(0, -RECORDS).map((record) => cache.delete(record)));
}

/** Tells that a game waits for the player, unless they look at the page. @param {PushMessageData | null} data */
async function tellTurn(data) {
  const { game } = data?.json() ?? {};
  if (!/^[0-9a-z]{12}$/.test(game)) return;
  const windows = await worker.clients.matchAll({ type: "window" });
  if (windows.some(({ focused }) => focused)) return;
  const text = await (await caches.open(READ)).match("/push-text");
  const address = `/game/${game}`;
  // The tag is that of the page, so that one notification takes the place of the other.
  await worker.registration.showNotification("Flagfall", {
    body: await text?.text() ?? "It is your turn.", tag: `turn ${address}`, icon: `${BUILD}icons/flagfall.svg`, data: address,
  });
}

/** Shows what a notification is about. @param {string} address */
async function show(address) {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) return void await worker.clients.openWindow(address);
  await open.focus();
  open.postMessage({ go: address });
}
