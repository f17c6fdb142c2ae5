import type { Choices, Interface, Storage } from "../choices.ts";
import { scriptCommand } from "../package-managers.ts";

const use: Readonly<Record<Interface, string>> = {
  terminal:
    'Say something. Enter alone says "Go on.". Ctrl+C ends the program, also during a reply, and the next start continues the conversation. If a kill cut a reply off, ask again.',
  server: `It listens on http://127.0.0.1:3000:

\`\`\`sh
curl http://127.0.0.1:3000/chat -H 'content-type: application/json' -d '{"message":"What time is it?"}'
\`\`\`

The answer has a \`conversationId\`: send it along to continue. With \`"stream": true\` the reply is streamed.`,
  page: "Open http://localhost:3000. After a restart, the page shows the latest conversation.",
  none: "It asks one question, and the next start continues the conversation. `node start.js 'Hello!'` asks another one.",
};

const production: Readonly<Record<Storage, string>> = {
  embedded:
    "The folder `data` holds all conversations, and one process may have it open. For several processes, use Postgres or Redis in place of it.",
  redis:
    "`REDIS_URL` names the server. Turn on its append-only file, as `compose.yaml` does: without it, a restart of Redis loses conversations.",
  postgres: "`DATABASE_URL` names the server. The tables are created by the first start.",
};

const documents: Readonly<Record<Interface, readonly string[]>> = {
  terminal: [],
  none: [],
  server: ["- [server](node_modules/@jaf/server/docs/server.md): routes, streams, approvals, deployment"],
  page: [
    "- [server](node_modules/@jaf/server/docs/server.md): routes, streams, approvals, deployment",
    "- [useChat](node_modules/@jaf/server/docs/server-ai-sdk.md): a page with React and the AI SDK",
  ],
};

/** What a project's owner has to know before others may reach a server. */
const AUTHENTICATION =
  "Without the option `authenticate`, the server has one user and can't be reached from other machines.\n";

export function readmeOf(choices: Choices): string {
  const { name, model, storage, interface: shown, packageManager } = choices;
  const isServed = shown === "server" || shown === "page";
  return `# ${name}

An agent made with [JAF](https://github.com/jaf-agents/jaf).

## Run it

\`\`\`sh
${storage === "embedded" ? "" : "docker compose up -d   # or set the address of your own server in .env\n"}${scriptCommand(packageManager, "start")}
\`\`\`

${use[shown]}
${isServed ? `\n\`${scriptCommand(packageManager, "dev")}\` starts it again after each change.\n` : ""}
## Change it

- **The agent** is in \`src/agent.ts\`: its instructions, its tools and its model.
- **A tool** is a \`createTool({ name, description, parameters, execute })\`. Add it to the agent's \`tools\`. With \`needsApproval: true\`, a person decides about each call.
- **The window** in \`src/main.ts\` is what the model sees of a conversation: at most 40 messages. All of them are stored.
${model === "offline" ? `- **A real model**: \`${packageManager} ${packageManager === "npm" ? "install" : "add"} @jaf/openai\`, add \`OPENAI_API_KEY=…\` to \`.env\`, and replace \`modelProvider\` by \`createOpenAIProvider({ model: "gpt-5-mini" })\`. There are \`@jaf/anthropic\` and \`@jaf/google\`, too.\n` : ""}
## Go to production

${production[storage]} Conversations belong to a user: pass the id of the one who is signed in, in place of the one user of this example.
${isServed ? AUTHENTICATION : ""}
## Read on

The packages carry their documents:

- [the agent client](node_modules/@jaf/core/docs/agent-client.md): prompts, streams, conversations of a user
- [models](node_modules/@jaf/core/docs/models.md) and [turns](node_modules/@jaf/core/docs/turns.md): models, approvals, crashes
${documents[shown].map((line) => `${line}\n`).join("")}- \`node_modules/@jaf/*/SKILL.md\`: a short guide to each package, also for coding agents
`;
}
