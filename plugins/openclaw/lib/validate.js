// Check a tool's arguments against its schema: the host's HTTP endpoint passes on anything.

const TYPES = {
  string: ["a string", (value) => typeof value === "string"],
  integer: ["a whole number", (value) => Number.isSafeInteger(value)],
  number: ["a number", (value) => typeof value === "number" && Number.isFinite(value)],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  array: ["a list", Array.isArray],
  object: ["an object", isObject],
};

// Returns {values} or {problem}. A name may be written in camelCase or snake_case; null counts as omitted, as models send it.
export function checkArguments(tool, given) {
  const { properties, required = [] } = tool.parameters;
  if (!isObject(given ?? {})) return { problem: `${tool.name} takes one object of arguments` };
  const names = new Map(Object.keys(properties).map((name) => [plain(name), name]));
  const values = {};
  for (const [spelling, value] of Object.entries(given ?? {})) {
    const name = names.get(plain(spelling));
    if (name === undefined) {
      const known = Object.keys(properties).join(", ") || "none";
      return { problem: `${tool.name} has no parameter ${JSON.stringify(spelling.slice(0, 40))} (parameters: ${known})` };
    }
    if (value === null || value === undefined) continue;
    if (name in values) return { problem: `${name} is given twice` };
    const problem = problemOf(name, value, properties[name]);
    if (problem) return { problem };
    values[name] = value;
  }
  const missing = required.find((name) => !(name in values));
  return missing ? { problem: `${tool.name} needs ${missing}: ${properties[missing].description ?? "it is required"}` } : { values };
}

function problemOf(name, value, schema) {
  const [wanted, fits] = TYPES[schema.type] ?? ["", () => true];
  if (!fits(value)) return `${name} must be ${wanted}`;
  if (schema.enum && !schema.enum.includes(value)) return `${name} must be one of: ${schema.enum.join(", ")}`;
  if (schema.minimum !== undefined && value < schema.minimum) return `${name} must be ${schema.minimum} or more`;
  if (schema.type === "array" && schema.items) {
    return value.map((item) => problemOf(`each item of ${name}`, item, schema.items)).find(Boolean);
  }
  return undefined;
}

function plain(name) {
  return name.replaceAll("_", "").toLowerCase();
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
