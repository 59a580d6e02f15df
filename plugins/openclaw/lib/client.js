// HTTP over the socket of the store's server. The body is sent only after the server accepted the headers, so that it is
// always known whether a request can have been performed.
import fs from "node:fs/promises";
import http from "node:http";
import path from "node:path";

const MAX_REPLY_BYTES = 16 << 20;
const UNAUTHORIZED = 401;

// No server took the request: nothing was performed.
export class ServerAway extends Error {
  name = "ServerAway";
  // Whether a process holds the socket all the same: no other can be started in its place.
  stuck = false;
}
// The request was sent and got no reply: it may have been performed.
export class ReplyLost extends Error {
  name = "ReplyLost";
  // Whether the server still has it: asking another one would not help.
  late = false;
}

// Returns {status, body}. The server has `greetingMs` to accept the headers and `answerMs` for the rest; `folder` is where the
// agent works, for the scope auto.
export async function send(home, { route, method = "POST", body, folder, greetingMs, answerMs, signal }) {
  const socketPath = await socketOf(home);
  const token = await fs.readFile(path.join(home, "serve.token"), "utf8").catch(() => {
    throw new ServerAway("the server has no token");
  });
  const data = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const headers = {
    Host: "localhost",
    Authorization: `Bearer ${token}`,
    Connection: "close",
    "Satchel-Actor": "hook",
    "Satchel-Client": "openclaw",
    ...(folder ? { "Satchel-Folder": encodeURI(folder) } : {}),
    ...(data.length
      ? { "Content-Type": "application/json", "Content-Length": data.length, Expect: "100-continue" }
      : {}),
  };
  return exchange({ socketPath, path: route, method, headers, agent: false }, data, { greetingMs, answerMs, signal });
}

// What the running server says about itself; undefined if none has said anything.
export async function statusOf(home) {
  try {
    return JSON.parse(await fs.readFile(path.join(home, "serve.json"), "utf8"));
  } catch {
    return undefined;
  }
}

// The socket is in the store's folder, or, if that path is too long, where the status file says.
async function socketOf(home) {
  const usual = path.join(home, "serve.sock");
  const found = (await belongsToUs(usual)) ? usual : (await statusOf(home))?.socket;
  if (typeof found !== "string" || !(await belongsToUs(found)) || !(await belongsToUs(path.dirname(found)))) {
    throw new ServerAway("no server is running");
  }
  return found;
}

// The token goes to nobody else.
async function belongsToUs(file) {
  const found = await fs.lstat(file).catch(() => undefined);
  return found !== undefined && found.uid === process.getuid?.();
}

function exchange(options, data, { greetingMs, answerMs, signal }) {
  return new Promise((resolve, reject) => {
    let sent = data.length === 0;
    const request = http.request(options);
    const fail = (reason, late = false) => {
      clearTimeout(timer);
      request.destroy();
      reject(Object.assign(sent ? new ReplyLost(reason) : new ServerAway(reason), sent ? { late } : { stuck: late }));
    };
    let timer = setTimeout(() => fail("the server does not respond", true), sent ? answerMs : greetingMs);
    request.on("continue", () => {
      sent = true;
      clearTimeout(timer);
      timer = setTimeout(() => fail("the server took too long", true), answerMs);
      request.end(data);
    });
    request.on("error", (error) => fail(error.code ?? error.message));
    request.on("response", (response) => {
      const parts = [];
      let size = 0;
      response.on("error", (error) => fail(error.code ?? error.message));
      response.on("aborted", () => fail("the connection was lost"));
      response.on("data", (part) => {
        size += part.length;
        if (size > MAX_REPLY_BYTES) fail("the reply is too large");
        else parts.push(part);
      });
      response.on("end", () => {
        clearTimeout(timer);
        request.destroy();
        // The token is that of a server that has ended since.
        if (response.statusCode === UNAUTHORIZED) return reject(new ServerAway("the server has another token"));
        const body = parsed(Buffer.concat(parts).toString("utf8"));
        return body ? resolve({ status: response.statusCode, body }) : fail("the reply is not JSON");
      });
    });
    signal?.addEventListener("abort", () => fail("cancelled"), { once: true });
    if (signal?.aborted) fail("cancelled");
    if (sent) request.end();
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
