// The memory slot of OpenClaw, answered by Satchel. Registering only names what there is: it opens and starts nothing,
// because the host registers a plugin several times in one process.
import { registerCapability } from "./lib/capability.js";
import { registerCli } from "./lib/cli.js";
import { registerHooks } from "./lib/hooks.js";
import { memoryFor } from "./lib/memory.js";
import { registerTools } from "./lib/tools.js";

export default {
  id: "satchel",
  name: "Satchel",
  description: "One local, auditable memory for every agent you run.",
  register(api) {
    const memory = memoryFor(api.pluginConfig, api.logger);
    registerTools(api, memory);
    registerHooks(api, memory);
    registerCapability(api, memory);
    registerCli(api, memory);
  },
};
