// Recall and read memories in the shapes of the host's own memory: a path for each memory, scores, and where it came from.
import fs from "node:fs/promises";
import path from "node:path";
import { TOOL_MS } from "./memory.js";

const PREFIX = "satchel/";
const DEFAULT_RESULTS = 6;
const MAX_RESULTS = 50;
const DEFAULT_LINES = 200;
const SERVER_ERROR = 500;
const MAX_FILE_BYTES = 1 << 20;
// The files that the host's own memory keeps in the workspace.
const WORKSPACE_FILE = /^(MEMORY\.md|memory\.md|USER\.md|DREAMS\.md|memory\/.+\.md)$/;

// Throws if the memory is not available: no answer is not an empty one.
export async function search(memory, query, { maxResults, minScore = 0, folder, signal } = {}) {
  const limit = Math.min(Math.max(1, Math.trunc(maxResults ?? DEFAULT_RESULTS)), MAX_RESULTS);
  const body = { query, limit, scope: memory.options.scope };
  const reply = await memory.call("memory_recall", body, { folder, signal, milliseconds: TOOL_MS });
  const { memories, message } = reply.body.details ?? {};
  if (!Array.isArray(memories)) throw new Error(message ?? "the memory could not be searched");
  return memories.filter((one) => one.relevance >= minScore).map(resultOf);
}

function resultOf(one) {
  const raw = (name) => one.parts.find((part) => part.name === name)?.raw ?? undefined;
  return {
    path: `${PREFIX}${one.id}`,
    startLine: 1,
    endLine: one.text.split("\n").length,
    score: one.relevance,
    vectorScore: raw("vector"),
    textScore: raw("lexical"),
    snippet: one.text,
    source: "memory",
    importance: one.importance ?? undefined,
    citation: `${PREFIX}${one.id}`,
    provenance: { originClass: originOf(one), sessionKind: "unknown", observedAt: one.createdAt },
  };
}

// What the person stored or confirmed is the owner's; everything else, whatever it says itself, is not trusted.
function originOf(one) {
  if (one.trust_tier !== "trusted") return "untrusted";
  return one.source_kind === "system" ? "system" : "owner";
}

// Returns {status, path, text, …} for a memory that a search returned, or for a memory file of the workspace.
export async function read(memory, { relPath, from = 1, lines = DEFAULT_LINES, folder, signal }) {
  const id = relPath.startsWith(PREFIX) ? relPath.slice(PREFIX.length) : "";
  const text = id ? await textOfMemory(memory, id, { folder, signal }) : await textOfFile(relPath, folder);
  return text === undefined ? { status: "not_found", text: "", path: relPath } : excerpt(relPath, text, from, lines);
}

async function textOfMemory(memory, id, options) {
  const body = { memory_id: id, scope: memory.options.scope };
  const reply = await memory.call("memory_get", body, { ...options, milliseconds: TOOL_MS });
  const { text, message } = reply.body.details ?? {};
  if (text === undefined && reply.status >= SERVER_ERROR) throw new Error(message ?? "the memory could not be read");
  return text;
}

async function textOfFile(relPath, folder) {
  if (!folder || !WORKSPACE_FILE.test(relPath) || relPath.split("/").includes("..")) return undefined;
  try {
    const [root, file] = await Promise.all([fs.realpath(folder), fs.realpath(path.join(folder, relPath))]);
    const found = await fs.stat(file);
    // A link may not lead out of the workspace, and a device could block.
    if (!file.startsWith(root + path.sep) || !found.isFile() || found.size > MAX_FILE_BYTES) return undefined;
    return await fs.readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

function excerpt(relPath, text, from, lines) {
  const all = text.split("\n");
  const shown = all.slice(from - 1, from - 1 + lines);
  const next = from + shown.length;
  const truncated = next <= all.length;
  return {
    status: "ok",
    path: relPath,
    text: shown.join("\n"),
    from,
    lines: shown.length,
    ...(truncated ? { truncated, nextFrom: next } : {}),
  };
}
