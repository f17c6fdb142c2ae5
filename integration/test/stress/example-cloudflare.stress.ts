import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type FakeChat, startFakeChat } from "../../../test/fakes/openai-chat.ts";
import { poll } from "../../../test/polling.ts";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../test/released.ts";
import { freePort } from "../../../test/servers.ts";
import { createDatabase } from "../support/examples/database.ts";
import {
  copyExample,
  type ExampleCopy,
  runProgram,
  type StartedProgram,
  startProgram,
} from "../support/examples/example.ts";

/** The example on Cloudflare, in workerd: `wrangler dev`, with a real Postgres behind its Hyperdrive. */

const STORY = "Apples, pears and plums came on a cart from the hills. ".repeat(3);

let registry: ReleasedRegistry;
let copy: ExampleCopy;
let chat: FakeChat;
let database: pg.Client;
let worker: StartedProgram;
let url: string;

beforeAll(async () => {
  registry = await startReleasedRegistry();
  copy = await copyExample("cloudflare");
  const { href } = withPassword(await createDatabase(inject("pgUrl")));
  database = new pg.Client({ connectionString: href });
  await database.connect();
  chat = await startFakeChat({
    steps: [
      ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("story")) return { kind: "reply", message: { content: STORY }, pieceDelayMs: 200 };
        if (!last.includes("What do apples cost?")) return `Asked ${messages.length} messages ago.`;
        const price = { name: "price", arguments: '{"fruit":"apples"}' };
        return {
          kind: "reply",
          message: { tool_calls: [{ id: "call_1", type: "function", function: price }] },
        };
      },
    ],
  });
  const environment = {
    ...registry.environment,
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE: href,
    DATABASE_URL: href,
  };
  const surroundings = { cwd: copy.folder, environment };
  await runProgram("npm", ["install", "--loglevel=error"], surroundings);
  await runProgram("npm", ["run", "build"], surroundings);
  await runProgram("npm", ["run", "migrate"], surroundings);
  const port = await freePort();
  const variables = {
    OPENAI_BASE_URL: chat.baseURL,
    OPENAI_API_KEY: "any",
    API_TOKENS: "ada:secret,bob:other",
  };
  worker = await startProgram(
    process.execPath,
    [
      join(copy.folder, "node_modules/wrangler/bin/wrangler.js"),
      ...["dev", "--port", String(port), "--show-interactive-dev-session=false"],
      ...Object.entries(variables).flatMap(([key, value]) => ["--var", `${key}:${value}`]),
    ],
    { ...surroundings, ready: /Ready on/ },
  );
  url = `http://127.0.0.1:${port}/chat`;
}, 900_000);

afterAll(async () => {
  await worker?.end("SIGTERM");
  await chat?.close();
  await database?.end();
  await registry?.stop();
  await copy?.remove();
});

/** Hyperdrive wants a password, also where the server asks for none. */
function withPassword(address: URL): URL {
  if (address.password === "") address.password = "any";
  return address;
}

interface Said {
  readonly message: string;
  readonly conversationId?: string;
}

interface WorkerEvent {
  readonly type: "text" | "end" | "error";
  readonly text?: string;
  readonly conversationId?: string;
}

const send = (said: Said, token = "secret", signal: AbortSignal | null = null): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(said),
    signal,
  });

async function eventsOf(response: Response): Promise<readonly WorkerEvent[]> {
  const lines = (await response.text()).split("\n\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line.replace("data: ", "")));
}

/** The stored messages of the latest conversation, by role. */
async function latestMessages(): Promise<readonly { readonly role: string; readonly content: string }[]> {
  const { rows } = await database.query(
    "SELECT messages FROM conversations_with_messages ORDER BY last_activity DESC LIMIT 1",
  );
  return rows[0]?.messages ?? [];
}

describe("The example on Cloudflare", { timeout: 120_000 }, () => {
  it("streams a reply, calls a tool, and goes on with the conversation in another request", async () => {
    const events = await eventsOf(await send({ message: "What do apples cost?" }));
    const end = events.at(-1);
    expect(end).toMatchObject({ type: "end", text: "Asked 4 messages ago." });
    expect(events.filter(({ type }) => type === "text").length).toBeGreaterThan(1);

    const conversationId = end?.conversationId ?? "";
    const next = await eventsOf(await send({ message: "And pears?", conversationId }));
    expect(next.at(-1)).toMatchObject({ type: "end", conversationId, text: "Asked 6 messages ago." });
    const roles = (await latestMessages()).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant"]);
  });

  it("keeps the reply for a reader who left", async () => {
    const reader = new AbortController();
    const response = await send({ message: "Tell me a story." }, "secret", reader.signal);
    await response.body?.getReader().read();
    reader.abort();
    await poll("the stored reply", async () => {
      const messages = await latestMessages();
      return messages[0]?.content === "Tell me a story." && messages[1]?.content === STORY ? true : undefined;
    });
  });

  it("refuses strangers, other users' conversations, and what is no message", async () => {
    expect((await send({ message: "Hi" }, "wrong")).status).toBe(401);
    expect((await send({ message: "" })).status).toBe(400);
    const end = (await eventsOf(await send({ message: "Hi" }))).at(-1);
    const theirs = { message: "And now?", conversationId: end?.conversationId ?? "" };
    expect(await eventsOf(await send(theirs, "other"))).toEqual([
      { type: "error", message: "The turn failed." },
    ]);
  });
});
