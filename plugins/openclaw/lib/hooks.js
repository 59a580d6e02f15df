// What happens around a turn: recall before the prompt is built, capture after tools and at the end of the turn.
// The turn never waits for more than a recall, and never fails because of the memory.
import { ANSWER_MS, TURN_MS } from "./memory.js";
import { TOOLS } from "./tools.js";
import { lastTurn, recentMessages } from "./transcript.js";
import { toolEvent } from "./tool_event.js";

const AFTER_MS = 20_000;
const OWN_TOOLS = new Set(TOOLS.map((tool) => tool.name));
// Turns that no person began: their prompts are not the user's words.
const NOT_BY_USER = new Set(["cron", "heartbeat"]);
const BY_USER = "external_user";

export function registerHooks(api, memory) {
  const pending = new Set();
  api.on("before_prompt_build", quietly((event, ctx) => recall(memory, event, ctx)));
  api.on("after_tool_call", (event, ctx) => void captureTool(memory, pending, event, ctx));
  api.on("agent_end", quietly((event, ctx) => captureTurn(memory, pending, event, ctx)));
}

async function recall(memory, event, ctx) {
  if (!mayTakePart(memory, ctx)) return undefined;
  const body = {
    prompt: event.prompt,
    messages: recentMessages(event.messages),
    scope: memory.options.scope,
    cwd: ctx.workspaceDir,
  };
  const limits = { milliseconds: TURN_MS, answerMs: ANSWER_MS };
  const reply = await memory.call("turn_before", body, { folder: ctx.workspaceDir, ...limits });
  const block = reply.body.result?.block;
  return block ? { prependContext: `${block}\n` } : undefined;
}

// Not awaited by the host's turn: the promise is only kept for the end of the turn.
function captureTool(memory, pending, event, ctx) {
  if (OWN_TOOLS.has(event.toolName) || !mayTakePart(memory, ctx)) return;
  const folder = memory.workspaces.of(ctx.sessionKey);
  const body = { events: JSON.stringify(toolEvent(event, ctx, folder)), scope: memory.options.scope };
  const capture = memory.call("capture", body, { folder, milliseconds: AFTER_MS }).catch(() => undefined);
  pending.add(capture);
  capture.finally(() => pending.delete(capture));
}

async function captureTurn(memory, pending, event, ctx) {
  const captured = [...pending];
  await Promise.all(captured);
  const options = { folder: ctx.workspaceDir, milliseconds: AFTER_MS };
  if (isByUser(ctx) && mayTakePart(memory, ctx)) {
    const messages = lastTurn(event.messages);
    const body = { messages, session: ctx.sessionKey, scope: memory.options.scope, cwd: ctx.workspaceDir };
    if (messages.length) await memory.call("turn_after", body, options);
  }
  if (captured.length) await memory.call("ingest", {}, options);
}

// In a group or channel other people speak and read: neither are their words the user's, nor are the memories theirs.
function mayTakePart(memory, ctx) {
  return memory.options.groups || !/:(group|channel):/.test(ctx?.sessionKey ?? "");
}

function isByUser(ctx) {
  const origin = ctx?.inputProvenance?.kind;
  return (
    !NOT_BY_USER.has(ctx?.trigger) &&
    !/:(subagent|cron):/.test(ctx?.sessionKey ?? "") &&
    (origin === undefined || origin === BY_USER)
  );
}

// Whatever goes wrong has been logged once; the turn goes on.
function quietly(handler) {
  return async (event, ctx) => {
    try {
      return await handler(event, ctx ?? {});
    } catch {
      return undefined;
    }
  };
}
