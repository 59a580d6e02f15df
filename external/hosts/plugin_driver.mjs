// Registers the OpenClaw plugin with a stand-in for the host, performs the steps on standard input, and prints what came of it.
import { readFileSync } from "node:fs";

const { plugin, config, registrations = 1, steps } = JSON.parse(readFileSync(0, "utf8"));
const { default: entry } = await import(plugin);
const log = [];
const host = { hooks: {}, tools: undefined, capability: undefined };
const api = {
  pluginConfig: config,
  logger: { info: (line) => log.push(`info ${line}`), warn: (line) => log.push(`warn ${line}`) },
  runtime: { agent: { resolveAgentWorkspaceDir: (cfg) => cfg.workspace } },
  on: (name, handler) => (host.hooks[name] = handler),
  registerTool: (factory) => (host.tools = factory),
  registerMemoryCapability: (capability) => (host.capability = capability),
  registerCli: () => {},
};
for (let done = 0; done < registrations; done += 1) entry.register(api);

const performers = {
  hook: ({ hook, event, ctx }) => host.hooks[hook](event, ctx),
  tool: ({ tool, params, ctx }) => host.tools(ctx).find((one) => one.name === tool).execute("call", params),
  manager: async ({ manager, args, workspace }) => {
    const { getMemorySearchManager } = host.capability.runtime;
    return (await getMemorySearchManager({ cfg: { workspace }, agentId: "main" })).manager[manager](...args);
  },
  prompt: ({ prompt }) => host.capability.promptBuilder({ availableTools: new Set(prompt) }),
  flush: () => host.capability.flushPlanResolver({}),
};
const results = [];
for (const step of steps) {
  const kind = Object.keys(performers).find((name) => name in step);
  results.push((await performers[kind](step)) ?? null);
}
process.stdout.write(JSON.stringify({ results, log }));
