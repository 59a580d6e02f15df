// `openclaw ltm …`: the commands of `satchel` on the store that the plugin uses, in the scope of the agent's workspace.
import { spawn } from "node:child_process";
import path from "node:path";

const COMMANDS = [
  { name: "list", runs: "list", help: "list memories, newest first" },
  { name: "search", runs: "recall", help: "find the memories that answer a question" },
  { name: "stats", runs: "stats", help: "count the memories" },
  { name: "export", runs: "export", help: "write memories to a file", takesFile: true },
  { name: "import", runs: "import", help: "import memories from a file", takesFile: true },
];
const SCOPE_OPTIONS = ["--scope", "--all-scopes", "--help", "-h"];

export function registerCli(api, memory) {
  const description = "List, search, count, export and import the memories of Satchel";
  api.registerCli(
    ({ program, workspaceDir }) => {
      const group = program.command("ltm").description(description);
      for (const one of COMMANDS) {
        group
          .command(`${one.name} [words...]`)
          .description(one.help)
          .helpOption(false)
          .allowUnknownOption()
          .action(async (words) => {
            process.exitCode = await run(memory.options, one, words, workspaceDir);
          });
      }
    },
    { commands: ["ltm"], descriptors: [{ name: "ltm", description, hasSubcommands: true }] },
  );
}

function run({ command, home, scope, variables }, { runs, takesFile }, words, workspaceDir) {
  const named = words.some((word) => SCOPE_OPTIONS.includes(word.split("=")[0]));
  const given = [runs, "--home", home, ...(named ? [] : ["--scope", scope]), ...absolute(words, takesFile)];
  return new Promise((resolve) => {
    // The scope auto is about the agent's workspace, not about where the person happens to be.
    const child = spawn(command, given, { stdio: "inherit", cwd: workspaceDir, env: { ...process.env, ...variables } });
    child.on("error", (error) => {
      process.stderr.write(`satchel: ${command}: ${error.message}\n`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

// A file is named from where the person is.
function absolute(words, takesFile) {
  if (!takesFile) return words;
  const index = words.findIndex((word, at) => !word.startsWith("-") && !takesValue(words[at - 1]));
  return words.map((word, at) => (at === index ? path.resolve(word) : word));
}

function takesValue(word = "") {
  return ["--scope", "--kind", "--limit", "--format", "--dedupe"].includes(word);
}
