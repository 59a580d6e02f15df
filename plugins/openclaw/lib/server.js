// Start the store's server when there is none. It is detached: it serves other hosts too, and ends when it is unused.
import { execFile, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { send, ServerAway, statusOf } from "./client.js";

const VERSION = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
const POLL_MS = 50;
// A process that ends at once may have found that another one is just starting the server.
const OTHERS_MS = 3_000;
const START_MS = 30_000;
// After a start that failed the next one is tried later, twice as late each time.
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 60_000;
const STATUS_MS = 10_000;
const GREETING_MS = 1_000;

export function serverOf(options) {
  let starting;
  let failures = 0;
  let retryAt = 0;
  // The last server that was looked at, and the promise that it is fit for use or gone.
  let looked = {};

  // Resolves when a server answers; rejects with ServerAway if none does in time. Calls at the same time share one start.
  async function start(deadline) {
    if (Date.now() < retryAt) throw new ServerAway("the server could not be started a moment ago");
    starting ??= launch().finally(() => {
      starting = undefined;
    });
    return within(starting, deadline);
  }

  async function launch() {
    const child = launchProcess(options);
    const late = Date.now() + START_MS;
    let ended;
    child.on("error", (error) => (ended = { at: -Infinity, reason: error.message }));
    child.on("exit", (code) => (ended = { at: Date.now(), reason: `it ended with code ${code}` }));
    for (;;) {
      if (await answers(options.home)) {
        // Ours is used whatever it is, or a program of another version than the plugin's would be replaced for ever.
        if (!ended) looked = { server: nameOf(await statusOf(options.home)), fit: Promise.resolve() };
        return;
      }
      if (Date.now() > late || (ended && Date.now() - ended.at > OTHERS_MS)) {
        retryAt = Date.now() + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
        failures += 1;
        const reason = ended?.reason ?? "it does not answer";
        throw new ServerAway(`${options.command} serve: ${reason}; see serve.log in ${options.home}`);
      }
      await pause(POLL_MS);
    }
  }

  // A server on demand of another version, or with other settings than the plugin's own, is stopped: the call that asked
  // starts ours. One that a person started is used as it is.
  async function checkRunning() {
    const status = await statusOf(options.home);
    if (!status?.on_demand) return;
    if (looked.server !== nameOf(status)) looked = { server: nameOf(status), fit: replaceUnfit(status) };
    await looked.fit;
  }

  async function replaceUnfit(status) {
    if (status.version === VERSION && (await hasOurSettings(options))) return;
    await send(options.home, { route: "/v1/stop", body: {}, greetingMs: GREETING_MS, answerMs: STATUS_MS }).catch(() => undefined);
    await gone(status.pid);
  }

  function noteAnswer() {
    failures = retryAt = 0;
  }

  return { start, checkRunning, noteAnswer };
}

function nameOf(status) {
  return `${status?.pid} ${status?.since}`;
}

function launchProcess({ command, home, files, variables }) {
  const words = ["serve", "--on-demand", "--home", home, ...(files ? ["--files", files] : [])];
  const log = openLog(home);
  try {
    const child = spawn(command, words, {
      detached: true,
      // Not the host's folder, which would stay in use.
      cwd: path.parse(home).root,
      stdio: ["ignore", "ignore", log],
      env: { ...process.env, ...variables },
    });
    child.unref();
    return child;
  } finally {
    if (typeof log === "number") closeSync(log);
  }
}

function openLog(home) {
  try {
    return openSync(path.join(home, "serve.log"), "a", 0o600);
  } catch {
    return "ignore";
  }
}

async function answers(home) {
  try {
    return (await send(home, { route: "/v1/status", method: "GET", answerMs: GREETING_MS })).status === 200;
  } catch {
    return false;
  }
}

// Only `satchel` itself can compare settings, and only the plugin's own make it necessary.
function hasOurSettings({ command, home, variables }) {
  if (!Object.keys(variables).length) return true;
  return new Promise((resolve) => {
    const words = ["serve", "--status", "--json", "--home", home];
    const surroundings = { timeout: STATUS_MS, env: { ...process.env, ...variables } };
    execFile(command, words, surroundings, (error, output) => {
      try {
        resolve(JSON.parse(output).result.current === true);
      } catch {
        resolve(true);
      }
    });
  });
}

async function gone(pid) {
  for (let waited = 0; waited < STATUS_MS; waited += POLL_MS) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await pause(POLL_MS);
  }
}

function within(promise, deadline) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new ServerAway("the server is still starting")), Math.max(0, deadline - Date.now()));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
