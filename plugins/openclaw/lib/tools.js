// The memory_* tools: described by tools.json, which is generated from the operations, and performed by the server.
import { readFileSync } from "node:fs";
import { HOST_TOOLS } from "./host_tools.js";
import { TOOL_MS } from "./memory.js";
import { checkArguments } from "./validate.js";

const GENERATED = JSON.parse(readFileSync(new URL("./tools.json", import.meta.url), "utf8"));
const OURS = GENERATED.filter((tool) => !HOST_TOOLS.some((one) => one.name === tool.name)).map((tool) => ({
  ...tool,
  perform: performOperation,
}));
export const TOOLS = [...OURS, ...HOST_TOOLS];

export function registerTools(api, memory) {
  const names = TOOLS.map((tool) => tool.name);
  api.registerTool(
    (ctx) => {
      memory.workspaces.note(ctx?.sessionKey, ctx?.workspaceDir);
      return TOOLS.map((tool) => hostTool(tool, memory, ctx));
    },
    { names },
  );
}

function hostTool(tool, memory, ctx) {
  return {
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: tool.parameters,
    async execute(toolCallId, params, signal) {
      const { values, problem } = checkArguments(tool, params);
      if (problem) return failed("invalid_request", problem);
      try {
        return await tool.perform(memory, values, { tool, folder: ctx?.workspaceDir, signal });
      } catch (error) {
        return failed("memory_unavailable", reasonOf(error));
      }
    },
  };
}

async function performOperation(memory, values, { tool, folder, signal }) {
  const body = tool.scoped ? { ...values, scope: memory.options.scope } : values;
  const options = { folder, signal, milliseconds: TOOL_MS, repeatable: tool.repeatable };
  const reply = await memory.call(tool.name, body, options);
  if (Array.isArray(reply.body.content)) return reply.body;
  const { code = "memory_failed", message = "the memory server rejected the request" } = reply.body.error ?? {};
  return failed(code, message);
}

function failed(code, message) {
  return {
    content: [{ type: "text", text: `${code}: ${message}` }],
    details: { error: code, message },
    isError: true,
  };
}

function reasonOf(error) {
  return error.name === "ReplyLost"
    ? "the memory did not answer, and may or may not have done it; check before you repeat it"
    : `the memory is not available now: ${error.message}`;
}
