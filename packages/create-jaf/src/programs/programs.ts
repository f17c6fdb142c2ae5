/** The program of a project: `src/agent.ts` is the agent, and `src/main.ts` runs it. */
import type { Choices, Interface } from "../choices.ts";
import { type Fragment, modelFragments, type StorageFragment, storageFragments } from "./fragments.ts";

const tool: Fragment = {
  imports: [`import { type Agent, createTool } from "@jaf/core";`, `import * as z from "zod";`],
  code: [
    `const clock = createTool({`,
    `  name: "clock", description: "Tells the current date and time in a time zone.",`,
    `  parameters: z.object({ timeZone: z.string().describe("e.g. Asia/Kolkata") }),`,
    `  execute: ({ timeZone }) => new Date().toLocaleString("en-GB", { timeZone }),`,
    `});`,
    ``,
    `export const agent: Agent<unknown, string> = {`,
    `  name: "assistant", instructions: "You are a helpful assistant. Be brief.",`,
    `  tools: [clock],`,
    `};`,
    ``,
  ],
};

const ownAgent = `import { agent, modelProvider } from "./agent.ts";`;

const agentClient: Fragment = {
  imports: [`import { createAgentClient, JAFErrorHandler } from "@jaf/core";`, ownAgent],
  code: [
    `const memory = { window: { maxMessages: 40, trimTo: 20 } }; // the model's view; everything is stored`,
    `const client = createAgentClient(agent, { modelProvider, store, memory, context: {} });`,
  ],
};

type Storage = Pick<StorageFragment, "close">;

const terminal = ({ close }: Storage): Fragment => ({
  imports: [...agentClient.imports, `import { createInterface } from "node:readline";`],
  code: [
    ...agentClient.code,
    `const closed = new AbortController();`,
    `const { signal } = process.stdin.isTTY ? closed : new AbortController(); // piped lines are all answered`,
    `const terminal = createInterface(process.stdin, process.stdout).once("close", () => closed.abort());`,
    ``,
    `terminal.prompt();`,
    `for await (const line of terminal) {`,
    `  const stream = client.stream(line || "Go on.", { conversation: { user: "me" }, signal });`,
    `  for await (const event of stream) if (event.type === "llm_delta") process.stdout.write(event.data.text);`,
    `  const { outcome } = await stream.result;`,
    `  console.log(outcome.status === "error" && !signal.aborted ? JAFErrorHandler.format(outcome.error) : "");`,
    `  if (!closed.signal.aborted) terminal.prompt();`,
    `}`,
    `await ${close.store};`,
  ],
});

const script = ({ close }: Storage): Fragment => ({
  imports: agentClient.imports,
  code: [
    ...agentClient.code,
    ``,
    `const question = process.argv[2] ?? "What time is it in India?";`,
    `const { outcome, text } = await client.prompt(question, { conversation: { user: "me" } });`,
    `console.log(outcome.status === "error" ? JAFErrorHandler.format(outcome.error) : text);`,
    `if (outcome.status !== "completed") process.exitCode = 1;`,
    `await ${close.store};`,
  ],
});

const serving = `const memory = { provider: store, window: { maxMessages: 40, trimTo: 20 } }; // the model's view`;
const onStop = (server: string, { close }: Storage): readonly string[] => [
  `const stop = () => ${server}.close().then(() => ${close.both}).then(() => process.exit());`,
  `process.once("SIGINT", stop).once("SIGTERM", stop);`,
];

const server = (storage: Storage): Fragment => ({
  imports: [`import { runServer } from "@jaf/server";`, ownAgent],
  code: [
    serving,
    `const port = Number(process.env.PORT ?? 3000);`,
    ``,
    `const server = await runServer([agent], { modelProvider, memory }, { turnLog, port });`,
    `console.log(\`The agent listens on \${server.url}\`);`,
    ``,
    ...onStop("server", storage),
  ],
});

const page = (storage: Storage): Fragment => ({
  imports: [
    `import { serve } from "@hono/node-server";`,
    `import { serveStatic } from "@hono/node-server/serve-static";`,
    `import { createServerApp } from "@jaf/server";`,
    `import { Hono } from "hono";`,
    ownAgent,
  ],
  code: [
    serving,
    `const port = Number(process.env.PORT ?? 3000);`,
    ``,
    `const jaf = await createServerApp([agent], { modelProvider, memory }, { turnLog });`,
    `const app = new Hono().mount("/api", jaf.fetch).use(serveStatic({ root: "page" }));`,
    `app.get("/jaf-client.js", serveStatic({ path: "node_modules/@jaf/server/dist/client/index.js" }));`,
    `serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => console.log(\`http://localhost:\${port}\`));`,
    ``,
    ...onStop("jaf", storage),
  ],
});

const interfaceFragments: Readonly<Record<Interface, (storage: Storage) => Fragment>> = {
  terminal,
  server,
  page,
  none: script,
};

const isServed = (shown: Interface): boolean => shown === "server" || shown === "page";

/** The sources of a project by their paths. */
export function programOf({ model, storage, interface: shown }: Choices): Readonly<Record<string, string>> {
  const opened = storageFragments[storage];
  const before = isServed(shown) ? [opened.store, opened.turnLog] : [opened.store];
  return {
    "src/agent.ts": source([tool, modelFragments[model]]),
    "src/main.ts": source([...before, interfaceFragments[shown](opened)]),
  };
}

function source(fragments: readonly Fragment[]): string {
  const imports = joined(fragments.flatMap((fragment) => fragment.imports));
  return `${imports.join("\n")}\n\n${fragments.flatMap(({ code }) => code).join("\n")}\n`;
}

const IMPORT = /^import \{ (.+) \} from "(.+)";$/;

/** One import for each module, in the usual order: Node's, packages by name, own files. */
function joined(imports: readonly string[]): readonly string[] {
  const names = new Map<string, Set<string>>();
  const others: [module: string, line: string][] = [];
  for (const line of new Set(imports)) {
    const [, list = "", module = ""] = IMPORT.exec(line) ?? [];
    if (module === "") others.push([line.split('"')[1] ?? "", line]);
    else names.set(module, new Set([...(names.get(module) ?? []), ...list.split(", ")]));
  }
  const lines = [...names].map(([module, from]): [string, string] => [
    module,
    `import { ${[...from].sort(byName).join(", ")} } from "${module}";`,
  ]);
  return [...lines, ...others]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([, line]) => line);
}

const byName = (a: string, b: string): number => bare(a).localeCompare(bare(b), "en");
const bare = (name: string): string => name.replace("type ", "");
const rank = (module: string): number => (module.startsWith("node:") ? 0 : module.startsWith(".") ? 2 : 1);
