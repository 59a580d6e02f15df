// The parts of a host's messages that the memory needs: who said which text, bounded.

const MAX_MESSAGES = 40;
const MAX_CHARS = 20_000;

// The newest messages of a conversation, for leaving out what it already says.
export function recentMessages(messages) {
  return texts(messages).slice(-MAX_MESSAGES);
}

// The messages from the user's last words on: earlier turns were captured when they ended.
export function lastTurn(messages) {
  const all = texts(messages);
  let first = all.findLastIndex((message) => message.role === "user");
  while (first > 0 && all[first - 1].role === "user") first -= 1;
  return first < 0 ? [] : all.slice(first).slice(-MAX_MESSAGES);
}

function texts(messages) {
  return (Array.isArray(messages) ? messages : [])
    .filter((message) => message?.role === "user" || message?.role === "assistant")
    .map(({ role, content }) => ({ role, content: textOf(content).slice(0, MAX_CHARS) }))
    .filter((message) => message.content);
}

export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .join("\n");
}
