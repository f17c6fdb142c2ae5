import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJafClient, type FollowedEvent } from "@jaf/server/client";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { type FakeChat, startFakeChat } from "../../../test/fakes/openai-chat.ts";
import { poll } from "../../../test/polling.ts";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../test/released.ts";
import { freePort } from "../../../test/servers.ts";
import { installTool } from "../../../test/tools.ts";
import { readComposeFile } from "../support/examples/compose-file.ts";
import { createDatabase } from "../support/examples/database.ts";
import { type FollowedDockerfile, followDockerfile } from "../support/examples/dockerfile.ts";
import { copyExample, type ExampleCopy, runProgram, startProgram } from "../support/examples/example.ts";

/** The example with Docker Compose, without a container engine: its Dockerfile and its processes run on this machine. */

const STORY = "Apples, pears and plums came on a cart from the hills, and by noon they were sold. ".repeat(4);

let registry: ReleasedRegistry;
let copy: ExampleCopy;
let out: string;
let image: FollowedDockerfile;
let chat: FakeChat;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  registry = await startReleasedRegistry();
  copy = await copyExample("compose");
  out = await mkdtemp(join(tmpdir(), "jaf-image-"));
  image = await followDockerfile(copy.folder, out, registry.environment);
  chat = await startFakeChat({
    steps: [
      ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("story")) return { kind: "reply", message: { content: STORY }, pieceDelayMs: 200 };
        if (last.includes("Order"))
          return {
            kind: "reply",
            message: {
              tool_calls: [
                {
                  id: "call_1",
                  type: "function",
                  function: { name: "order", arguments: '{"fruit":"apples","kilograms":2}' },
                },
              ],
            },
          };
        return "It is done.";
      },
    ],
  });
  environment = await openEnvironment();
}, 900_000);

afterAll(async () => {
  await chat?.close();
  await registry?.stop();
  await copy?.remove();
  await rm(out, { recursive: true, force: true, maxRetries: 5 });
});

/** The variables of the application in compose.yaml, with this machine's servers in place of those of the file. */
async function openEnvironment(): Promise<NodeJS.ProcessEnv> {
  const text = await readFile(join(copy.folder, "compose.yaml"), "utf8");
  const secrets = { POSTGRES_PASSWORD: "any", API_TOKENS: "ada:secret,bob:other" };
  const { services } = readComposeFile(text, { ...secrets, OPENAI_BASE_URL: chat.baseURL });
  const database = await createDatabase(inject("pgUrl"));
  return {
    PATH: process.env["PATH"],
    ...image.environment,
    ...services["app"]?.environment,
    PGHOST: database.hostname,
    PGPORT: database.port,
    PGUSER: database.username,
    ...(database.password === "" ? {} : { PGPASSWORD: database.password }),
    PGDATABASE: database.pathname.slice(1),
    REDIS_URL: inject("redisUrl"),
  };
}

async function startApp() {
  const port = await freePort();
  const [program = "", ...args] = image.command;
  const app = await startProgram(program, args, {
    cwd: image.folder,
    environment: { ...environment, PORT: String(port) },
    ready: /Listening on port/,
  });
  onTestFinished(async () => void (await app.end("SIGKILL")));
  const url = `http://127.0.0.1:${port}`;
  const clientOf = (token: string) =>
    createJafClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  return { ...app, url, port, ada: clientOf("secret"), bob: clientOf("other") };
}

/** Reads the turn's events until the first text. The turn goes on. */
async function untilText(events: AsyncIterable<FollowedEvent>) {
  let conversationId: string | undefined;
  for await (const { event } of events) {
    if (event.type === "turn_start") conversationId = event.conversationId;
    if (event.type === "text" && conversationId !== undefined) return conversationId;
  }
  throw new Error("The turn said nothing.");
}

async function endOf(events: AsyncIterable<FollowedEvent>) {
  for await (const { event } of events) if (event.type === "turn_end") return event;
  throw new Error("The turn has no end.");
}

const messagesOf = async (app: Awaited<ReturnType<typeof startApp>>, conversationId: string) =>
  (await app.ada.conversations.get(conversationId)).messages.map(({ message }) => message);

describe("The example with Docker Compose", { timeout: 300_000 }, () => {
  it("has a Dockerfile without mistakes, whose processes have no rights of root", async () => {
    const tools = await installTool("dockerfile-utils", "0.16.3");
    const lint = [
      join(tools, "dockerfile-utils/bin/dockerfile-utils"),
      "lint",
      join(copy.folder, "Dockerfile"),
    ];
    await runProgram(process.execPath, lint, { cwd: copy.folder, environment: process.env });
    expect(image.base).toMatch(/^node:\d+-slim$/);
    expect(image.user).toBe("node");
  });

  it("migrates as often as one likes, and then a second process takes over the turn of a killed one", async () => {
    for (const _ of ["first", "again"])
      await runProgram("node", ["dist/migrate.js"], { cwd: image.folder, environment });
    const [first, second] = [await startApp(), await startApp()];
    const conversationId = await untilText(first.ada.chat({ message: "Tell me a story of my green cart." }));
    await first.end("SIGKILL");

    const end = await endOf(second.ada.conversations.follow(conversationId));
    expect(end).toMatchObject({ status: "completed" });
    expect(await messagesOf(second, conversationId)).toMatchObject([
      { role: "user", content: "Tell me a story of my green cart." },
      { role: "assistant", content: STORY },
    ]);
    // Facts about the user are in Postgres, too.
    await poll("the fact", async () => (await second.ada.facts.list()).facts[0]);
    expect((await second.bob.facts.list()).facts).toEqual([]);
  });

  it("finishes a turn when it is stopped, and the other process has it", async () => {
    const [first, second] = [await startApp(), await startApp()];
    const conversationId = await untilText(first.ada.chat({ message: "A story, please." }));
    expect(await first.end("SIGTERM")).toBe(0);
    expect(await endOf(second.ada.conversations.follow(conversationId))).toMatchObject({
      status: "completed",
    });
    expect(await messagesOf(second, conversationId)).toHaveLength(2);
  });

  it("asks for an approval, answers its own health check, and knows its users by their tokens", async () => {
    const app = await startApp();
    const [program = "", ...args] = image.healthcheck;
    const check = args.map((argument) => argument.replace("3000", String(app.port)));
    await runProgram(program, check, { cwd: image.folder, environment });
    expect((await fetch(`${app.url}/agents`)).status).toBe(401);

    const asked = await app.ada.ask({ message: "Order two kilograms of apples." });
    expect(asked.status).toBe("interrupted");
    expect((await app.bob.approvals.pending()).approvals).toEqual([]);
    const [pending] = (await app.ada.approvals.pending()).approvals;
    const waiting = pending?.interruption;
    if (waiting?.type !== "approval") throw new Error("Nothing waits.");
    const { toolCallId, approvalId } = waiting;
    const approvals = [{ toolCallId, approvalId, approved: true }];
    const done = await app.ada.ask({ conversationId: asked.conversationId, approvals });
    expect(done).toMatchObject({ status: "completed", text: "It is done." });
  });
});
