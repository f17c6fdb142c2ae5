import {
  type ConversationStore,
  type ConversationStoreMeta,
  MemoryConversationStore,
  type Message,
} from "@jaf/memory";
import {
  type Agent,
  type AgentClientConfig,
  createAgentClient,
  type ModelProvider,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";

export interface Session {
  readonly userId?: string;
}

interface ClientSetup {
  /** A script or a provider. Default: a model that repeats the user's messages. */
  readonly model?: readonly ScriptedStep<Session>[] | ModelProvider<Session>;
  readonly agent?: Partial<Agent<Session, string>>;
  readonly config?: Partial<AgentClientConfig<Session>>;
}

const isProvider = (model: NonNullable<ClientSetup["model"]>): model is ModelProvider<Session> =>
  !Array.isArray(model);

/** A client of an agent named "helper" with its own store and retries without delay. */
export function clientSetup({ model, agent, config }: ClientSetup = {}) {
  const store = new MemoryConversationStore();
  const modelProvider =
    model === undefined ? createEcho() : isProvider(model) ? model : createScriptedModel<Session>(model);
  const helper: Agent<Session, string> = { name: "helper", instructions: () => "Help.", ...agent };
  const client = createAgentClient(helper, {
    modelProvider,
    context: {},
    store,
    modelRetry: { baseDelayMs: 0 },
    ...config,
  });
  return { client, store, helper, modelProvider };
}

/** Answers with all user messages so far, so a reply shows what the model has got. */
export const createEcho = (): ModelProvider<Session> => ({
  getCompletion: async ({ messages }) => ({ message: { content: heard(messages) } }),
});

export const heard = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content)
    .join(" | ");

/** The messages of each model call. */
export const shown = (model: ScriptedModel<Session>): readonly (readonly Message[])[] =>
  model.requests.map(({ state }) => state.messages);

interface Row {
  title: string | undefined;
  readonly meta: ConversationStoreMeta;
  readonly messages: Message[];
}

/** The five methods as an application writes them by hand. */
export class MapStore implements ConversationStore {
  readonly rows = new Map<string, Row>();
  readonly #listsAgents: boolean;

  constructor({ listsAgents = true } = {}) {
    this.#listsAgents = listsAgents;
  }

  async create(title?: string, meta: ConversationStoreMeta = {}) {
    const id = `row-${this.rows.size + 1}`;
    this.rows.set(id, { title, meta, messages: [] });
    return id;
  }

  async load(conversationId: string) {
    return [...(this.rows.get(conversationId)?.messages ?? [])];
  }

  async append(conversationId: string, messages: Message[]) {
    this.#row(conversationId).messages.push(...messages);
  }

  async setTitle(conversationId: string, title: string) {
    this.#row(conversationId).title = title;
  }

  async list(userId?: string) {
    return [...this.rows]
      .filter(([, { meta }]) => userId === undefined || meta.userId === userId)
      .map(
        ([
          id,
          {
            meta: { userId: owner, agent },
          },
        ]) => ({
          id,
          userId: owner,
          ...(this.#listsAgents ? { agent } : {}),
        }),
      );
  }

  #row(conversationId: string): Row {
    const row = this.rows.get(conversationId);
    if (row === undefined) throw new Error("no such conversation");
    return row;
  }
}
