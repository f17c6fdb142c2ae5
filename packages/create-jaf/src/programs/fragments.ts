/** The parts of a program that a choice decides. A line of code has no indentation of its own. */
import type { Model, Storage } from "../choices.ts";

export interface Fragment {
  readonly imports: readonly string[];
  readonly code: readonly string[];
}

const offline: Fragment = {
  imports: [
    `import { messageText } from "@jaf/core";`,
    `import { createScriptedModel } from "@jaf/core/testing";`,
  ],
  code: [
    `export const modelProvider = createScriptedModel(({ state: { messages } }) => {`,
    `  const [said = ""] = messages.map(messageText).slice(-1);`,
    `  if (messages.at(-1)?.role === "tool") return \`It is \${said} (UTC).\`;`,
    `  if (/time/i.test(said)) return { toolCalls: [{ name: "clock", arguments: { timeZone: "UTC" } }] };`,
    `  return \`You sent message \${messages.length} of our conversation. Ask me for the time, or see README.md.\`;`,
    `});`,
  ],
};

const provider = (factory: string, from: string, model: string): Fragment => ({
  imports: [`import { ${factory} } from "${from}";`],
  code: [`export const modelProvider = ${factory}({ model: ${model} });`],
});

export const modelFragments: Readonly<Record<Model, Fragment>> = {
  offline,
  openai: provider("createOpenAIProvider", "@jaf/openai", `"gpt-5-mini"`),
  anthropic: provider("createAnthropicProvider", "@jaf/anthropic", `"claude-haiku-5-5"`),
  google: provider("createGoogleProvider", "@jaf/google", `"gemini-3.8-flash"`),
  compatible: provider("createOpenAIProvider", "@jaf/openai", `process.env.MODEL`),
};

export interface StorageFragment {
  /** Opens the store, as `store`. */
  readonly store: Fragment;
  /** Opens the turn log of a server, as `turnLog`. It comes after the store. */
  readonly turnLog: Fragment;
  /** The calls that close what both have opened. */
  readonly close: { readonly store: string; readonly both: string };
}

const postgresTurnLog = (client: string): Fragment => ({
  imports: [`import { createPostgresTurnLog } from "@jaf/memory-postgres";`],
  code: [`const turnLog = await createPostgresTurnLog({}, ${client});`],
});

export const storageFragments: Readonly<Record<Storage, StorageFragment>> = {
  embedded: {
    store: {
      imports: [
        `import { createPostgresProvider } from "@jaf/memory-postgres";`,
        `import { openPglite } from "@jaf/memory-postgres/pglite";`,
      ],
      code: [
        `const database = await openPglite("./data");`,
        `const store = await createPostgresProvider({}, database.client);`,
      ],
    },
    turnLog: postgresTurnLog("database.client"),
    close: { store: "database.close()", both: "database.close()" },
  },
  redis: {
    store: {
      imports: [`import { createRedisProvider } from "@jaf/memory-redis";`],
      code: [`const store = await createRedisProvider({ url: process.env.REDIS_URL });`],
    },
    turnLog: {
      imports: [
        `import { createRedisTurnLog } from "@jaf/memory-redis";`,
        `import { createClient } from "redis";`,
      ],
      code: [
        `const redis = createClient({ url: process.env.REDIS_URL }).on("error", console.error);`,
        `const turnLog = createRedisTurnLog({}, await redis.connect());`,
      ],
    },
    close: { store: "store.close()", both: "redis.close()" },
  },
  postgres: {
    store: {
      imports: [
        `import { createPostgresProvider } from "@jaf/memory-postgres";`,
        `import { Pool } from "pg";`,
      ],
      code: [
        `const pool = new Pool({ connectionString: process.env.DATABASE_URL }).on("error", console.error);`,
        `const store = await createPostgresProvider({}, pool);`,
      ],
    },
    turnLog: postgresTurnLog("pool"),
    close: { store: "pool.end()", both: "pool.end()" },
  },
};
