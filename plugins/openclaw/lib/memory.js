// The store as the plugin's parts use it: one call per operation, by the running server or one that is started for it.
import { ReplyLost, send, ServerAway } from "./client.js";
import { optionsOf } from "./options.js";
import { serverOf } from "./server.js";

// The host gives up on a prompt after 15 s. A server may have to be started first; one that runs has less time.
export const BEFORE_PROMPT = { milliseconds: 10_000, greetingMs: 1_000, answerMs: 5_000 };
export const TOOL_MS = 60_000;
const GREETING_MS = 5_000;

const MAX_SESSIONS = 1_000;

const memories = new Map();

// The host registers the plugin several times: what was started or failed is known once per configuration.
export function memoryFor(config, logger) {
  const options = optionsOf(config);
  const name = JSON.stringify(options);
  if (!memories.has(name)) memories.set(name, createMemory(options));
  const memory = memories.get(name);
  memory.logger = logger;
  return memory;
}

function createMemory(options) {
  const server = serverOf(options);
  let away = false;
  const captures = { running: new Set(), toIngest: false };
  const memory = { options, logger: undefined, workspaces: workspacesOf(), captures, call };

  // Performs an operation within `milliseconds` and returns {status, body}. Throws ServerAway if it was not performed, or
  // ReplyLost if it may have been; what can be repeated is tried again first.
  async function call(operation, body, limits) {
    const { milliseconds, greetingMs = GREETING_MS, answerMs = milliseconds, repeatable = true, folder, signal } = limits;
    const deadline = Date.now() + milliseconds;
    const attempt = (greetingMs) => {
      const remaining = Math.max(1, Math.min(answerMs, deadline - Date.now()));
      return send(options.home, { route: `/v1/${operation}`, body, folder, signal, greetingMs, answerMs: remaining });
    };
    try {
      const reply = await attemptOrStart(attempt, { greetingMs, deadline, repeatable, signal });
      server.noteAnswer();
      note(false);
      return reply;
    } catch (error) {
      if (!signal?.aborted) note(true, error);
      throw error;
    }
  }

  async function attemptOrStart(attempt, { greetingMs, deadline, repeatable, signal }) {
    try {
      await server.checkRunning();
      return await attempt(greetingMs);
    } catch (error) {
      const lost = error instanceof ReplyLost && repeatable && !error.late;
      const again = lost || (error instanceof ServerAway && !error.stuck);
      if (!again || signal?.aborted || Date.now() >= deadline) throw error;
      await server.start(deadline);
      // It loads its model now, and takes longer to accept a request.
      return attempt(Math.max(1, deadline - Date.now()));
    }
  }

  // One line when the memory goes away and one when it is back, however many turns there are in between.
  function note(isAway, error) {
    if (isAway && !away) memory.logger?.warn(`satchel: the memory is not available: ${error.message}; turns go on without it`);
    if (!isAway && away) memory.logger?.info("satchel: the memory is available again");
    away = isAway;
  }

  return memory;
}

// Where the agent of a session works. The host says so when it asks for the tools of a turn, but not after a tool call.
function workspacesOf() {
  const folders = new Map();
  return {
    note(session, folder) {
      if (!session || !folder) return;
      folders.delete(session);
      folders.set(session, folder);
      if (folders.size > MAX_SESSIONS) folders.delete(folders.keys().next().value);
    },
    of: (session) => folders.get(session),
  };
}
