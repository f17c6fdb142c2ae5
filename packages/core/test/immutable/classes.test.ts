import {
  type ConversationStore,
  createConversationStore,
  createInMemoryProvider,
  type Message,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  type ApprovalRequest,
  approve,
  createAgentClient,
  createPermissionCheck,
  createRateLimiter,
  createRunState,
  createTool,
  type MemoryConfig,
  type Middleware,
  type ModelCompletion,
  type ModelProvider,
  type ModelStreamChunk,
  type ResolvedAgent,
  type RunConfig,
  type RunState,
  type RunUserMemory,
  run,
  runStream,
  type SummaryConfig,
  type Tool,
  type TraceEvent,
  withErrorHandling,
} from "../../src/index.ts";

interface Session {
  readonly userId: string;
}

/** Classes with private fields, accessors and methods on the prototype. */
class PayTool implements Tool<{ cents: number }, Session> {
  readonly #limit = 10;
  readonly #log: string[];
  constructor(log: string[]) {
    this.#log = log;
  }
  get schema() {
    return { name: "pay", description: "", parameters: z.object({ cents: z.number() }) };
  }
  needsApproval({ cents }: { cents: number }) {
    return cents > this.#limit;
  }
  async execute({ cents }: { cents: number }) {
    this.#log.push(`paid ${cents}`);
    return "paid";
  }
}

class Recorder implements Middleware<Session> {
  readonly #log: string[];
  constructor(log: string[]) {
    this.#log = log;
  }
  get name() {
    return "recorder";
  }
  onStart() {
    this.#log.push("start");
    return { instructions: "More." };
  }
  onFinish() {
    this.#log.push("finish");
  }
}

class BaseAgent implements Agent<Session, { ok: boolean }> {
  readonly #prompt = "Help.";
  readonly #log: string[];
  constructor(log: string[]) {
    this.#log = log;
  }
  get name() {
    return "helper";
  }
  instructions(state: Readonly<RunState<Session>>) {
    return `${this.#prompt} ${state.context.userId}`;
  }
  get tools() {
    return [new PayTool(this.#log)];
  }
  get outputCodec() {
    return z.object({ ok: z.boolean() });
  }
  get middleware() {
    return [new Recorder(this.#log)];
  }
  conversational({ userId }: Session) {
    this.#log.push("conversational");
    return { user: userId };
  }
  remembers({ userId }: Session) {
    this.#log.push("remembers");
    return { user: userId };
  }
}

class SupportAgent extends BaseAgent {
  readonly #more = "Be kind.";
  override instructions(state: Readonly<RunState<Session>>) {
    return `${super.instructions(state)} ${this.#more}`;
  }
}

class Model implements ModelProvider<Session> {
  readonly seen: string[] = [];
  readonly #replies: ModelCompletion[] = [
    {
      message: {
        tool_calls: [{ id: "p", function: { name: "pay", arguments: '{"cents":50}' } }],
      },
    },
    { message: { content: '{"ok":true}' } },
  ];
  /** Has it reply this instead. */
  reply(...contents: string[]) {
    this.#replies.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...contents.map((content) => ({ message: { content } })),
    );
  }
  async getCompletion(
    state: Readonly<RunState<Session>>,
    agent: ResolvedAgent<Session>,
    config: RunConfig<Session>,
  ) {
    const copy = { ...agent };
    this.seen.push(copy.instructions(state), `${agent.tools?.[0]?.schema.name} ${config.modelOverride}`);
    expect({ ...config }.agentRegistry.has("helper")).toBe(true);
    return this.#replies.shift() ?? {};
  }
}

class StreamingModel extends Model {
  async *getCompletionStream(
    ...args: Parameters<ModelProvider<Session>["getCompletion"]>
  ): AsyncGenerator<ModelStreamChunk> {
    const { message } = await this.getCompletion(...args);
    if (typeof message?.content === "string") yield { type: "text_delta", text: message.content };
    for (const [index, { id, function: called }] of (message?.tool_calls ?? []).entries()) {
      const { name = "", arguments: text = "" } = called ?? {};
      yield { type: "tool_call_delta", index, id: id ?? "", name, arguments: text };
    }
    yield { type: "done" };
  }
}

class Memory implements RunUserMemory {
  readonly #all = [];
  middlewareFor<Ctx>(): readonly Middleware<Ctx>[] {
    return this.#all;
  }
}

class Config implements RunConfig<Session> {
  readonly #agent: BaseAgent;
  readonly #model: Model;
  readonly #events: string[] = [];
  readonly #memory: MemoryConfig | undefined;
  declare readonly memory?: MemoryConfig;
  constructor(agent: BaseAgent, model: Model, memory?: MemoryConfig) {
    this.#agent = agent;
    this.#model = model;
    this.#memory = memory;
    if (memory) Object.defineProperty(this, "memory", { get: () => this.#memory, enumerable: false });
  }
  get agentRegistry() {
    return new Map([["helper", this.#agent]]);
  }
  get modelProvider() {
    return this.#model;
  }
  get modelOverride() {
    return "override";
  }
  get userMemory() {
    return new Memory();
  }
  get conversationId() {
    return "c";
  }
  onEvent({ type }: TraceEvent) {
    this.#events.push(type);
  }
  eventTypes() {
    return this.#events;
  }
  get resume() {
    return { approvals: this.decided };
  }
  decided: ReturnType<typeof approve>[] = [];
}

const context: Session = { userId: "alice" };
const stateOf = (...messages: Message[]) =>
  createRunState<Session>({ agentName: "helper", context, messages });

const asked = ["Help. alice\n\nMore.", "pay override"];
const askedKindly = ["Help. alice Be kind.\n\nMore.", "pay override"];

describe.each([
  ["a class", BaseAgent, asked],
  ["a subclass", SupportAgent, askedKindly],
] as const)(
  "an agent that is an instance of %s, with a configuration that is one,",
  (_what, Type, prompts) => {
    it.each(["run", "runStream"] as const)("works as an object does in %s", async (way) => {
      const log: string[] = [];
      const model = way === "run" ? new Model() : new StreamingModel();
      const provider = createInMemoryProvider();
      const config = new Config(new Type(log), model, { provider, autoStore: true });
      const start = (state: RunState<Session>) =>
        way === "run"
          ? run<Session, unknown>(state, config)
          : runStream<Session, unknown>(state, config).result;
      const first = await start(stateOf({ role: "user", content: "Pay" }));
      if (first.outcome.status !== "interrupted") throw new Error(JSON.stringify(first.outcome));
      config.decided = [approve(first.outcome.interruptions[0] as ApprovalRequest)];
      const { outcome } = await start(stateOf());
      expect(outcome).toEqual({ status: "completed", output: { ok: true } });
      expect(log).toEqual(["remembers", "start", "paid 50", "remembers", "start", "finish"]);
      expect(model.seen).toEqual([...prompts, ...prompts]);
      expect(config.eventTypes().at(-1)).toBe("run_end");
    });

    it.each(["prompt", "stream"] as const)(
      "works as an object does in %s of an agent client",
      async (way) => {
        class ClientConfig {
          readonly #model = way === "prompt" ? new Model() : new StreamingModel();
          readonly #events: string[] = [];
          readonly #context = context;
          readonly #store = createInMemoryProvider();
          get modelProvider() {
            return this.#model;
          }
          get modelOverride() {
            return "override";
          }
          get userMemory() {
            return new Memory();
          }
          get store() {
            return this.#store;
          }
          get memory() {
            return new Durable();
          }
          context() {
            return this.#context;
          }
          onEvent({ type }: TraceEvent) {
            this.#events.push(type);
          }
          events() {
            return this.#events;
          }
        }
        class Durable {
          readonly #durability = "step" as const;
          get durability() {
            return this.#durability;
          }
        }
        const log: string[] = [];
        const config = new ClientConfig();
        const client = createAgentClient<Session, { ok: boolean }>(new Type(log), config);
        const say = (...args: Parameters<typeof client.prompt>) =>
          way === "prompt" ? client.prompt(...args) : client.stream(...args).result;
        class Options {
          readonly #events: string[] = [];
          onEvent({ type }: TraceEvent) {
            this.#events.push(type);
          }
          events() {
            return this.#events;
          }
        }
        const options = new Options();
        const first = await say("Pay", options);
        const approvals = [approve(first.interruptions[0] as ApprovalRequest)];
        const second = await say("", { approvals });
        expect(second.output).toEqual({ ok: true });
        expect(second.conversationId).toBe(first.conversationId);
        expect(log.filter((entry) => entry === "paid 50")).toHaveLength(1);
        expect(log).toContain("conversational");
        expect(config.modelProvider.seen).toEqual([...prompts, ...prompts]);
        expect(config.events().at(-1)).toBe("run_end");
        expect(options.events().at(-1)).toBe("run_end");
      },
    );
  },
);

describe("an application's object with methods", () => {
  it("is the this of its methods: a tool's definition", async () => {
    class Definition {
      readonly #limit = 5;
      readonly name = "pay";
      readonly description = "";
      readonly parameters = z.object({ cents: z.number() });
      needsApproval({ cents }: { cents: number }) {
        return cents > this.#limit;
      }
      execute({ cents }: { cents: number }) {
        return `${cents} of ${this.#limit}`;
      }
    }
    const tool = createTool(new Definition());
    expect(await tool.execute({ cents: 3 }, {})).toBe("3 of 5");
    expect(typeof tool.needsApproval === "function" && tool.needsApproval({ cents: 6 }, {})).toBe(true);
  });

  it("is the this of its methods: a window's tokenizer, a summarizer and a retry policy", async () => {
    class Window {
      get memoryType() {
        return "token_window" as const;
      }
      get maxTokens() {
        return 1_000;
      }
    }
    class Tokens extends Window {
      readonly #counted: string[] = [];
      tokenizer(text: string) {
        return this.#counted.push(text);
      }
      counted() {
        return this.#counted;
      }
    }
    class Summaries implements SummaryConfig {
      readonly #summaries: string[] = [];
      async summarize() {
        this.#summaries.push("summary");
        return "summary";
      }
      summaries() {
        return this.#summaries;
      }
    }
    class Retries {
      readonly #most = 2;
      readonly baseDelayMs = 0;
      #seen = 0;
      isRetryable() {
        this.#seen += 1;
        return this.#seen < this.#most;
      }
    }
    class Memory implements MemoryConfig {
      readonly provider = createInMemoryProvider();
      readonly autoStore = true;
      readonly compressionThreshold = 1;
      readonly summary = new Summaries();
    }
    const memory = new Memory();
    await memory.provider.storeMessages("c", [
      { role: "user", content: "1" },
      { role: "assistant", content: "2" },
    ]);
    let calls = 0;
    const config = (more: Partial<RunConfig<Session>>): RunConfig<Session> => ({
      agentRegistry: new Map([["helper", { name: "helper", instructions: () => "" }]]),
      modelProvider: {
        getCompletion: async () => {
          calls += 1;
          if (calls === 1) throw new Error("once");
          return { message: { content: "Hi." } };
        },
      },
      modelRetry: new Retries(),
      ...more,
    });
    const said = stateOf({ role: "user", content: "Hi" });
    const summarized = await run(said, config({ memory, conversationId: "c" }));
    expect(summarized.outcome.status).toBe("completed");
    expect(calls).toBe(2);
    expect(memory.summary.summaries()).toEqual(["summary"]);
    const window = new Tokens();
    const windowed = await run(said, config({ memory: { provider: memory.provider, window } }));
    expect(windowed.outcome.status).toBe("completed");
    expect(window.counted()).toContain("Hi");
  });

  it("is the this of its methods: a validator, a log, a rate limiter's clock and a permission check", async () => {
    class Validating {
      readonly #seen: number[] = [];
      readonly agentRegistry = new Map([["helper", { name: "helper", instructions: () => "" }]]);
      readonly modelProvider = { getCompletion: async () => ({ message: { content: "Hi." } }) };
      readonly memory = { provider: createInMemoryProvider(), autoStore: true };
      readonly conversationId = "c";
      readonly resume = { messages: [{ role: "user", content: "Hi" }] as Message[] };
      validate({ persisted }: { readonly persisted: readonly unknown[] }) {
        this.#seen.push(persisted.length);
      }
      seen() {
        return this.#seen;
      }
    }
    const config = new Validating();
    const { outcome } = await run<Session>(stateOf(), config);
    expect(outcome.status).toBe("completed");
    expect(config.seen()).toEqual([0]);

    class Options {
      readonly #log: string[] = [];
      log({ toolName }: { readonly toolName: string }) {
        this.#log.push(toolName);
      }
      now() {
        return this.#log.length;
      }
      permissionsOf() {
        return this.#log;
      }
    }
    const options = new Options();
    await withErrorHandling("tool", () => "done", options)({}, {});
    expect(createRateLimiter(1, 1, () => "k", options)("x", {})).toEqual({ isValid: true });
    expect(createPermissionCheck("tool", options)("x", {})).toEqual({ isValid: true });
  });

  it.each(["run", "runStream"] as const)(
    "is called as such: an output codec, guardrails and a model provider in %s",
    async (way) => {
      class Codec {
        readonly #inner = z.object({ ok: z.boolean() });
        readonly version = 1 as const;
        readonly vendor = "own";
        readonly jsonSchema = this.#inner["~standard"].jsonSchema;
        get "~standard"() {
          return this;
        }
        validate(value: unknown) {
          return this.#inner["~standard"].validate(value);
        }
      }
      class Guards {
        readonly #seen: unknown[] = [];
        judge(value: unknown) {
          this.#seen.push(value);
          return { isValid: true } as const;
        }
        seen() {
          return this.#seen;
        }
      }
      const guards = new Guards();
      const model = way === "run" ? new Model() : new StreamingModel();
      model.reply('{"ok":true}');
      const config: RunConfig<Session> = {
        agentRegistry: new Map<string, Agent<Session, unknown>>([
          ["helper", { name: "helper", instructions: () => "", outputCodec: new Codec() }],
        ]),
        modelProvider: model,
        initialInputGuardrails: [guards.judge.bind(guards)],
        finalOutputGuardrails: [guards.judge.bind(guards)],
      };
      const state = stateOf({ role: "user", content: "Hi" });
      const ended =
        way === "run" ? await run<Session>(state, config) : await runStream<Session>(state, config).result;
      expect(ended.outcome).toEqual({ status: "completed", output: { ok: true } });
      expect(guards.seen()).toEqual(["Hi", { ok: true }]);
    },
  );

  it.each(["prompt", "stream"] as const)("is called as such: a conversation store in %s", async (way) => {
    class Store implements ConversationStore {
      readonly #inner = createConversationStore(createInMemoryProvider());
      create(...args: Parameters<ConversationStore["create"]>) {
        return this.#inner.create(...args);
      }
      load(...args: Parameters<ConversationStore["load"]>) {
        return this.#inner.load(...args);
      }
      append(...args: Parameters<ConversationStore["append"]>) {
        return this.#inner.append(...args);
      }
      setTitle(...args: Parameters<ConversationStore["setTitle"]>) {
        return this.#inner.setTitle(...args);
      }
      list(...args: Parameters<ConversationStore["list"]>) {
        return this.#inner.list(...args);
      }
    }
    const store = new Store();
    const model = way === "prompt" ? new Model() : new StreamingModel();
    model.reply("Hello.", "Again.");
    const agent: Agent<Session, string> = { name: "helper", instructions: () => "" };
    const client = createAgentClient(agent, { modelProvider: model, context, store });
    const say = (session: Pick<typeof client, "prompt" | "stream">, text: string) =>
      way === "prompt" ? session.prompt(text) : session.stream(text).result;
    const first = await say(client.forUser("alice"), "Hi");
    const conversationId = first.conversationId ?? "";
    const second = await say(client.continue(conversationId), "And again");
    expect([first.text, second.text]).toEqual(["Hello.", "Again."]);
    expect(await store.load(conversationId)).toHaveLength(4);
  });
});
