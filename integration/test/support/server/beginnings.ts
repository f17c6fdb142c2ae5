import { createTool, type ModelProvider } from "@jaf/core";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryConnectionError, type TurnBeginner } from "@jaf/memory/adapter";
import { canBegin, createFailure } from "@jaf/memory/internal";
import { createServerApp, type Identity, type ServerAppOptions } from "@jaf/server";
import { onTestFinished } from "vitest";
import * as z from "zod";
import type { Stores } from "./stores.ts";

export type Append = VersionedMemoryProvider["appendMessages"];

export const answer = z.object({
  data: z.object({ conversationId: z.string(), turnId: z.string(), status: z.string(), text: z.string() }),
});

export const lost = () =>
  createFailure(createMemoryConnectionError("store", "the connection broke", { retryable: true }));

export interface ServerOf {
  readonly provider: VersionedMemoryProvider;
  readonly turnLog: TurnLog;
  readonly model: ModelProvider<Identity>;
  readonly userId?: string;
  readonly turns?: ServerAppOptions<Identity>["turns"];
  readonly durability?: "step" | "turn" | "completed" | undefined;
  readonly onTool?: () => void;
}

/** Starts a server whose user names himself in the header `user`. Default: `ada`. */
export async function startServer(options: ServerOf) {
  const { provider, turnLog, model, turns = {}, durability, onTool = () => {} } = options;
  const mail = createTool({
    name: "mail",
    description: "Sends a mail.",
    parameters: z.object({}),
    needsApproval: true,
    execute: () => {
      onTool();
      return "sent";
    },
  });
  const app = await createServerApp(
    [{ name: "assistant", instructions: "Help.", tools: [mail] }],
    { modelProvider: model, ...(durability === undefined ? {} : { memory: { durability } }) },
    {
      authenticate: (request) => ({ userId: request.headers.get("user") ?? "ada" }),
      ...{ defaultMemoryProvider: provider, turnLog, shutdownMs: 0 },
      turns: { recoverMs: false, ...turns },
      onError: () => {},
    },
  );
  onTestFinished(async () => void (await app.close()));
  const send = async (method: string, path: string, body?: object, user = "ada") =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { "content-type": "application/json", user },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const call = async (method: string, path: string, body?: object, user?: string) => {
    const response = await send(method, path, body, user);
    return { status: response.status, body: (await response.json()) as unknown };
  };
  return {
    app,
    send,
    call,
    ask: (body: object, user?: string) => call("POST", "/chat", { message: "Hello", ...body }, user),
    submit: (id = "chat") =>
      send("POST", "/ai-sdk/chat", {
        ...{ id, trigger: "submit-message" },
        messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hello" }] }],
      }),
  };
}

export const beginsTurn = (options: Parameters<Append>[3]): boolean => options?.beginsTurn !== undefined;

/** Returns the provider with another way to write that begins a turn. */
export const around = (
  provider: VersionedMemoryProvider,
  write: (...given: Parameters<Append>) => ReturnType<Append>,
): VersionedMemoryProvider & TurnBeginner => ({
  ...provider,
  canBegin: (beginning) => canBegin(provider, beginning),
  appendMessages: (...given) => (beginsTurn(given[3]) ? write(...given) : provider.appendMessages(...given)),
});

export async function stateOf({ provider, turnLog }: Stores, conversationId: string) {
  const [read, turns] = await Promise.all([
    provider.readConversation(conversationId),
    turnLog.turnsOf(conversationId),
  ]);
  if (!read.success || !turns.success) throw new Error("The stores failed.");
  return {
    texts: read.data.conversation?.messages.map(({ content }) => content),
    turns: turns.data.map(({ state }) => state),
  };
}

/** A model that counts its calls and replies when `go` is called. */
export function createHeldModel(text = "Good morning.") {
  let go: () => void = () => {};
  let calls = 0;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const model: ModelProvider<Identity> = {
    getCompletion: async () => {
      calls += 1;
      await gate;
      return { message: { content: text } };
    },
  };
  return { model, go: () => go(), calls: () => calls };
}

export function createCountingModel(text = "Good morning.") {
  let calls = 0;
  const model: ModelProvider<Identity> = {
    getCompletion: async () => {
      calls += 1;
      return { message: { content: text } };
    },
  };
  return { model, calls: () => calls };
}
