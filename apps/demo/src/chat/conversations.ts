import {
  type Agent,
  type ApprovalDecision,
  generateRunId,
  generateTraceId,
  type Message,
  type ModelProvider,
  type RunConfig,
  type RunResult,
  runStream,
  type TraceEvent,
} from "@jaf/core";
import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import { type AdaptedUserMemory, holdsSecret } from "@jaf/user-memory";
import { ASSISTANT, type AssistantContext, assistant } from "../assistant/agent.ts";
import { understood } from "../assistant/statements.ts";
import { Failure } from "../exit.ts";
import { afterCrash } from "../storage/open-store.ts";

/** The user's conversations, newest activity first, without their messages. */
export async function listConversations(
  provider: MemoryProvider,
  userId: string,
  limit?: number,
): Promise<readonly ConversationMemory[]> {
  const found = await provider.findConversations({
    userId,
    includeMessages: false,
    ...(limit === undefined ? {} : { limit }),
  });
  if (!found.success) throw new Failure(found.error.message);
  return found.data;
}

const TITLE_LENGTH = 48;

/** The first words of a text on one line, as a title. */
export function titleOf(text: string): string {
  const start = text.slice(0, 8 * TITLE_LENGTH); // Limits the cost of huge messages.
  // By code points, without NUL and lone surrogates, which stores refuse in metadata.
  const words = [...start.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim()];
  return words.length <= TITLE_LENGTH ? words.join("") : `${words.slice(0, TITLE_LENGTH - 1).join("")}…`;
}

/** The title of a conversation that begins with `text`: its first words, unless it contains a secret. */
export const titleFor = (text: string): string =>
  titleOf(holdsSecret(understood(text)) ? "(a message with a secret)" : text);

export function describeConversation(
  { metadata }: ConversationMemory,
  number: number,
  current: boolean,
): string {
  const title: unknown = metadata?.["title"];
  const when = metadata?.lastActivity.toLocaleString("sv-SE") ?? "";
  const name = typeof title === "string" ? title : "(untitled)";
  return `${current ? "*" : " "}${String(number).padStart(3)}  ${when}  ${String(metadata?.totalMessages ?? 0).padStart(4)} messages  ${name}`;
}

/** One conversation of one user. */
export interface Session {
  /** Absent if the conversation is private, so nothing is stored. */
  readonly conversationId?: string;
  /** `null` before the first message. */
  readonly load: () => Promise<{ readonly messages: readonly Message[] } | null>;
  /** Sends `text`. `onEvent` receives the reply. */
  readonly send: (text: string, options: SendOptions) => Promise<RunResult<string>>;
  /** Continues an interrupted reply. */
  readonly resume: (options: SendOptions) => Promise<RunResult<string>>;
  /** Returns whether there was anything to forget. */
  readonly forget: () => Promise<boolean>;
}

interface SendOptions {
  readonly onEvent: (event: TraceEvent) => void;
  /** The user's decisions about calls that wait. */
  readonly approvals?: readonly ApprovalDecision[];
}

/** The tools of other programs. Read for each reply, since they can change. */
export interface OtherTools {
  readonly tools: NonNullable<Agent<AssistantContext, string>["tools"]>;
}

/** Options of all conversations of a user. */
interface AnswerOptions {
  /** Facts about the user from all conversations. */
  readonly userMemory: AdaptedUserMemory;
  readonly modelProvider: ModelProvider<AssistantContext>;
  readonly context: AssistantContext;
  /** Aborted when the user leaves. */
  readonly signal: AbortSignal;
  /** Default: none. */
  readonly servers?: OtherTools | undefined;
}

export interface SessionOptions extends AnswerOptions {
  readonly provider: MemoryProvider;
}

export const newConversationId = (): string => `chat-${crypto.randomUUID()}`;

/** Creates a session with all its messages in the store, so it can be dropped at any time. */
export function createSession(options: SessionOptions, conversationId: string): Session {
  const { provider, context } = options;
  const { userId } = context;
  const stored = {
    conversationId,
    memory: { provider, autoStore: true, durability: "step", userId, ...afterCrash },
  } as const;

  async function load(): Promise<ConversationMemory | null> {
    const loaded = await provider.getConversation(conversationId);
    if (!loaded.success) throw new Failure(loaded.error.message);
    return loaded.data;
  }

  let isNew: boolean | undefined;

  return {
    conversationId,
    load,
    /** Makes the first words the title. */
    send: async (text, { onEvent }) => {
      isNew ??= (await load()) === null;
      if (isNew) {
        isNew = false;
        const title = titleFor(text);
        const titled = await provider.appendMessages(
          conversationId,
          [],
          { userId, title },
          { createIfMissing: true },
        );
        if (!titled.success) throw new Failure(titled.error.message);
      }
      return answer(options, { messages: [{ role: "user", content: text }], stored, onEvent });
    },
    /** Doesn't repeat finished tools. */
    resume: (resuming) => answer(options, { messages: [], stored, ...resuming }),
    forget: async () => {
      const deleted = await provider.deleteConversation(conversationId);
      if (!deleted.success) throw new Failure(deleted.error.message);
      return deleted.data;
    },
  };
}

/** Creates a session in this process only: nothing is stored or learned, but known facts are used. */
export function createPrivateSession(given: AnswerOptions): Session {
  // Other programs may keep what they are called with.
  const options = { ...given, servers: undefined, context: { ...given.context, isPrivate: true } };
  let messages: readonly Message[] = [];

  async function answered({ onEvent }: SendOptions): Promise<RunResult<string>> {
    const result = await answer(options, { messages, onEvent });
    // An interrupted reply is dropped, so it is generated again.
    if (result.outcome.status === "completed") messages = result.finalState.messages;
    return result;
  }

  return {
    load: async () => (messages.length === 0 ? null : { messages }),
    send: (text, sending) => {
      messages = [...messages, { role: "user", content: text }];
      return answered(sending);
    },
    resume: answered,
    forget: async () => {
      const existed = messages.length > 0;
      messages = [];
      return existed;
    },
  };
}

/** Whether the last message has no complete reply yet. */
export function isUnanswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last !== undefined && (last.role !== "assistant" || (last.tool_calls?.length ?? 0) > 0);
}

interface Answering extends SendOptions {
  readonly messages: readonly Message[];
  /** Where the conversation is stored. Absent: not stored. */
  readonly stored?: Pick<RunConfig<AssistantContext>, "memory" | "conversationId">;
}

/** How long to wait for the extraction of facts. */
export const LEARNING_MS = 2_000;

const withTools = ({ tools }: OtherTools): typeof assistant => ({
  ...assistant,
  tools: [...(assistant.tools ?? []), ...tools],
});

/** Runs the assistant. `onEvent` receives the events. */
async function answer(
  { userMemory, modelProvider, context, signal, servers }: AnswerOptions,
  { messages, stored = {}, onEvent, approvals }: Answering,
): Promise<RunResult<string>> {
  await userMemory.drain({ timeoutMs: LEARNING_MS }); // Each reply must know the facts of earlier messages.
  const config: RunConfig<AssistantContext> = {
    agentRegistry: new Map([[ASSISTANT, servers === undefined ? assistant : withTools(servers)]]),
    ...{ modelProvider, userMemory, signal, ...stored },
    ...(approvals === undefined ? {} : { resume: { approvals } }),
  };
  const state = {
    runId: generateRunId(),
    traceId: generateTraceId(),
    messages,
    currentAgentName: ASSISTANT,
    context,
    turnCount: 0,
  };
  const stream = runStream<AssistantContext, string>(state, config);
  for await (const event of stream) onEvent(event);
  return stream.result;
}
