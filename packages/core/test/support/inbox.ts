import {
  createFailure,
  createInMemoryInbox,
  createInMemoryProvider,
  createMemoryStorageError,
  type Inbox,
  type InboxEntry,
  type MemoryProvider,
} from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { type MemoryConfig, run, runInbox } from "../../src/index.ts";
import { type Setup, says, setup } from "./setup.ts";
import { storedMessages } from "./stores.ts";

export const OWNER = "ada";

interface InboxWorld {
  readonly provider?: MemoryProvider;
  readonly inbox?: Inbox;
  readonly memory?: Partial<MemoryConfig>;
}

/** A conversation "c" of the user "ada", with its inbox. */
export function inboxWorld({
  provider = createInMemoryProvider(),
  inbox = createInMemoryInbox(),
  memory = {},
}: InboxWorld = {}) {
  let sent = 0;
  const put = async (content: string) => {
    sent += 1;
    const stored = await inbox.put({ conversationId: "c", userId: OWNER, key: `key ${sent}`, content });
    if (!stored.success) throw new Error(stored.error.message);
    return stored.data;
  };
  /** Leaves messages in the inbox, as `AgentClient.send` does. */
  const send = async (...texts: readonly string[]) => {
    for (const content of texts) await put(JSON.stringify({ format: 1, content }));
  };
  const waiting = async (): Promise<readonly InboxEntry[]> => {
    const found = await inbox.read({ conversationId: "c" });
    if (!found.success) throw new Error(found.error.message);
    return found.data;
  };
  const configured = ({ config, ...given }: Setup) =>
    setup({
      ...given,
      config: {
        conversationId: "c",
        memory: {
          provider,
          autoStore: true,
          userId: OWNER,
          durability: "step",
          inbox: runInbox(inbox),
          ...memory,
        },
        ...config,
      },
    });
  /** Runs with the messages in a new process. */
  const process = async (
    texts: readonly string[],
    model: Setup["model"],
    { config, ...given }: Omit<Setup, "model"> = {},
  ) => {
    const made = configured({ model, ...given, ...(config && { config }) });
    return { ended: await run(says(...texts), made.config), events: made.events };
  };
  return {
    ...{ provider, inbox, put, send, waiting, configured, process },
    /** What the conversation says: each message's role and text. */
    said: async () =>
      (await storedMessages(provider)).map((message) => `${message.role}: ${messageText(message)}`),
  };
}

/** An inbox whose method fails while `isDown` is `true`. */
export function failingInbox(method: "read" | "remove", inner = createInMemoryInbox()) {
  const state = { isDown: true };
  const inbox: Inbox = {
    ...inner,
    [method]: async (asked: never) =>
      state.isDown
        ? createFailure(createMemoryStorageError(method, "the inbox is down", { retryable: true }))
        : inner[method](asked),
  };
  return { inbox, inner, state };
}
