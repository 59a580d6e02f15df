// Registers the OpenClaw plugin with a stand-in for the host, performs the steps on standard input, and prints what came of it.
import { readFileSync } from "node:fs";

const { plugin, config, workspace, registrations = 1, steps } = JSON.parse(readFileSync(0, "utf8"));
const { default: entry } = await import(plugin);
const log = [];
const host = { hooks: {}, actions: {}, tools: undefined, capability: undefined };
const api = {
  pluginConfig: config,
  logger: { info: (line) => log.push(`info ${line}`), warn: (line) => log.push(`warn ${line}`) },
  runtime: { agent: { resolveAgentWorkspaceDir: (cfg) => cfg.workspace } },
  on: (name, handler) => (host.hooks[name] = handler),
  registerTool: (factory) => (host.tools = factory),
  registerMemoryCapability: (capability) => (host.capability = capability),
  registerCli: (registrar) => registrar({ program: commands(host.actions), workspaceDir: workspace }),
};

// As much of commander as the plugin uses: the action of each command by its name.
function commands(actions, name = "") {
  return {
    command: (words) => commands(actions, words.split(" ")[0]),
    description: () => commands(actions, name),
    helpOption: () => commands(actions, name),
    allowUnknownOption: () => commands(actions, name),
    action: (perform) => (actions[name] = perform),
  };
}
for (let done = 0; done < registrations; done += 1) entry.register(api);

const performers = {
  hook: ({ hook, event, ctx }) => host.hooks[hook](event, ctx),
  tool: ({ tool, params, ctx }) => host.tools(ctx).find((one) => one.name === tool).execute("call", params),
  manager: async ({ manager, args, workspace }) => {
    const { getMemorySearchManager } = host.capability.runtime;
    return (await getMemorySearchManager({ cfg: { workspace }, agentId: "main" })).manager[manager](...args);
  },
  cli: async ({ cli, words }) => {
    await host.actions[cli](words);
    const code = process.exitCode;
    process.exitCode = 0;
    return code;
  },
  prompt: ({ prompt }) => host.capability.promptBuilder({ availableTools: new Set(prompt) }),
  flush: () => host.capability.flushPlanResolver({}),
};
const results = [];
for (const step of steps) {
  const kind = Object.keys(performers).find((name) => name in step);
  results.push((await performers[kind](step)) ?? null);
}
// On a line of its own, after what commands have printed.
process.stdout.write(`\n${JSON.stringify({ results, log })}`);
