// The plugin's configuration: where the store is, which program serves it, and the settings it is served with.
import os from "node:os";
import path from "node:path";
import { readFileSync } from "node:fs";

const SETTINGS = JSON.parse(readFileSync(new URL("./settings.json", import.meta.url), "utf8"));

export function optionsOf(config) {
  const given = config && typeof config === "object" ? config : {};
  return {
    command: text(given.command) ?? "satchel",
    home: folder(text(given.home) ?? text(process.env.SATCHEL_HOME) ?? platformFolder()),
    scope: text(given.scope) ?? "auto",
    files: text(given.files) && folder(given.files),
    groups: given.groups === true,
    variables: variablesOf(given),
  };
}

// Settings reach the server as its environment variables; an empty value counts as none, as it does there.
function variablesOf(given) {
  const variables = {};
  for (const [key, variable] of Object.entries(SETTINGS)) {
    const value = key.split(".").reduce((inner, name) => inner?.[name], given);
    const written = Array.isArray(value) ? value.join(",") : value;
    if (["string", "number", "boolean"].includes(typeof written) && String(written).trim()) {
      variables[variable] = String(written);
    }
  }
  return variables;
}

// The same folder as `satchel` takes when it is given none.
function platformFolder() {
  const home = os.homedir();
  if (process.platform === "darwin") return path.join(home, "Library", "Application Support", "satchel");
  const data = process.env.XDG_DATA_HOME ?? "";
  return path.join(path.isAbsolute(data) ? data : path.join(home, ".local", "share"), "satchel");
}

function folder(name) {
  return path.resolve(name === "~" || name.startsWith("~/") ? path.join(os.homedir(), name.slice(1)) : name);
}

function text(value) {
  return typeof value === "string" && value.trim() ? value : undefined;
}
