// What happens around a turn: recall before the prompt is built, capture after tools and at the end of the turn.
// The turn never waits for more than a recall, and never fails because of the memory.
import { ReplyLost, ServerAway } from "./client.js";
import { BEFORE_PROMPT } from "./memory.js";
import { TOOLS } from "./tools.js";
import { lastTurn, recentMessages } from "./transcript.js";
import { toolEvent } from "./tool_event.js";

const AFTER_MS = 20_000;
const OWN_TOOLS = new Set(TOOLS.map((tool) => tool.name));
// Turns that no person began: their prompts are not the user's words.
const NOT_BY_USER = new Set(["cron", "heartbeat"]);
const BY_USER = "external_user";

export function registerHooks(api, memory) {
  const isWelcome = (ctx) => memory.options.groups || !isGroup(ctx);
  api.on("before_prompt_build", quietly((event, ctx) => (isWelcome(ctx) ? recall(memory, event, ctx) : undefined)));
  api.on("after_tool_call", (event, ctx) => {
    if (isWelcome(ctx) && !OWN_TOOLS.has(event.toolName)) captureTool(memory, event, ctx);
  });
  api.on("agent_end", quietly((event, ctx) => (isWelcome(ctx) ? captureTurn(memory, event, ctx) : undefined)));
}

async function recall(memory, event, ctx) {
  const body = {
    prompt: event.prompt,
    messages: recentMessages(event.messages),
    scope: memory.options.scope,
    cwd: ctx.workspaceDir,
  };
  const reply = await memory.call("turn_before", body, { folder: ctx.workspaceDir, ...BEFORE_PROMPT });
  const block = reply.body.result?.block;
  return block ? { prependContext: `${block}\n` } : undefined;
}

// Not awaited by the host's turn: the promise is only kept for the end of the turn.
function captureTool({ call, captures, options, workspaces }, event, ctx) {
  const folder = workspaces.of(ctx.sessionKey);
  const body = { events: JSON.stringify(toolEvent(event, ctx, folder)), scope: options.scope };
  const capture = call("capture", body, { folder, milliseconds: AFTER_MS }).then(
    () => (captures.toIngest = true),
    () => undefined,
  );
  captures.running.add(capture);
  capture.finally(() => captures.running.delete(capture));
}

async function captureTurn({ call, captures, options }, event, ctx) {
  await Promise.all(captures.running);
  const limits = { folder: ctx.workspaceDir, milliseconds: AFTER_MS };
  const messages = isByUser(ctx) ? lastTurn(event.messages) : [];
  if (messages.length) {
    const body = { messages, session: ctx.sessionKey, scope: options.scope, cwd: ctx.workspaceDir };
    await call("turn_after", body, limits);
  }
  if (captures.toIngest) {
    captures.toIngest = false;
    await call("ingest", {}, limits);
  }
}

// In a group or channel other people speak and read: neither are their words the user's, nor are the memories theirs.
function isGroup(ctx) {
  return /:(group|channel):/.test(ctx?.sessionKey ?? "");
}

function isByUser(ctx) {
  const origin = ctx?.inputProvenance?.kind;
  return (
    !NOT_BY_USER.has(ctx?.trigger) &&
    !/:(subagent|cron):/.test(ctx?.sessionKey ?? "") &&
    (origin === undefined || origin === BY_USER)
  );
}

// A memory that is away was logged once, and the turn goes on. Anything else is a defect, which the host logs.
function quietly(handler) {
  return async (event, ctx) => {
    try {
      return await handler(event, ctx ?? {});
    } catch (error) {
      if (error instanceof ServerAway || error instanceof ReplyLost) return undefined;
      throw error;
    }
  };
}
