// What a tool did, as an event to capture: its arguments, the text of its answer, and how it ended.
import { textOf } from "./transcript.js";

const MAX_CHARS = 40_000;

// A failing command is not an error to the host: the truth is the exit code in the details, which are kept as they are,
// except for texts that repeat the output.
export function toolEvent(event, ctx, folder) {
  const { toolName, toolCallId, params, error, durationMs } = event;
  const runId = event.runId ?? ctx.runId;
  return {
    // The same call captured twice is one event.
    ...(toolCallId ? { id: `openclaw:${runId ?? ctx.sessionKey ?? ""}:${toolCallId}` } : {}),
    toolName,
    toolCallId,
    params: plain(params),
    result: event.result === undefined ? undefined : answer(event.result),
    error: typeof error === "string" ? error.slice(0, MAX_CHARS) : undefined,
    durationMs,
    sessionKey: ctx.sessionKey,
    agent_id: ctx.agentId,
    workspaceDir: folder,
  };
}

function answer(result) {
  return { content: middleLeftOut(textOf(result?.content)), details: plain(result?.details, ["aggregated"]) };
}

// Numbers, flags and texts; nothing nested, which may be of any size.
function plain(fields, without = []) {
  if (typeof fields !== "object" || fields === null) return undefined;
  const kept = Object.entries(fields)
    .filter(([name, value]) => !without.includes(name) && ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => [name, typeof value === "string" ? middleLeftOut(value) : value]);
  return Object.fromEntries(kept);
}

// The beginning says what ran, the end how it went.
function middleLeftOut(text) {
  if (text.length <= MAX_CHARS) return text;
  const half = MAX_CHARS / 2;
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
}
