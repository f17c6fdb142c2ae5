import { createAgentClient } from "@jaf/core";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createOpenAIProvider } from "@jaf/openai";
import { Client } from "pg";
import * as z from "zod";
import { clerk } from "./agent.ts";

interface Env {
  readonly HYPERDRIVE: Hyperdrive;
  readonly JAF_MODEL: string;
  /** Secrets: `wrangler secret put`, or `.dev.vars`. */
  readonly OPENAI_API_KEY?: string;
  readonly OPENAI_BASE_URL?: string;
  /** `user:token` for each user, separated by commas. A stub: put your own login in its place. */
  readonly API_TOKENS: string;
}

const bodySchema = z.object({ message: z.string().min(1), conversationId: z.string().optional() });

type Send = (event: { readonly type: "text" | "end" | "error" } & Readonly<Record<string, unknown>>) => void;

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/chat")
      return new Response("Not found.", { status: 404 });
    const userId = userOf(request, env);
    if (userId === undefined) return new Response("Not authenticated.", { status: 401 });
    const body = bodySchema.safeParse(await request.json().catch(() => undefined));
    if (!body.success) return new Response("Expected { message, conversationId? }.", { status: 400 });

    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const bytes = new TextEncoder();
    // Not awaited: the turn goes on, and is stored, if the reader has left.
    const send: Send = (event) =>
      void writer.write(bytes.encode(`data: ${JSON.stringify(event)}\n\n`)).catch(() => {});
    const turn = answer({ ...body.data, userId }, env, send)
      .catch((error: unknown) => {
        console.error(error);
        send({ type: "error", message: "The turn failed." });
      })
      .finally(() => writer.close().catch(() => {}));
    context.waitUntil(turn);
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  },
};

/** Runs one turn. A Worker can't share a connection between requests; Hyperdrive keeps the real ones open. */
async function answer(
  asked: z.output<typeof bodySchema> & { readonly userId: string },
  env: Env,
  send: Send,
): Promise<void> {
  const database = new Client({ connectionString: env.HYPERDRIVE.connectionString });
  database.on("error", (error) => console.error("Postgres:", error.message));
  await database.connect();
  try {
    const provider = await createPostgresProvider({ migrate: false }, database);
    const client = createAgentClient(clerk, {
      modelProvider: createOpenAIProvider({
        model: env.JAF_MODEL,
        ...(env.OPENAI_API_KEY ? { apiKey: env.OPENAI_API_KEY } : {}),
        ...(env.OPENAI_BASE_URL ? { baseURL: env.OPENAI_BASE_URL } : {}),
      }),
      context: {},
      store: provider,
      memory: { durability: "step", concurrency: "queue", window: { maxMessages: 40, trimTo: 20 } },
    });
    const user = client.forUser(asked.userId);
    const thread = asked.conversationId === undefined ? user : user.continue(asked.conversationId);
    const stream = thread.stream(asked.message);
    for await (const event of stream)
      if (event.type === "llm_delta") send({ type: "text", text: event.data.text });
    const { outcome, text, conversationId } = await stream.result;
    if (outcome.status === "error") throw outcome.error;
    send({ type: "end", conversationId, text });
  } finally {
    await database.end();
  }
}

function userOf(request: Request, env: Env): string | undefined {
  const token = request.headers.get("authorization")?.replace(/^Bearer /, "");
  for (const pair of env.API_TOKENS.split(",")) {
    const [user, secret] = pair.trim().split(":");
    if (user && secret && secret === token) return user;
  }
  return undefined;
}
