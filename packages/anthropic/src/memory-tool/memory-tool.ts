import type { Tool, ToolCallInfo } from "@jaf/core";
import type { ConversationMemory, MemoryProvider, Message } from "@jaf/memory";
import {
  backoffDelayMs,
  createKeyedQueue,
  messageText,
  present,
  readFrom,
  sha256,
} from "@jaf/memory/internal";
import { fieldsOf, parseJson } from "@jaf/model-http";
import * as z from "zod";
import { carryOut, doneText, type MemoryCommand } from "./commands.ts";
import type { Files } from "./files.ts";

/** Options of {@link createMemoryTool}. */
export interface MemoryToolOptions<Ctx> {
  /** Where the files are: any provider that `createMemoryProvider` or `defineMemoryProvider` has made. */
  readonly store: MemoryProvider;
  /** The id of the user whose files these are, or a function that returns it for a run's context. */
  readonly user: string | ((context: Readonly<Ctx>) => string);
}

// Not a constant: an application that doesn't use the tool shouldn't load it.
const commandSchema = (text = z.string()): z.ZodType<MemoryCommand> =>
  z.discriminatedUnion("command", [
    z.object({ command: z.literal("view"), path: text, view_range: z.array(z.int()).length(2).optional() }),
    z.object({ command: z.literal("create"), path: text, file_text: text }),
    z.object({ command: z.literal("str_replace"), path: text, old_str: text, new_str: text }),
    z.object({ command: z.literal("insert"), path: text, insert_line: z.int(), insert_text: text }),
    z.object({ command: z.literal("delete"), path: text }),
    z.object({ command: z.literal("rename"), old_path: text, new_path: text }),
  ]);

/**
 * Creates the tool that runs Anthropic's memory tool: the model keeps files about a user in `/memories`, over all of the
 * user's conversations. The service's own tool is configured in `providerOptions`; other models get this tool as any other.
 *
 * The files of a user are one conversation of the store that belongs to the user, so `clearUserConversations` erases them,
 * and no user reads another's. A command is carried out wholly or not at all, whatever other processes do at the same time,
 * and only once, even if the run is repeated after a crash. Paths outside of `/memories` are refused. A user has at most
 * 500 files of 100,000 characters each, and 1,000,000 characters together.
 *
 * A call fails if the store does, or if the files were erased during it.
 *
 * @example
 * ```ts
 * import { createMemoryTool } from "@jaf/anthropic";
 * import type { Agent } from "@jaf/core";
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * interface Context {
 *   readonly userId: string;
 * }
 *
 * const store = createInMemoryProvider();
 * export const agent: Agent<Context, string> = {
 *   name: "helper",
 *   instructions: "Help the user.",
 *   tools: [createMemoryTool<Context>({ store, user: ({ userId }) => userId })],
 *   modelConfig: { providerOptions: { anthropic: { tools: [{ type: "memory_20250818", name: "memory" }] } } },
 * };
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a tool of one user works with any context
export function createMemoryTool<Ctx = any>({
  store,
  user,
}: MemoryToolOptions<Ctx>): Tool<MemoryCommand, Ctx> {
  const queue = createKeyedQueue();
  return {
    schema: {
      name: "memory",
      description:
        "Keeps text files about the user in /memories, over all conversations. View the directory before you begin.",
      parameters: commandSchema(),
    },
    execute: async (command, context, call) => {
      const userId = typeof user === "string" ? user : user(context);
      // The calls of one reply begin at once, and each sees what those before it changed.
      return queue.run(userId, () => carryOutStored({ store, userId, command, call }));
    },
  };
}

interface StoredCommand {
  readonly store: MemoryProvider;
  readonly userId: string;
  readonly command: MemoryCommand;
  readonly call: ToolCallInfo | undefined;
}

const MAX_ATTEMPTS = 50;

async function carryOutStored({ store, userId, command, call }: StoredCommand): Promise<string> {
  const conversationId = `memory-tool:${sha256(userId, "hex")}`;
  const signal = call?.signal;
  const key = call?.idempotencyKey;
  let seen: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const options = { userId, owner: userId, ...present({ receiptFor: key, signal }) };
    const read = await readFrom(store, conversationId, options);
    if (!read.success) throw failure(read.error);
    const { conversation, incarnation, receipt } = read.data;
    // A new attempt after an erasure would bring back what was erased.
    const isErased = conversation === null ? attempt > 1 : seen !== undefined && incarnation !== seen;
    if (isErased) throw new Error("the memory was erased during the call");
    if (conversation !== null) seen = incarnation;
    if (receipt !== undefined && command.command !== "view") return doneText(command);
    const { text, files } = carryOut(command, filesIn(conversation));
    if (files === undefined) return text;
    const written = await store.storeMessages(
      conversationId,
      messagesOf(files),
      { userId },
      {
        expectedVersion: conversation?.metadata?.version ?? 0,
        ...present({ expectedIncarnation: incarnation, idempotencyKey: key, signal }),
      },
    );
    if (written.success) return text;
    const { error } = written;
    const isRace = error._tag === "MemoryConflictError" && RACES.has(error.reason);
    if (!isRace || attempt === MAX_ATTEMPTS || signal?.aborted === true) throw failure(error);
    await new Promise((resolve) =>
      setTimeout(resolve, backoffDelayMs(attempt, { baseDelayMs: 5, maxDelayMs: 250 })),
    );
  }
}

/** Conflicts with a write of another process, after which the command is carried out on its files. */
const RACES: ReadonlySet<string> = new Set(["version", "incarnation", "idempotency-key"]);

const failure = (cause: unknown): Error => new Error("the memory can't be read or written now", { cause });

/** A file is the result of a tool, because such messages aren't searched as something that the user or the model said. */
const messagesOf = (files: Files): readonly Message[] =>
  [...files].map(([path, text]) => ({
    role: "tool",
    content: JSON.stringify({ path, text }),
    tool_call_id: "memory",
  }));

function filesIn(conversation: ConversationMemory | null): Files {
  const files = new Map<string, string>();
  for (const message of conversation?.messages ?? []) {
    const { path, text } = fieldsOf(parseJson(messageText(message)));
    if (typeof path === "string" && typeof text === "string") files.set(path, text);
  }
  return files;
}
